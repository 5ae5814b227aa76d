// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/planning.hpp"

namespace nettune::cli::commands {

Result<node::Exit> cmd_show(Invocation& context, Output& output) {
  const Arguments& arguments = context.arguments();
  TRY_ASSIGN(profile::Resolved resolved, node::resolve_profile(context, arguments.subject));
  if (arguments.reasons) profile::add_reasons(context.disk(), context.profile_sources(), resolved);
  output.print(arguments.json ? json::show(resolved)
                              : text::show(resolved, arguments.origin, output.style()));
  return resolved.misfits.empty() ? node::Exit::done : node::Exit::refused;
}

}  // namespace nettune::cli::commands
