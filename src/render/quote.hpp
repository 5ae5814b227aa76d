// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/result.hpp"
#include "render/template.hpp"
#include "render/values.hpp"

namespace nettune::render {

/// A value as its context reads it back, byte for byte: a word of bash, a scalar of YAML. Errors:
/// what the context has no way to write. In a comment it is made printable and not quoted. `indent`
/// is how far the lines of a YAML block have to stand.
Result<std::string> quoted(Context context, const Value& value, Where where, std::size_t indent);

}  // namespace nettune::render
