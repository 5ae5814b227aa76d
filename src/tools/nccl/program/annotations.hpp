// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "nccl/finding.hpp"

namespace nettune::tools::nccl::program {

/// What a machine that runs checks on changes shows beside a line.
struct Annotation {
  nettune::nccl::Level level = nettune::nccl::Level::note;
  std::string rule;      ///< "misread"
  std::string file;      ///< as it was named
  std::size_t line = 0;  ///< 0 for the whole file
  std::string text;
};

/// --format: Errc::invalid for another word than "", "github" and "sarif".
Result<> check_format(const std::string& format);

/// In the form that `format` names: workflow commands of GitHub (actions/toolkit, packages/core,
/// command.ts), or SARIF 2.1.0 (OASIS). What is only good is not in `annotations`.
std::string annotations_text(const std::string& format, const std::vector<Annotation>& annotations);

}  // namespace nettune::tools::nccl::program
