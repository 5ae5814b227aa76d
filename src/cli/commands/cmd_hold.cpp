// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/identity.hpp"
#include "node/write_access.hpp"

namespace nettune::cli::commands {

Result<node::Exit> cmd_hold(Invocation& context, Output& output) {
  TRY_ASSIGN(node::WriteAccess writing, node::lock_state(context));
  TRY(node::ensure_lock(context, writing.lock));
  TRY_ASSIGN(const Identity identity, node::personal_identity(context.disk()));
  if (writing.state.hold)
    return fail(Errc::conflict,
                cat("this node is already on hold, by ", printable(writing.state.hold->who),
                    writing.state.hold->why.empty() ? "" : ": ", printable(writing.state.hold->why),
                    "; nettune release ends it"));
  Hold hold = {identity.who, identity.time_s, context.arguments().why};
  TRY(context.state().set_hold(hold));
  if (context.arguments().json) {
    output.print(json::hold("hold", std::move(hold)));
    return node::Exit::done;
  }
  output.print(text::notes(writing.notes, output.style()));
  output.print(
      "on hold: timers and automation leave this node alone until nettune release; a person can "
      "still apply\n");
  return node::Exit::done;
}

Result<node::Exit> cmd_release(Invocation& context, Output& output) {
  TRY_ASSIGN(const node::WriteAccess writing, node::lock_state(context));
  TRY(context.state().release_hold());
  if (context.arguments().json) {
    output.print(json::hold("release", {}));
    return node::Exit::done;
  }
  output.print(text::notes(writing.notes, output.style()));
  output.print(writing.state.hold ? "released\n" : "this node was not on hold\n");
  return node::Exit::done;
}

}  // namespace nettune::cli::commands
