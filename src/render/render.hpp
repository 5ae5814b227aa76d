// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "render/template.hpp"
#include "render/values.hpp"

namespace nettune::render {

/// A value that went into a text.
struct Use {
  std::string name;
  Value value;
};

struct Rendered {
  std::string text;
  std::vector<Use> uses;  ///< in order, each once
};

/// SHA-256 over the template's files and all inputs.
std::string digest_of(const Template& form, const Inputs& inputs);

/// The text: a function of its arguments. Errors carry the template's file and line: a value that
/// was not given, or one that the context has no way to write.
Result<Rendered> render(const Template& form, const Inputs& inputs);

/// True where the template looks at one of these names, in whatever branch.
bool uses_any(const Template& form, const std::vector<std::string>& names);

}  // namespace nettune::render
