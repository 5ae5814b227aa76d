// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/planning.hpp"

namespace nettune::cli {

Result<Exit> cmd_status(Invocation& context, Output& output) {
  TRY_ASSIGN(StateView state, context.look_at_state(OnDamage::tell));
  state.volatile_reason = volatile_file_system(context.state().directory());
  const auto moved =
      state.active ? moved_sources(context.disk(), *state.active) : std::vector<std::string>();
  output.print(context.arguments().json ? json::status(state, moved)
                                        : text::status(state, moved, output.style()));
  return worse(state.exit(), state.unreadable.empty() ? Exit::done : Exit::not_permitted);
}

}  // namespace nettune::cli
