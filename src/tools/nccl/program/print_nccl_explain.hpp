// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "tools/nccl/log/judge/expect.hpp"

namespace nettune::cli {

/// What `nettune nccl explain` found, before it is told.
struct Explained {
  const std::vector<nccl_log::Cause>& causes;
  const nccl_log::Log& log;
  const nccl_log::Verdict& verdict;
  const std::vector<nccl_log::Outcome>& outcomes;
};

namespace text {
std::string nccl_explain(const Explained& explained, const Style& style);
/// One row for all ranks that are connected alike.
std::string nccl_ranks(const Explained& explained, const Style& style);
/// Who sends to whom by what, one row a rank; for few ranks.
std::string nccl_matrix(const Explained& explained);
}  // namespace text

namespace json {
std::string nccl_explain(const Explained& explained);
}

}  // namespace nettune::cli
