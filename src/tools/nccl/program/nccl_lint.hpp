// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "tools/nccl/program/nccl_options.hpp"
#include "nccl/lint.hpp"
#include "node/exit_codes.hpp"

namespace nettune::cli {

/// What was judged, and for which release.
struct Linted {
  nccl::Version version;
  std::string version_from;  ///< "--nccl", the path of a library, or why it is none of them
  std::vector<std::string> notes;
  std::vector<nccl::Finding> findings;
  std::vector<nccl::Unread> unread;  ///< of the files that were named
};

/// Reads what the command line names and judges it. Reads only; needs no privilege.
Result<Linted> lint_nccl(Context& context, const NcclOptions& options);
Result<Exit> nccl_lint(Context& context, const NcclOptions& options, Output& output);

namespace text {
std::string lint(const Linted& linted, const Style& style);
}
namespace json {
std::string lint(const Linted& linted);
}

}  // namespace nettune::cli
