// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/group_line.hpp"

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

/// What follows the "[" of "[E429 13:55:49 ProcessGroupNCCL.cpp:1743]"; "" where there is none.
std::string_view front_of_group_line(std::string_view line) {
  const auto file = line.find("ProcessGroupNCCL.cpp:");
  const auto bracket = file == line.npos ? file : line.substr(0, file).rfind('[');
  return bracket == line.npos ? std::string_view() : line.substr(bracket + 1, file - bracket);
}

/// The value behind `word` in a fingerprint of a call: "OpType=BROADCAST, ".
std::string_view fingerprint_value(std::string_view text, std::string_view word) {
  const auto at = text.find(word);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + word.size());
  if (rest.starts_with('[')) return rest.substr(0, rest.find(']') + 1);
  const auto end = rest.find_first_of(",)");
  return end == rest.npos ? std::string_view() : rest.substr(0, end);
}

}  // namespace

std::uint32_t clock_of_group_line(std::string_view line) {
  const std::string_view front = front_of_group_line(line);
  if (front.empty()) return 0;
  Cursor at(front.substr(1));
  std::uint32_t clock = at.number().value_or(0);
  if (clock < 101 || clock > 1231) return 0;
  for (const std::string_view before : {" ", ":", ":"}) {
    const auto part = at.skip(before) ? at.number() : std::nullopt;
    if (!part || *part > 59) return 0;
    clock = clock * 100 + *part;
  }
  return clock;
}

std::string same_call_difference(std::string_view line) {
  static constexpr std::string_view kRank = "Rank ";
  static constexpr std::string_view kPrint = " is running collective: CollectiveFingerPrint(";
  const auto first = line.find(kPrint);
  const auto second = first == line.npos ? first : line.find(kPrint, first + kPrint.size());
  if (second == line.npos) return {};
  const std::string_view one = line.substr(first, second - first);
  const std::string_view other = line.substr(second);
  for (const std::string_view word : {"SequenceNumber=", "OpType="}) {
    const auto value = fingerprint_value(one, word);
    if (value.empty() || value != fingerprint_value(other, word)) return {};
  }
  const auto rank_before = [&](std::size_t at) {
    const auto begin = line.rfind(kRank, at);
    return begin == line.npos ? std::string_view() : line.substr(begin + 5, at - begin - 5);
  };
  for (const std::string_view word : {"TensorShape=", "TensorDtypes="}) {
    const auto value = fingerprint_value(one, word);
    const auto others = fingerprint_value(other, word);
    if (!value.empty() && !others.empty() && value != others)
      return cat("rank ", rank_before(first), ": ", word, value, "; rank ", rank_before(second),
                 ": ", word, others);
  }
  return {};
}

}  // namespace nettune::tools::nccl::log::job
