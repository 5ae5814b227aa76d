// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/option_groups.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/write_access.hpp"

namespace nettune::cli::commands {

namespace {

struct HistoryCommand : GlobalOptions {
  Options options() { return {root_option(*this)}; }
  Result<> take() { return check_root(*this, false); }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(const node::StateView state, context.look_at_state(node::OnDamage::tell));
    if (!state.unreadable.empty()) return node::needs_root(context);
    TRY_ASSIGN(const auto transactions, context.state().history());
    if (json) {
      output.print(json::history(transactions, state));
    } else {
      output.print(text::history(transactions, output.style()));
      output.print(text::notes(state.notes(), output.style()));
    }
    return state.exit();
  }
};

}  // namespace

Command history_command() { return make_command<HistoryCommand>(); }

}  // namespace nettune::cli::commands
