// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"

namespace nettune::tools::nccl::log {

std::uint32_t Names::id(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(texts_.size());
  const auto added = ids_.emplace(std::string(text), id).first;
  texts_.push_back(&added->first);
  return id;
}

std::string cuda_version(std::uint32_t number) {
  return cat(number / 1000, ".", number % 1000 / 10);
}

std::string ranges(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
    if (!text.empty()) text += ',';
    text += cat(numbers[i]);
    if (end > i) text += cat(end == i + 1 ? "," : "-", numbers[end]);
    i = end + 1;
  }
  return text;
}

std::size_t named_processes(const Log& log) {
  return static_cast<std::size_t>(
      std::count_if(log.processes.begin(), log.processes.end(),
                    [](const Process& process) { return !process.host.empty(); }));
}

const Timeline& timeline_of(const Log& log, std::uint32_t file) {
  static const Timeline kEmpty;
  return file < log.timelines.size() ? log.timelines[file] : kEmpty;
}

std::uint64_t good_end_of(const Timeline& timeline, std::uint64_t line) {
  const std::uint64_t end = timeline.next(Timeline::Kind::tests_good, line);
  if (end == 0) return 0;
  std::uint64_t begun = timeline.next(Timeline::Kind::tests_begin, line);
  if (begun == timeline.next(Timeline::Kind::tests_begin, 0))
    begun = timeline.next(Timeline::Kind::tests_begin, begun);
  return begun == 0 || begun > end ? end : 0;
}

bool ranks_began_after(const Log& log, const Event& event) {
  return timeline_of(log, event.file).last(Timeline::Kind::complete) > event.line;
}

bool was_caught(const Log& log, const Event& event) {
  const Timeline& timeline = timeline_of(log, event.file);
  const std::uint64_t began = timeline.next(Timeline::Kind::complete, event.line);
  return began != 0 && !timeline.has_between(Timeline::Kind::process_end, event.line, began);
}

void add_once(std::vector<std::uint32_t>& ids, std::uint32_t id) {
  constexpr std::size_t kMost = 48;
  if (ids.size() < kMost && std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
}

void add_detail(Event& event, std::string detail) {
  constexpr std::size_t kMostDetails = 16;
  auto& all = event.details;
  if (detail.empty() || all.size() > kMostDetails) return;
  if (std::find(all.begin(), all.end(), detail) != all.end()) return;
  all.push_back(all.size() == kMostDetails ? std::string("and more") : std::move(detail));
}

}  // namespace nettune::tools::nccl::log
