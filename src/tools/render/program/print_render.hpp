// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "tools/render/render.hpp"
#include "tools/render/verify.hpp"

namespace nettune::tools::render::program {

/// A template in --list. If it is broken, `summary` says why.
struct ListedTemplate {
  std::string kind;
  std::string summary;
  bool broken = false;
  std::vector<std::string> takes;  ///< options for clusters
};

/// A rendered file.
struct Made {
  std::string kind;
  std::string path;  ///< of the template
  std::string digest;
  std::string file;  ///< the written file; "" for standard output
  Rendered rendered;
};

namespace text {
std::string templates(const std::vector<ListedTemplate>& all, const cli::Style& style);
std::string template_names(const cli::Style& style);
std::string explained(const Made& made, const cli::Style& style);
/// The failed checks with their remedies; with `all`, all checks.
std::string verified(const Meeting& meeting, const std::vector<render::Check>& checks, bool all,
                     const cli::Style& style);
}  // namespace text

namespace json {
std::string templates(const std::vector<ListedTemplate>& all);
std::string made(const Made& made);
std::string verified(const std::string& kind, const Meeting& meeting,
                     const std::vector<render::Check>& checks);
}  // namespace json

}  // namespace nettune::tools::render::program
