// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::formats {

/// `heading` as lines that start with '#', which every format here takes for comments. Control
/// characters are made visible; an empty heading gives nothing.
std::string comment(std::string_view heading);

}  // namespace nettune::formats
