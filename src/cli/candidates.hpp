// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "node/context.hpp"

/// The candidates of shell completion.
namespace nettune::cli {

/// The candidates that begin with `last`, one a line.
std::string completions(std::span<const std::string> candidates, std::string_view last);

std::vector<std::string> profile_names(node::Context& context);

}  // namespace nettune::cli
