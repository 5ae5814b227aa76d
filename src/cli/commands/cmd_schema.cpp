// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands/commands.hpp"

namespace nettune::cli::commands {

Result<node::Exit> cmd_schema(Invocation& context, Output& output) {
  const std::string& what = context.arguments().subject;
  if (!what.empty() && what != "profile" && what != "site")
    return fail(Errc::invalid, cat("there is no schema \"", printable(what),
                                   "\"; name profile or site, see nettune schema --help"));
  output.print(what == "site" ? profile::site_schema_json() : profile::schema_json());
  return node::Exit::done;
}

}  // namespace nettune::cli::commands
