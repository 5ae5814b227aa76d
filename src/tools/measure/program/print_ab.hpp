// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "tools/measure/evidence.hpp"
#include "tools/measure/forecast.hpp"

/// A comparison for people.
namespace nettune::tools::measure::program {

std::string text_of_arms(const Evidence& evidence);
/// The seed, and what a difference means.
std::string text_of_rule(const Evidence& evidence);
/// The number of blocks that the noise requires, and the chances of a result.
std::string text_of_plan(const Evidence& evidence, const Forecast& chances, double seconds);
/// "+5.28 %, 95 % interval +3.69 % to +6.67 % (8 blocks, p 0.00781)"
std::string text_of_estimate(const Judged& judged);
/// "80 s", "7 min", "3 h"
std::string minutes_text(double seconds);
/// "[--|-*-]": the interval, with 0 and the estimate, in at most `width` columns.
std::string drawn(const Interval& interval, std::size_t width);
std::string text_of_verdict(const Evidence& evidence, const cli::Style& style);
/// How often A and B failed; "" if they did not, or the first failure ended it.
std::string text_of_failures(const Evidence& evidence);
/// The notes, without those that were `said` before.
std::string text_of_notes(const std::vector<std::string>& notes,
                          const std::vector<std::string>& said = {});

}  // namespace nettune::tools::measure::program
