// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/planning.hpp"

namespace nettune::cli {

Result<Exit> cmd_facts(Invocation& context, Output& output) {
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  if (!context.arguments().json) {
    output.print(text::facts(*facts, output.style()));
    return Exit::done;
  }
  // Wrong values must not hide the devices.
  output.print(json::facts(*facts, record_values(context, *facts).value_or(RecordedValues())));
  return Exit::done;
}

}  // namespace nettune::cli
