// SPDX-License-Identifier: Apache-2.0
#include "nccl/policy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/text.hpp"
#include "nccl/values.hpp"
#include "nccl/word_values.hpp"

namespace nettune::nccl {
namespace {

/// NCCL_CTA_POLICY has names (src/init.cc).
constexpr Version kPolicyNames{2, 29, 2};

/// The number of a policy that is written as a name or a number; nothing for other texts.
std::optional<std::int64_t> policy_of(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kNames = {"default", "efficiency", "zero"};
  const auto named = std::ranges::find(kNames, lower(text));
  if (named != kNames.end()) return named - kNames.begin();
  const Number number = read_number(text);
  if (number.used == 0 || number.used < text.size() || number.overflow) return {};
  return number.value;
}

}  // namespace

Judgement judge_policy(const Variable& variable, std::string_view text, const Version& version) {
  const bool digit = text[0] >= '0' && text[0] <= '9';
  const bool knows_names = version >= kPolicyNames;
  const auto is_known = [&](std::int64_t value) {
    return judge_word(variable, cat(value), version, "").level == Level::ok;
  };
  const auto policy = policy_of(text);
  std::string instead = policy && is_known(*policy)
                            ? cat(variable.name, "=", *policy)
                            : cat("one of ", known_words(variable, version));
  if (knows_names && digit) {
    const std::int64_t value = text[0] - '0';
    if (!is_known(value) || text.size() == 1)
      return judge_word(variable, text.substr(0, 1), version, variable.wrong);
    return misread(cat("only the first digit is read: this is ", value), std::move(instead));
  }
  if (knows_names) {
    for (const std::string_view word : split(text, variable.separator))
      if (!word.empty() && word[0] >= '0' && word[0] <= '9')
        return misread(cat("\"", printable(word), "\" is not known in a list: ", variable.wrong),
                       "names with '|' between them");
    return judge_list(variable, text, version, variable.wrong);
  }
  const Number number = read_number(text);
  if (number.overflow)
    return misread("the number is too large for 64 bits: it is not used", std::move(instead));
  const bool as_meant = policy == number.value;
  if (as_meant && number.used > 0 && is_known(number.value)) return {};
  const std::string reads = "this release reads a number with strtoll: this is ";
  constexpr std::string_view kOverrides = "0 (DEFAULT), which overrides the program's own policy";
  if (as_meant && number.used == 0)
    return {Verdict::advice, Level::note, cat(reads, kOverrides), "", ""};
  if (!is_known(number.value))
    return misread(
        cat(number.value, " is not known in ", version.text(), ": NCCL uses ", kOverrides),
        std::move(instead));
  return misread(number.value == 0 ? cat(reads, kOverrides) : cat(reads, number.value),
                 std::move(instead));
}

}  // namespace nettune::nccl
