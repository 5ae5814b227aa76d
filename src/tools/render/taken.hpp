// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/render/inputs.hpp"
#include "tools/render/template.hpp"

namespace nettune::tools::render {

/// The options for clusters that a template makes use of: "--time", "--mem".
std::vector<std::string> taken_options(const Template& form);

/// Errors: an option that the template makes no use of, with the reason; a volume where only
/// directories can be mounted; a blank in a mount of enroot.
Result<> check_taken(const Template& form, const Request& request);

}  // namespace nettune::tools::render
