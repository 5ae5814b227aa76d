// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.hpp"

/// Limits of what any job has. A number beyond them is in another unit, or the file is damaged:
/// advice from it would look right and be wrong. The errors name the value and both readings.
namespace nettune::tools::advise {

inline constexpr double kLongest_s = 86400;
inline constexpr double kShortest_s = 1e-12;
inline constexpr double kLargestBytes = 1e15;

enum class TimeUnit { seconds, milliseconds, microseconds, nanoseconds };

/// `number` of `unit`, in seconds. `what` is its name in the file. Errors: invalid for less than
/// zero, more than a day, and what is not zero and less than a picosecond.
Result<double> plausible_time(std::string_view what, double number, TimeUnit unit);

/// Errors: invalid for less than zero, a part of one byte, or more than 1 PB.
Result<double> plausible_bytes(std::string_view what, double bytes);

/// Errors: invalid for what is not a whole number from 0 to a million.
Result<int> plausible_ranks(std::string_view what, double number);

/// Parses "102M", "1.4G" or "46758048" bytes: prefixes are decimal, as for parameters, or Ki, Mi,
/// Gi. Errors: invalid for anything else, for more than 1 PB, and for few bytes without a prefix:
/// "7B" may be meant as seven billion parameters.
Result<double> parse_bytes(std::string_view text);

}  // namespace nettune::tools::advise
