// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/planning.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"

namespace nettune::cli {

namespace {

Exit exit_of(const Held& held) {
  Exit exit = held.plan.has_not_permitted() ? Exit::not_permitted : Exit::done;
  const bool drifted = std::any_of(held.plan.items.begin(), held.plan.items.end(), is_drift);
  return drifted || !held.gone.empty() ? worse(exit, Exit::drift) : exit;
}

std::vector<std::string> moved_notes(const std::vector<std::string>& moved,
                                     const Transaction& active) {
  std::vector<std::string> notes;
  for (const std::string& sentence : moved)
    notes.push_back(cat(sentence, "; see nettune plan ", active.profile));
  return notes;
}

/// What there is to say when no value is read; "" when there is something to check.
std::string nothing_to_check(const StateView& state, bool unattended) {
  if (unattended && state.hold)
    return cat("on hold by ", printable(state.hold->who), ": not checked");
  if (!state.active || state.active->look.addresses.empty()) return "nothing is applied here";
  return {};
}

}  // namespace

Result<Exit> cmd_check(Context& context, Output& output) {
  TRY_ASSIGN(const StateView state, context.look_at_state(Part::look));
  if (!state.unreadable.empty())
    return fail(Errc::denied, cat(state.unreadable, "; try sudo nettune check"));
  json::Check told;
  told.state = &state;
  told.skipped = nothing_to_check(state, context.arguments().unattended);
  std::optional<Held> held;
  Exit exit = state.exit();
  if (told.skipped.empty()) {
    TRY_ASSIGN(held, plan_active(context, *state.active));
    told.held = &*held;
    told.sources_moved = moved_sources(context.disk(), *state.active);
    exit = worse(exit, exit_of(*held));
  }
  if (context.arguments().json) {
    output.print(json::check(told));
    return exit;
  }
  output.print(held ? text::check(*held, *state.active, output.style()) : told.skipped + "\n");
  if (held)
    output.print(text::notes(moved_notes(told.sources_moved, *state.active), output.style()));
  output.print(text::notes(state.notes(), output.style()));
  return exit;
}

}  // namespace nettune::cli
