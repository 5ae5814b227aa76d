// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"
#include "render/template.hpp"
#include "render/values.hpp"

namespace nettune::render {

/// Where a value goes.
struct Spot {
  bool directive = false;  ///< in a line of #SBATCH
  bool one_line = false;   ///< in a comment, or before the colon of YAML
  std::size_t indent = 0;  ///< how far the lines of a YAML block have to stand
};

/// A value as its context reads it back, byte for byte: a word of bash, a scalar of YAML. Errors:
/// what the context has no way to write.
Result<std::string> quoted(Context context, const Value& value, const Spot& spot);

}  // namespace nettune::render
