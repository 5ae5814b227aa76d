// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "nccl/cli/nccl_explain.hpp"
#include "nccl/cli/nccl_lint.hpp"

namespace nettune::cli {

namespace {

/// `nettune nccl NAME ...`, each in a file of its own.
struct Sub {
  std::string_view name;
  Result<Exit> (*run)(Invocation&, Output&);
  /// An option of the command line that this one does not have; "" for none.
  std::string_view (*foreign)(const Arguments&);
};

std::string_view foreign_to_lint(const Arguments& arguments) {
  return arguments.expect.empty() ? "" : "--expect";
}

std::string_view foreign_to_explain(const Arguments& arguments) {
  if (!arguments.kind.empty()) return "--as";
  if (arguments.environment) return "--env";
  if (!arguments.profile.empty()) return "--profile";
  if (!arguments.nccl.empty()) return "--nccl";
  if (!arguments.catalog_file.empty()) return "--catalog";
  if (!arguments.facts_file.empty()) return "--facts";
  if (arguments.any_node) return "--any-node";
  return arguments.rootfs.empty() ? "" : "--root";
}

constexpr std::array kSubs = {Sub{"lint", nccl_lint, foreign_to_lint},
                              Sub{"explain", nccl_explain, foreign_to_explain}};

}  // namespace

std::vector<std::string> nccl_commands() {
  std::vector<std::string> names;
  for (const Sub& sub : kSubs) names.emplace_back(sub.name);
  return names;
}

Result<Exit> cmd_nccl(Invocation& context, Output& output) {
  const std::string& name = context.arguments().subject;
  const auto* const found = std::ranges::find(kSubs, name, &Sub::name);
  if (found == kSubs.end())
    return fail(Errc::invalid, cat("nettune nccl has no \"", printable(name), "\"; it has: ",
                                   join(nccl_commands(), ", "), "; see nettune nccl --help"));
  if (const auto option = found->foreign(context.arguments()); !option.empty())
    return fail(Errc::invalid,
                cat(option, " is no option of nettune nccl ", name, "; see nettune nccl --help"));
  return found->run(context, output);
}

}  // namespace nettune::cli
