// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/nccl_lint.hpp"

namespace nettune::cli {

namespace {

/// `nettune nccl NAME ...`, each in a file of its own.
struct Sub {
  std::string_view name;
  Result<Exit> (*run)(Context&, Output&);
};
constexpr std::array kSubs = {Sub{"lint", nccl_lint}};

}  // namespace

std::vector<std::string> nccl_commands() {
  std::vector<std::string> names;
  for (const Sub& sub : kSubs) names.emplace_back(sub.name);
  return names;
}

Result<Exit> cmd_nccl(Context& context, Output& output) {
  const std::string& name = context.arguments().subject;
  const auto* const found = std::ranges::find(kSubs, name, &Sub::name);
  if (found != kSubs.end()) return found->run(context, output);
  return fail(Errc::invalid, cat("nettune nccl has no \"", printable(name), "\"; it has: ",
                                 join(nccl_commands(), ", "), "; see nettune nccl --help"));
}

}  // namespace nettune::cli
