// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/option_groups.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/planning.hpp"

namespace nettune::cli::commands {

namespace {

struct RecommendCommand : GlobalOptions {
  Options options() {
    return {{"--facts", "FILE", "For a recorded node (nettune facts --json)", &facts_file}};
  }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(const facts::Facts* const facts, context.facts());
    const std::vector<node::Match> matches = node::match_profiles(context, *facts);
    output.print(
        json ? json::recommend(matches)
             : text::recommend(matches, facts->node.hostname, {true, verbose > 0}, output.style()));
    const bool any =
        !matches.empty() && matches.front().matches && matches.front().cautions.empty();
    return any ? node::Exit::done : node::Exit::refused;
  }
};

}  // namespace

Command recommend_command() { return make_command<RecommendCommand>(); }

}  // namespace nettune::cli::commands
