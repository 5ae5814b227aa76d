// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/render/template.hpp"
#include "tools/render/values.hpp"

namespace nettune::tools::render {

/// A value that was used in a text.
struct Use {
  std::string name;
  Value value;
};

struct Rendered {
  std::string text;
  std::vector<Use> uses;  ///< in order, without repeats
};

/// SHA-256 over the template's files and all inputs.
std::string digest_of(const Template& form, const Inputs& inputs);

/// Renders the text, which depends only on the arguments. Errors have the template's file and line:
/// a value that was not given, or that the context cannot express.
Result<Rendered> render(const Template& form, const Inputs& inputs);

/// Whether the template uses one of these names, in any branch.
bool uses_any(const Template& form, const std::vector<std::string>& names);

}  // namespace nettune::tools::render
