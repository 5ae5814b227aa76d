// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/program_main.hpp"
#include "nccl/finding.hpp"
#include "nccl/lint.hpp"
#include "node/nccl_job.hpp"
#include "tools/nccl/scripts/effective_value.hpp"

namespace nettune::tools::nccl::program {

/// Who sets a variable on this node, who wins, and what NCCL makes of it.
struct ExplainedVariable {
  std::string name;
  node::ChosenVersion nccl;
  bool is_known = false;     ///< in the catalogue
  std::string default_text;  ///< NCCL's default; "" if unknown
  std::vector<nettune::nccl::Judgement> of_the_name;
  std::vector<std::size_t> places;  ///< into all.all; the strongest first
  scripts::NodePlaces all;
  std::vector<scripts::EffectiveValue> outcomes;
  std::vector<nettune::nccl::Finding> findings;  ///< for the winning values
};

/// The line of `nettune env --explain VAR`; nettune itself has refused what does not go with it.
struct ExplainOptions : cli::GlobalOptions {
  std::string name;          ///< --explain: the variable
  std::string nccl;          ///< a release, or the path of a library
  std::string catalog_file;  ///< "" for the one that is installed
};

/// Reads into `options`, which live as long.
cli::Command explain_program(ExplainOptions& options);

/// Collects the data. Only reads; reports files that are closed without root.
Result<ExplainedVariable> explain_variable(node::Context& context, const ExplainOptions& options);

/// "a login shell", "login".
std::string start_text(scripts::Start start);
std::string_view start_word(scripts::Start start);
/// Influences that no file of the node shows.
std::vector<std::string> not_seen(const ExplainedVariable& explained);

namespace text {
std::string explained(const ExplainedVariable& explained, const cli::Style& style);
}
namespace json {
std::string explained(const ExplainedVariable& explained);
}

}  // namespace nettune::tools::nccl::program
