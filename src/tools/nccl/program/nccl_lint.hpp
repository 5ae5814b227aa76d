// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "nccl/lint.hpp"
#include "node/exit_codes.hpp"
#include "tools/nccl/program/nccl_options.hpp"
#include "tools/nccl/scripts/assignments.hpp"

namespace nettune::tools::nccl::program {

/// What was judged, and for which release.
struct Linted {
  nettune::nccl::Version version;
  std::string version_from;  ///< "--nccl", the path of a library, or why it is none of them
  std::vector<std::string> notes;
  std::vector<nettune::nccl::Finding> findings;
  std::vector<scripts::UnreadLine> unread;  ///< of the files that were named
};

/// Reads what the command line names and judges it. Reads only; needs no privilege.
Result<Linted> lint_nccl(node::Context& context, const NcclOptions& options);
Result<node::Exit> nccl_lint(node::Context& context, const NcclOptions& options,
                             cli::Output& output);

namespace text {
std::string lint(const Linted& linted, const cli::Style& style);
}
namespace json {
std::string lint(const Linted& linted);
}

}  // namespace nettune::tools::nccl::program
