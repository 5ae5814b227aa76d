// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/commands/suggested_lines.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/check/steady.hpp"
#include "node/held.hpp"
#include "node/lock.hpp"
#include "node/planning.hpp"
#include "node/unrecorded.hpp"

namespace nettune::cli::commands {

namespace {

/// While others change the node, what bears the mark of a running one is in no record yet.
Result<node::StateView> look_steadily(node::Context& context) {
  auto steady = node::check::read_steadily(context, [&]() -> Result<node::StateView> {
    TRY_ASSIGN(node::StateView state, context.look_at_state(node::OnDamage::tell));
    node::find_unrecorded(context, state);
    return state;
  });
  if (steady || steady.error().code != Errc::busy) return steady;
  return context.look_at_state(node::OnDamage::tell);
}

struct StatusCommand : GlobalOptions {
  Options options() { return {root_option(*this)}; }
  Result<> take() { return check_root(*this, false); }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(node::StateView state, look_steadily(context));
    const std::string& directory = context.state().directory();
    state.volatile_reason = node::volatile_file_system(directory);
    // Before its journal, too: it plans.
    if (!state.at_work) state.at_work = node::lock_holder(context.disk(), directory);
    node::find_lost_contents(context.disk(), context.state(), state);
    const auto moved = state.active ? node::moved_sources(context.disk(), *state.active)
                                    : std::vector<std::string>();
    std::vector<std::string> notes;
    for (const std::string& sentence : moved)
      notes.push_back(cat(sentence, "; see ", plan_line(context.locations(), *state.active)));
    output.print(json ? json::status(state, moved) : text::status(state, notes, output.style()));
    return node::worse(state.exit(),
                       state.unreadable.empty() ? node::Exit::done : node::Exit::not_permitted);
  }
};

}  // namespace

Command status_command() { return make_command<StatusCommand>(); }

}  // namespace nettune::cli::commands
