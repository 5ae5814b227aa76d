// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

namespace nettune::cli {

Result<Exit> cmd_schema(Invocation&, Output& output) {
  std::string schema = profile::schema_json();
  if (!schema.ends_with('\n')) schema += '\n';
  output.print(schema);
  return Exit::done;
}

}  // namespace nettune::cli
