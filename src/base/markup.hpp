// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::inline base {

/// A text for HTML and SVG, between tags and in quoted attributes. Control characters,
/// bidirectional marks and malformed UTF-8 are made visible.
std::string escaped(std::string_view text);

}  // namespace nettune::inline base
