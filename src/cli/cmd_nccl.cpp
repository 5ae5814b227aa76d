// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands.hpp"

namespace nettune::cli {

Result<Exit> cmd_nccl(Context& context, Output& output) {
  const std::string& what = context.arguments().subject;
  if (what == "explain") return cmd_nccl_explain(context, output);
  return fail(Errc::invalid, cat("nettune nccl takes explain, not \"", printable(what),
                                 "\"; see nettune nccl --help"));
}

}  // namespace nettune::cli
