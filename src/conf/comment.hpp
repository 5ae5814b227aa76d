// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nettune::conf {

/// `heading` as lines that start with '#', which are comments in every format here. Control
/// characters are made visible; an empty heading gives nothing.
std::string comment(std::string_view heading);

}  // namespace nettune::conf
