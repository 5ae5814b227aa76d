// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/commands/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/planning.hpp"

namespace nettune::cli::commands {

Result<node::Exit> cmd_list(Invocation& context, Output& output) {
  // If this node cannot be read, the list is printed without the matches.
  const auto facts = context.facts();
  std::vector<node::Match> matches;
  if (facts) {
    matches = node::match_profiles(context, **facts);
  } else {
    for (profile::Listed& listed : profile::list(context.disk(), context.profile_sources()))
      matches.emplace_back().listed = std::move(listed);
  }
  std::ranges::sort(matches, {}, [](const node::Match& match) { return match.listed.name; });
  output.print(context.arguments().json ? json::list(matches, facts.has_value())
                                        : text::list(matches, facts.has_value(), output.style()));
  return node::Exit::done;
}

}  // namespace nettune::cli::commands
