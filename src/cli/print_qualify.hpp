// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/output.hpp"
#include "node/qualify/qualify.hpp"

namespace nettune::cli::text {

/// What was tried, with which result, and whether the device is as before.
std::string qualified(const node::qualify::Qualified& qualified, const Style& style);

}  // namespace nettune::cli::text
