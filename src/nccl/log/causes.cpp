// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/causes.hpp"

#include <algorithm>

namespace nettune::nccl_log {

std::uint32_t find_cause(const std::vector<Cause>& causes, Cause::By by, std::string_view message,
                         std::string_view place) {
  const auto stands = [&](const std::string& text) {
    return message.find(text) != std::string_view::npos;
  };
  const auto is_said = [&](const std::vector<std::string>& texts) {
    return std::all_of(texts.begin(), texts.end(), stands);
  };
  for (std::size_t i = 0; i < causes.size(); ++i)
    if (causes[i].by == by && place.find(causes[i].at) != std::string_view::npos &&
        std::any_of(causes[i].any.begin(), causes[i].any.end(), is_said))
      return static_cast<std::uint32_t>(i);
  return UINT32_MAX;
}

}  // namespace nettune::nccl_log
