// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "tools/doctor/baseline.hpp"

namespace nettune::tools::doctor::program {

/// One JSON document (docs/schema/doctor-baseline.schema.json).
std::string baseline_text(const Baseline& baseline, const std::string& node);
Result<Baseline> parse_baseline(std::string_view text, const std::string& file);

}  // namespace nettune::tools::doctor::program
