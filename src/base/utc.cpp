// SPDX-License-Identifier: Apache-2.0
#include "base/utc.hpp"

#include <ctime>

namespace nettune::inline base {

std::string utc_text(std::int64_t seconds) {
  const auto moment = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char buffer[40];
  if (seconds <= 0 || !::gmtime_r(&moment, &parts)) return {};
  return {buffer, std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace nettune::inline base
