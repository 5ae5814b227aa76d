// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/command.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/planning.hpp"

namespace nettune::cli::commands {

namespace {

struct ListCommand : GlobalOptions {
  Result<node::Exit> run(node::Context& context, Output& output) const {
    // If this node cannot be read, the list is printed without the matches.
    const auto facts = context.facts();
    std::vector<node::Match> matches;
    if (facts) {
      matches = node::match_profiles(context, **facts);
    } else {
      for (profile::Listed& listed : profile::list(context.disk(), context.profile_sources()))
        matches.emplace_back().listed = std::move(listed);
    }
    if (!json) {
      output.print(text::list(matches, {facts.has_value(), verbose > 0}, output.style()));
      return node::Exit::done;
    }
    std::ranges::sort(matches, {}, [](const node::Match& match) { return match.listed.name; });
    output.print(json::list(matches, facts.has_value()));
    return node::Exit::done;
  }
};

}  // namespace

Command list_command() { return make_command<ListCommand>(); }

}  // namespace nettune::cli::commands
