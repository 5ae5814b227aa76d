// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/program_main.hpp"
#include "nccl/finding.hpp"
#include "nccl/lint.hpp"
#include "tools/nccl/scripts/places.hpp"
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

/// The line of `nettune env --explain VAR`; nettune itself has refused what does not go with it.
struct ExplainOptions : GlobalOptions {
  std::string name;          ///< --explain: the variable
  std::string nccl;          ///< a release, or the path of a library
  std::string catalog_file;  ///< "" for the one that is installed
};

/// Reads into `options`, which live as long.
Program explain_program(ExplainOptions& options);

/// Collects the data. Only reads; reports files that are closed without root.
Result<ExplainedVariable> explain_variable(Context& context, const ExplainOptions& options);

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
