// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "tools/nccl/log/judge/expect.hpp"

namespace nettune::tools::nccl::program {

/// What `nettune nccl explain` found, before it is told.
struct Explained {
  const std::vector<log::Cause>& causes;
  const log::Log& log;
  const log::judge::Verdict& verdict;
  const std::vector<log::judge::Outcome>& outcomes;
};

namespace text {
std::string nccl_explain(const Explained& explained, const cli::Style& style);
/// One row for all ranks that are connected alike.
std::string nccl_ranks(const Explained& explained, const cli::Style& style);
/// Who sends to whom by what, one row a rank; for few ranks.
std::string nccl_matrix(const Explained& explained);
}  // namespace text

namespace json {
std::string nccl_explain(const Explained& explained);
}

}  // namespace nettune::tools::nccl::program
