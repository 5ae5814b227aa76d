// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/identity.hpp"
#include "node/write_access.hpp"

namespace nettune::cli::commands {

namespace {

constexpr std::int64_t kLongestHold_s = std::int64_t{365} * 86400;

struct HoldCommand : GlobalOptions {
  std::string why;
  std::string for_text;
  std::int64_t for_s = 0;

  Options options() {
    return {{"--why", "TEXT", "Reason, shown to others while the node is on hold", &why},
            {"--for", "TIME", "End it after TIME (4h) if nobody releases it", &for_text}};
  }
  Result<> take() { return take_duration(for_s, "--for", for_text, kLongestHold_s); }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(node::WriteAccess writing, node::lock_state(context));
    TRY(node::ensure_lock(context, writing.lock));
    TRY_ASSIGN(const Identity identity, node::personal_identity(context.disk()));
    if (writing.state.hold)
      return fail(Errc::conflict,
                  cat("this node is already on hold, by ", printable(writing.state.hold->who),
                      writing.state.hold->why.empty() ? "" : ": ",
                      printable(writing.state.hold->why), "; nettune release ends it"));
    Hold hold = {identity.who, identity.time_s, why, for_s > 0 ? identity.time_s + for_s : 0};
    TRY(context.state().set_hold(hold));
    if (json) {
      output.print(json::hold("hold", std::move(hold)));
      return node::Exit::done;
    }
    output.print(text::notes(writing.notes, output.style()));
    output.print(cat("on hold: timers and automation leave this node alone until nettune release",
                     for_s > 0 ? cat(", at most for ", for_text) : "",
                     "; a person can still apply\n"));
    return node::Exit::done;
  }
};

}  // namespace

Command hold_command() { return make_command<HoldCommand>(Work::changes); }

}  // namespace nettune::cli::commands
