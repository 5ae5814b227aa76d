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

constexpr std::int64_t kLongestHistory_s = std::int64_t{10} * 365 * 86400;

struct HistoryCommand : GlobalOptions {
  std::string since_text;
  std::int64_t since_s = 0;

  Options options() {
    return {{"--since", "TIME", "Only what is not older than TIME (2d)", &since_text},
            root_option(*this)};
  }
  Result<> take() {
    TRY(take_duration(since_s, "--since", since_text, kLongestHistory_s));
    return check_root(*this, false);
  }
  /// A damaged record has no time, and is kept.
  bool is_older(std::int64_t time_s) const {
    return since_s > 0 && time_s > 0 && time_s <= std::time(nullptr) - since_s;
  }

  std::string table(const std::vector<node::Past>& past, const Output& output) const {
    if (past.empty() && since_s > 0) return cat("nothing in the last ", since_text, "\n");
    return text::history(past, output.style());
  }

  /// For whoever may not read the state.
  Result<node::Exit> print_summary(node::Context& context, const node::StateView& state,
                                   Output& output) const {
    auto summary = node::read_summary(context);
    if (!summary) return node::needs_root(context);
    std::erase_if(summary->lasting.history,
                  [this](const node::Past& past) { return is_older(past.time_s); });
    const std::int64_t now_s = std::time(nullptr);
    const std::string stale =
        node::stale_reason(*summary, node::boot_id(context.disk()).value_or(""), now_s);
    if (json)
      output.print(json::history({}, state, &*summary, stale));
    else
      output.print(cat(table(summary->lasting.history, output),
                       stale.empty() ? ""
                                     : cat("unknown since then: ", stale, "; try ",
                                           context.locations().again, "\n"),
                       text::as_of(summary->time_s, now_s), "\n"));
    return stale.empty() ? node::Exit::done : node::Exit::unknown;
  }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(const node::StateView state, context.look_at_state(node::OnDamage::tell));
    if (!state.unreadable.empty()) return print_summary(context, state, output);
    TRY_ASSIGN(auto transactions, context.state().history());
    std::erase_if(transactions, [this](const Transaction& transaction) {
      return !transaction.damaged && is_older(transaction.identity.time_s);
    });
    if (json) {
      output.print(json::history(transactions, state));
    } else {
      std::vector<node::Past> past;
      for (const Transaction& transaction : transactions)
        past.push_back(node::past_of(transaction));
      output.print(table(past, output));
      output.print(text::notes(state.notes(), output.style()));
    }
    return state.exit();
  }
};

}  // namespace

Command history_command() { return make_command<HistoryCommand>(); }

}  // namespace nettune::cli::commands
