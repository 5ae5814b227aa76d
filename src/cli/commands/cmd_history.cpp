// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/print_json.hpp"
#include "cli/print_status.hpp"
#include "cli/print_text.hpp"
#include "node/identity.hpp"
#include "node/summary.hpp"
#include "node/write_access.hpp"

namespace nettune::cli::commands {

namespace {

struct HistoryCommand : GlobalOptions {
  Options options() { return {root_option(*this)}; }
  Result<> take() { return check_root(*this, false); }

  /// For whoever may not read the state.
  Result<node::Exit> print_summary(node::Context& context, const node::StateView& state,
                                   Output& output) const {
    const auto summary = node::read_summary(context);
    if (!summary) return node::needs_root(context);
    const std::int64_t now_s = std::time(nullptr);
    const std::string stale =
        node::stale_reason(*summary, node::boot_id(context.disk()).value_or(""), now_s);
    if (json)
      output.print(json::history({}, state, &*summary, stale));
    else
      output.print(cat(text::history(summary->lasting.history, output.style()),
                       stale.empty() ? ""
                                     : cat("unknown since then: ", stale, "; try ",
                                           context.locations().again, "\n"),
                       text::as_of(summary->time_s, now_s), "\n"));
    return stale.empty() ? node::Exit::done : node::Exit::unknown;
  }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(const node::StateView state, context.look_at_state(node::OnDamage::tell));
    if (!state.unreadable.empty()) return print_summary(context, state, output);
    TRY_ASSIGN(const auto transactions, context.state().history());
    if (json) {
      output.print(json::history(transactions, state));
    } else {
      std::vector<node::Past> past;
      for (const Transaction& transaction : transactions)
        past.push_back(node::past_of(transaction));
      output.print(text::history(past, output.style()));
      output.print(text::notes(state.notes(), output.style()));
    }
    return state.exit();
  }
};

}  // namespace

Command history_command() { return make_command<HistoryCommand>(); }

}  // namespace nettune::cli::commands
