// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands/again.hpp"
#include "cli/commands/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/check/steady.hpp"
#include "node/held.hpp"
#include "node/lock.hpp"
#include "node/planning.hpp"
#include "node/unrecorded.hpp"

namespace nettune::cli {

namespace {

/// While others change the node, what bears the mark of a running one is in no record yet.
Result<StateView> look_steadily(Invocation& context) {
  auto steady = read_steadily(context, [&]() -> Result<StateView> {
    TRY_ASSIGN(StateView state, context.look_at_state(OnDamage::tell));
    find_unrecorded(context, state);
    return state;
  });
  if (steady || steady.error().code != Errc::busy) return steady;
  return context.look_at_state(OnDamage::tell);
}

}  // namespace

Result<Exit> cmd_status(Invocation& context, Output& output) {
  TRY_ASSIGN(StateView state, look_steadily(context));
  const std::string& directory = context.state().directory();
  state.volatile_reason = volatile_file_system(directory);
  // Before its journal, too: it plans.
  if (!state.at_work) state.at_work = lock_holder(context.disk(), directory);
  find_lost_contents(context.disk(), context.state(), state);
  const auto moved =
      state.active ? moved_sources(context.disk(), *state.active) : std::vector<std::string>();
  std::vector<std::string> notes;
  for (const std::string& sentence : moved)
    notes.push_back(cat(sentence, "; see ", plan_again(context.arguments(), *state.active)));
  output.print(context.arguments().json ? json::status(state, moved)
                                        : text::status(state, notes, output.style()));
  return worse(state.exit(), state.unreadable.empty() ? Exit::done : Exit::not_permitted);
}

}  // namespace nettune::cli
