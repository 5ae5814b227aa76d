// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "tools/nccl/log/judge/expect.hpp"
#include "tools/nccl/log/judge/report.hpp"

namespace nettune::tools::nccl::program {

/// What `nettune nccl explain` found, before it is told.
struct Explained {
  const std::vector<log::Cause>& causes;
  const log::Log& log;
  const log::judge::Verdict& verdict;
  const std::vector<log::judge::Outcome>& outcomes;
  log::judge::Report report;
};

namespace text {
/// One screen; with `all` every table, and what became of each thing that went wrong.
std::string nccl_explain(const Explained& explained, const cli::Style& style, bool all);
/// One row for all ranks that are connected alike.
std::string nccl_ranks(const Explained& explained, const cli::Style& style);
/// Who sends to whom by what, one row a rank; for few ranks.
std::string nccl_matrix(const Explained& explained);
}  // namespace text

namespace json {
std::string nccl_explain(const Explained& explained);
}

}  // namespace nettune::tools::nccl::program
