// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/voice.hpp"

#include <algorithm>

#include "nccl/log/cursor.hpp"

namespace nettune::nccl_log {

namespace {

constexpr std::size_t kLongestFront = 160;

/// The number behind `word`, where `end` follows.
std::optional<std::uint32_t> number_between(std::string_view text, std::string_view word,
                                            std::string_view end) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    Cursor behind(text.substr(at + word.size()));
    const auto number = behind.number();
    if (number && behind.skip(end)) return number;
  }
  return {};
}

}  // namespace

std::optional<std::uint32_t> rank_in_front(std::string_view line) {
  const std::string_view front = line.substr(0, kLongestFront);
  if (const auto rank = number_between(front, "[rank", "]")) return rank;
  if (const auto rank = number_between(front, "[1,", "]<std")) return rank;
  Cursor at(front.substr(
      front.find_first_not_of(' ') == front.npos ? front.size() : front.find_first_not_of(' ')));
  const auto rank = at.number();
  return rank && at.skip(": ") ? rank : std::nullopt;
}

std::optional<std::uint32_t> rank_in_group(std::string_view line) {
  if (line.find("ProcessGroupNCCL") == line.npos && line.find("atchdog") == line.npos) return {};
  constexpr std::string_view kWord = "Rank ";
  for (auto at = line.find(kWord); at != line.npos; at = line.find(kWord, at + 1)) {
    if (at != 0 && line[at - 1] != '[' && line[at - 1] != ' ') continue;
    Cursor behind(line.substr(at + kWord.size()));
    const auto rank = behind.number();
    if (rank && behind.skip("]")) return rank;
  }
  return {};
}

std::string_view without_plain_label(std::string_view line) {
  const auto begin = line.find_first_not_of(' ');
  Cursor at(line.substr(std::min(begin, line.size())));
  return at.number() && at.skip(": ") ? at.rest() : line;
}

std::uint64_t voice_of(std::string_view line) {
  constexpr std::uint64_t kOfRank = std::uint64_t{1} << 32U;
  constexpr std::uint64_t kOfPid = std::uint64_t{2} << 32U;
  if (const auto rank = rank_in_front(line)) return kOfRank | *rank;
  const std::string_view front = line.substr(0, kLongestFront);
  const auto pid = front.find(" pid=");
  if (pid == front.npos) return 0;
  const auto number = Cursor(front.substr(pid + 5)).number();
  return number ? kOfPid | *number : 0;
}

std::string_view without_front(std::string_view line, std::string_view front) {
  if (line.size() < front.size()) return line;
  for (std::size_t i = 0; i < front.size(); ++i)
    if (line[i] != front[i] && !(is_digit(line[i]) && is_digit(front[i]))) return line;
  return line.substr(front.size());
}

}  // namespace nettune::nccl_log
