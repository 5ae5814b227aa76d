// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"
#include "tools/render/template.hpp"
#include "tools/render/values.hpp"

namespace nettune::tools::render {

/// Quotes a value so that its context reads it back byte for byte: a word of bash, a scalar of
/// YAML. Errors: a value that the context cannot express. In a comment it is made printable, not
/// quoted. `indent` is that of the lines of a YAML block.
Result<std::string> quoted(Context context, const Value& value, Where where, std::size_t indent);

}  // namespace nettune::tools::render
