// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"

namespace nettune::cli {

Result<Exit> cmd_facts(Invocation& context, Output& output) {
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  output.print(context.arguments().json ? json::facts(*facts)
                                        : text::facts(*facts, output.style()));
  return Exit::done;
}

}  // namespace nettune::cli
