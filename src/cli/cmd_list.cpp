// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"

namespace nettune::cli {

Result<Exit> cmd_list(Invocation& context, Output& output) {
  const auto profiles = profile::list(context.disk(), context.profile_sources());
  output.print(context.arguments().json ? json::list(profiles)
                                        : text::list(profiles, output.style()));
  return Exit::done;
}

}  // namespace nettune::cli
