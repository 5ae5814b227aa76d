// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/option_groups.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/planning.hpp"

namespace nettune::cli::commands {

namespace {

struct ShowCommand : GlobalOptions {
  std::string profile;
  bool origin = false;
  bool why = false;

  Options options() {
    return {{"profile", "", "Profile name", &profile, true},
            {"--origin", "", "Show file and line of every value", &origin},
            {"--why", "", "Show the profile's reason for every value", &why}};
  }

  static constexpr auto candidates = profile_first;
  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(profile::Resolved resolved, node::resolve_profile(context, profile));
    if (why) profile::add_reasons(context.disk(), context.profile_sources(), resolved);
    output.print(json ? json::show(resolved) : text::show(resolved, origin, output.style()));
    return resolved.misfits.empty() ? node::Exit::done : node::Exit::refused;
  }
};

}  // namespace

Command show_command() { return make_command<ShowCommand>(); }

}  // namespace nettune::cli::commands
