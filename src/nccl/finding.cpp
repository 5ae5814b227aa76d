// SPDX-License-Identifier: Apache-2.0
#include "nccl/finding.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace nettune::nccl {

Judgement misread(std::string why, std::string instead) {
  return {Verdict::misread, Level::error, std::move(why), std::move(instead), {}};
}

std::string_view verdict_word(Verdict verdict) {
  static constexpr std::array<std::string_view, 11> kWords = {
      "ok",       "advice",           "unknown_name",     "not_in_version",
      "misread",  "out_of_range",     "not_on_this_link", "defeated",
      "conflict", "not_on_this_node", "unsettled"};
  return kWords.at(static_cast<std::size_t>(verdict));
}

std::string_view level_word(Level level) { return kLevels.word(level); }

}  // namespace nettune::nccl
