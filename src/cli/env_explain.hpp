// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/invocation.hpp"
#include "cli/output.hpp"
#include "nccl/lint/finding.hpp"
#include "nccl/lint/lint.hpp"
#include "nccl/lint/places.hpp"
#include "node/exit_codes.hpp"
#include "node/nccl_job.hpp"

namespace nettune::cli {

/// Who sets a variable on this node, who wins, and what NCCL makes of it.
struct ExplainedVariable {
  std::string name;
  ChosenVersion nccl;
  bool is_known = false;     ///< in the catalogue
  std::string default_text;  ///< NCCL's default; "" if unknown
  std::vector<nccl::Judgement> of_the_name;
  std::vector<std::size_t> places;  ///< into all.all; the strongest first
  nccl::NodePlaces all;
  std::vector<nccl::Outcome> outcomes;
  std::vector<nccl::Finding> findings;  ///< for the winning values
};

/// Collects the data of `--explain VAR`. Only reads; reports files that are closed without root.
Result<ExplainedVariable> explain_variable(Invocation& context, const std::string& name);
/// The command.
Result<Exit> explain_variable(Invocation& context, Output& output);

/// "a login shell", "login".
std::string start_text(nccl::Start start);
std::string_view start_word(nccl::Start start);
/// Influences that no file of the node shows.
std::vector<std::string> not_seen(const ExplainedVariable& explained);

namespace text {
std::string explained(const ExplainedVariable& explained, const Style& style);
}
namespace json {
std::string explained(const ExplainedVariable& explained);
}

}  // namespace nettune::cli
