// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/command.hpp"

namespace nettune::cli::commands {

namespace {

struct SchemaCommand : GlobalOptions {
  std::string what;

  Options options() { return {{"what", "", "profile (default), or site for site.toml", &what}}; }

  static std::vector<std::string> candidates(node::Context&, std::span<const std::string>) {
    return {"profile", "site"};
  }

  Result<node::Exit> run(node::Context&, Output& output) const {
    if (!what.empty() && what != "profile" && what != "site")
      return fail(Errc::invalid, cat("there is no schema \"", printable(what),
                                     "\"; name profile or site, see nettune schema --help"));
    output.print(what == "site" ? profile::site_schema_json() : profile::schema_json());
    return node::Exit::done;
  }
};

}  // namespace

Command schema_command() { return make_command<SchemaCommand>(); }

}  // namespace nettune::cli::commands
