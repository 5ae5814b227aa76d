// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/output.hpp"
#include "measure/evidence.hpp"
#include "measure/forecast.hpp"

/// A comparison for people.
namespace nettune::measure {

std::string text_of_arms(const Evidence& evidence);
/// The number of blocks that the noise requires, and the chances of a result.
std::string text_of_plan(const Evidence& evidence, const Forecast& chances, double seconds);
/// "+5.28 %, 95 % interval +3.69 % to +6.67 % (8 blocks, p 0.00781)"
std::string text_of_estimate(const Judged& judged);
/// "80 s", "7 min", "3 h"
std::string minutes_text(double seconds);
std::string text_of_verdict(const Evidence& evidence, const cli::Style& style);

}  // namespace nettune::measure
