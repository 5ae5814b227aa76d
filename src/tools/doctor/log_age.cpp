// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/log_age.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::tools::doctor {
namespace {

constexpr double kMinute_s = 60;
constexpr double kHour_s = 3600;

/// "3 h", "5 days".
std::string duration_text(double seconds) {
  constexpr int kDay_h = 24;
  const int hours = static_cast<int>(seconds / kHour_s);
  if (hours == 0) return cat(static_cast<int>(seconds / kMinute_s), " min");
  return hours < 2 * kDay_h ? cat(hours, " h") : cat(hours / kDay_h, " days");
}

}  // namespace

LogAges::LogAges(const KernelLog& log) : now_s_(log.now_s), is_now_(log.now_s.has_value()) {
  if (now_s_) return;
  for (const LogLine& line : log.lines)
    if (line.at_s) now_s_ = std::max(now_s_.value_or(*line.at_s), *line.at_s);
}

double LogAges::age_s(const LogLine& line) const {
  return line.at_s && now_s_ ? *now_s_ - *line.at_s : 0;
}

bool LogAges::is_older(const LogLine& line, std::int64_t hours) const {
  return hours > 0 && age_s(line) > static_cast<double>(hours) * kHour_s;
}

std::string LogAges::text(const LogLine& line) const {
  const double age = age_s(line);
  if (age < kMinute_s) return {};
  return cat(" (", duration_text(age), is_now_ ? " ago)" : " before the end of the log)");
}

}  // namespace nettune::tools::doctor
