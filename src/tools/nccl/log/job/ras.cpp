// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/ras.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "tools/nccl/log/communicator_lines.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/message_values.hpp"

namespace nettune::tools::nccl::log::job {

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
  return is_whole ? numbers[4] : 0;
}

/// `line` from the number on that stands before `at`.
std::string_view from_number_before(std::string_view line, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && is_digit(line[begin - 1])) --begin;
  return begin == at ? std::string_view() : trim(line.substr(begin));
}

/// What begins a finding of the report; "" for another line. That ranks of a communicator are
/// missing repeats what is said of their processes.
std::string_view finding_in(std::string_view line) {
  constexpr std::string_view kDead = " considered dead (unreachable via the RAS network)";
  if (const auto at = line.find("Communicator ranks have different "); at != line.npos)
    return trim(line.substr(at));
  const auto process = line.find(" job process");
  if (process == line.npos) return {};
  if (const auto at = line.find("Missing communicator data from "); at != line.npos)
    return trim(line.substr(at));
  const auto dead = line.find(kDead);
  return dead == line.npos ? std::string_view()
                           : from_number_before(line.substr(0, dead + kDead.size()), process);
}

/// "#0-0 (fa93daea854b060b) ERROR", "Warnings", "  Asynchronous error on 1 rank".
bool ends_finding(std::string_view line) {
  static constexpr std::string_view kHeadings[] = {"INCOMPLETE", "ERROR",  "MISMATCH", "DEAD",
                                                   "TIMEOUT",    "Errors", "Warnings"};
  line = trim(line);
  return line.find(" error on ") != line.npos || line.find(" errors on ") != line.npos ||
         std::ranges::any_of(kHeadings,
                             [&](std::string_view heading) { return line.ends_with(heading); });
}

/// "30 ranks have launched up to operation 640", "Rank 12 -- GPU 4 managed by process 7 on node
/// 10.0.0.1", "Process 7 on node 10.0.0.1 managing GPU 0"; "" for another line.
std::string_view named_in(std::string_view line) {
  if (const auto at = line.find(" ranks have "); at != line.npos)
    return from_number_before(line, at);
  const auto from = [&](std::string_view begin, std::string_view needed) {
    const auto at = line.find(begin);
    return at == line.npos || line.find(needed, at) == line.npos ? std::string_view()
                                                                 : trim(line.substr(at));
  };
  const std::string_view rank = from("Rank ", " managed by process ");
  return rank.empty() ? from("Process ", " managing GPU") : rank;
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
    log.more_ras += log.ras.size() == kMostReports ? 1U : 0U;
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
      add_size(log, ranks);
      left_ = kMostWithoutAWord;
    }
    return;
  }
  if (ends_finding(line)) return clear();
  const std::string_view named = named_in(line);
  if (named.empty()) return;
  left_ = kMostWithoutAWord;
  if (++named_ <= kMostNamed) log.ras.back() += cat("; ", named);
}

}  // namespace nettune::tools::nccl::log::job
