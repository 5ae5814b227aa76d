// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/write_access.hpp"

namespace nettune::cli::commands {

Result<node::Exit> cmd_history(Invocation& context, Output& output) {
  TRY_ASSIGN(const node::StateView state, context.look_at_state(node::OnDamage::tell));
  if (!state.unreadable.empty()) return node::needs_root(context);
  TRY_ASSIGN(const auto transactions, context.state().history());
  if (context.arguments().json) {
    output.print(json::history(transactions, state));
  } else {
    output.print(text::history(transactions, output.style()));
    output.print(text::notes(state.notes(), output.style()));
  }
  return state.exit();
}

}  // namespace nettune::cli::commands
