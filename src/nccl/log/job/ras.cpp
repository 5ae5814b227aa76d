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
  // Ranks that did not answer are not counted in the group.
  const bool is_whole = numbers[4] <= numbers[5] || line.find(" INCOMPLETE") != line.npos;
  return numbers[4] <= kMostRanks && is_whole ? numbers[4] : 0;
}

/// What begins a finding of the report; "" for another line.
std::string_view finding_in(std::string_view line) {
  line = trim(line);
  const bool is_one = line.starts_with("Communicator ranks have different ") ||
                      line.starts_with("Missing communicator data from ") ||
                      line.ends_with(" considered dead (unreachable via the RAS network)");
  return is_one ? line : std::string_view();
}

}  // namespace

void RasReport::take(std::string_view line, Log& log) {
  constexpr unsigned kMostNamed = 8;
  if (line.find("Group     Comms     Nodes") != line.npos) {
    left_ = kMostWithoutAWord;
    finds_ = false;
    return;
  }
  if (const std::string_view finding = finding_in(line); !finding.empty()) {
    if (log.ras.size() == kMostReports) return clear();
    log.ras.emplace_back(finding);
    left_ = kMostWithoutAWord;
    finds_ = true;
    named_ = 0;
    return;
  }
  if (left_ == 0) return;
  --left_;
  if (!finds_) {
    if (const std::uint32_t ranks = ranks_in_row(line); ranks != 0) {
      log.sizes.insert(ranks);
      left_ = kMostWithoutAWord;
    }
    return;
  }
  const std::string_view text = trim(line);
  const bool is_count = text.find(" launched up to operation ") != text.npos;
  const bool is_named =
      (text.starts_with("Rank ") && text.find(" managed by process ") != text.npos) ||
      (text.starts_with("Process ") && text.find(" managing GPU") != text.npos);
  if (!is_count && !is_named) return;
  left_ = kMostWithoutAWord;
  if (is_named && ++named_ > kMostNamed) return;
  log.ras.back() += cat("; ", text);
}

}  // namespace nettune::nccl_log
