// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/job/ras.hpp"

#include <array>

#include "base/text.hpp"
#include "nccl/log/message_values.hpp"

namespace nettune::nccl_log {

namespace {

constexpr unsigned kMostWithoutAWord = 3;  ///< of others between those of a report
constexpr std::size_t kMostReports = 4;

/// Ranks per communicator of a row of the table; 0 for another line.
std::uint32_t ranks_in_row(std::string_view line) {
  const std::vector<std::string_view> cells = words(line);
  if (cells.size() < 7) return 0;
  std::array<std::uint32_t, 6> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Cursor at(cells[i]);
    if (!at.number(numbers[i]) || !at.at_end()) return 0;
  }
  return numbers[4] <= kMostRanks && numbers[4] <= numbers[5] ? numbers[4] : 0;
}

}  // namespace

void RasReport::take(std::string_view line, Log& log) {
  constexpr unsigned kMostNamed = 8;
  static constexpr std::string_view kDiffer = "Communicator ranks have different ";
  if (line.find("Group     Comms     Nodes") != line.npos) {
    left_ = kMostWithoutAWord;
    counts_ = false;
    return;
  }
  if (const auto at = line.find(kDiffer); at != line.npos) {
    if (log.ras.size() == kMostReports) return;
    log.ras.emplace_back(trim(line.substr(at)));
    left_ = kMostWithoutAWord;
    counts_ = true;
    named_ = 0;
    return;
  }
  if (left_ == 0) return;
  --left_;
  if (!counts_) {
    if (const std::uint32_t ranks = ranks_in_row(line); ranks != 0) {
      log.sizes.insert(ranks);
      left_ = kMostWithoutAWord;
    }
    return;
  }
  const std::string_view text = trim(line);
  const bool is_count = text.find(" launched up to operation ") != text.npos;
  const bool is_rank = text.starts_with("Rank ") && text.find(" managed by process ") != text.npos;
  if (!is_count && !is_rank) return;
  left_ = kMostWithoutAWord;
  if (is_rank && ++named_ > kMostNamed) return;
  log.ras.back() += cat("; ", text);
}

}  // namespace nettune::nccl_log
