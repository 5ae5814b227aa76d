// SPDX-License-Identifier: Apache-2.0
#include <ctime>

#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/commands/suggested_lines.hpp"
#include "cli/print_check.hpp"
#include "cli/print_json.hpp"
#include "cli/print_status.hpp"
#include "cli/print_text.hpp"
#include "node/check/steady.hpp"
#include "node/held.hpp"
#include "node/identity.hpp"
#include "node/lock.hpp"
#include "node/own_units.hpp"
#include "node/signs.hpp"
#include "node/summary.hpp"
#include "node/unrecorded.hpp"

namespace nettune::cli::commands {

namespace {

/// While others change the node, what bears the mark of a running one is in no record yet.
Result<node::StateView> look_steadily(node::Context& context) {
  auto steady = node::check::read_steadily(context, [&]() -> Result<node::StateView> {
    TRY_ASSIGN(node::StateView state, context.look_at_state(node::OnDamage::tell));
    node::find_unrecorded(context, state);
    node::find_signs(context, state);
    return state;
  });
  if (steady || steady.error().code != Errc::busy) return steady;
  return context.look_at_state(node::OnDamage::tell);
}

struct StatusCommand : GlobalOptions {
  Options options() { return {root_option(*this)}; }
  Result<> take() { return check_root(*this, false); }

  /// For whoever may not read the state: what root's last command left for everybody.
  node::Exit print_summary(node::Context& context, const node::StateView& state,
                           const node::OwnUnits& units, Output& output) const {
    const auto summary = node::read_summary(context);
    const std::int64_t now_s = std::time(nullptr);
    const std::string stale =
        summary ? node::stale_reason(*summary, node::boot_id(context.disk()).value_or(""), now_s)
                : std::string();
    const node::Exit exit = !summary         ? node::Exit::not_permitted
                            : !stale.empty() ? node::Exit::unknown
                                             : static_cast<node::Exit>(summary->lasting.exit);
    if (json) {
      output.print(json::status(state, {}, {}, units, summary ? &*summary : nullptr, stale));
      return exit;
    }
    if (summary && stale.empty())
      output.print(cat(
          text::status(*summary,
                       summary->check ? summary->check->waits : std::vector<node::Summary::Waits>(),
                       units, now_s, output.style()),
          text::as_of(summary->time_s, now_s), "\n"));
    else if (summary)
      output.print(cat("unknown: ", node::kSummaryFile, " is ",
                       text::duration(now_s - summary->time_s), " old, and ", stale, "; try ",
                       context.locations().again, "\n", text::units(units, output.style())));
    else
      output.print(cat(text::units(units, output.style()),
                       text::notes(state.notes(), output.style()),
                       text::notes({cat(summary.error().text, "; try ", context.locations().again)},
                                   output.style())));
    return exit;
  }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(node::StateView state, look_steadily(context));
    const node::OwnUnits units =
        context.image() ? node::OwnUnits() : node::own_units(context.disk());
    if (!state.unreadable.empty()) return print_summary(context, state, units, output);
    const std::string& directory = context.state().directory();
    state.volatile_reason = node::volatile_file_system(directory);
    // Before its journal, too: it plans.
    if (!state.at_work) state.at_work = node::lock_holder(context.disk(), directory);
    node::find_lost_contents(context.disk(), context.state(), state);
    const auto moved = state.active ? node::moved_sources(context.disk(), *state.active)
                                    : std::vector<std::string>();
    std::vector<node::Awaited> awaited;
    if (state.active) {
      TRY_ASSIGN(awaited, node::find_awaited(context, *state.active));
    }
    if (json) {
      output.print(json::status(state, moved, awaited, units, nullptr, {}));
      return state.exit();
    }
    node::Summary summary = node::summarize(state, node::boot_id(context.disk()).value_or(""));
    if (const auto last = node::read_summary(context);
        last && last->lasting.boot_id == summary.lasting.boot_id &&
        last->lasting.generation == summary.lasting.generation)
      summary.check = last->check;
    output.print(
        text::status(summary, node::waits_of(awaited), units, summary.time_s, output.style()));
    if (state.active) output.print(text::refusals(state.active->refused, output.style()));
    output.print(text::notes(state.notes(), output.style()));
    std::vector<std::string> notes;
    for (const std::string& sentence : moved)
      notes.push_back(cat(sentence, "; see ", plan_line(context.locations(), *state.active)));
    output.print(text::notes(notes, output.style()));
    return state.exit();
  }
};

}  // namespace

Command status_command() { return make_command<StatusCommand>(); }

}  // namespace nettune::cli::commands
