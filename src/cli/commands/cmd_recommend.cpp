// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/planning.hpp"

namespace nettune::cli::commands {

Result<node::Exit> cmd_recommend(Invocation& context, Output& output) {
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  const std::vector<node::Match> matches = node::match_profiles(context, *facts);
  output.print(context.arguments().json
                   ? json::recommend(matches)
                   : text::recommend(matches, facts->node.hostname, output.style()));
  const bool any = !matches.empty() && matches.front().matches && matches.front().cautions.empty();
  return any ? node::Exit::done : node::Exit::refused;
}

}  // namespace nettune::cli::commands
