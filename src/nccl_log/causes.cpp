// SPDX-License-Identifier: Apache-2.0
#include "nccl_log/causes.hpp"

#include <algorithm>

namespace nettune::nccl_log {

std::uint32_t find_cause(const std::vector<Cause>& causes, std::string_view message) {
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const auto stands = [&](const std::string& text) {
      return message.find(text) != std::string_view::npos;
    };
    if (std::all_of(causes[i].all.begin(), causes[i].all.end(), stands))
      return static_cast<std::uint32_t>(i);
  }
  return UINT32_MAX;
}

}  // namespace nettune::nccl_log
