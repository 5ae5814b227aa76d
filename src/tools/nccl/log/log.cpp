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

void begin_run(Log& log, std::uint32_t file, std::uint64_t line) {
  if (log.successes.empty()) return;
  Success& last = log.successes.back();
  if (last.file == file) last.until = std::min(last.until, line);
}

const Success* success_before(const Log& log, std::uint32_t file, std::uint64_t line) {
  // They are in the order of files and lines.
  const auto behind = std::lower_bound(
      log.successes.begin(), log.successes.end(), std::pair(file, line),
      [](const Success& one, auto place) { return std::pair(one.file, one.line) < place; });
  if (behind == log.successes.begin()) return nullptr;
  const Success& last = *std::prev(behind);
  return last.file == file && line < last.until ? &last : nullptr;
}

std::optional<std::pair<std::uint32_t, std::uint64_t>> good_end_of(const Log& log,
                                                                   std::uint32_t file,
                                                                   std::uint64_t line) {
  const std::pair place(file, line);
  const auto end = std::ranges::upper_bound(log.finished, place);
  if (end == log.finished.end() || end->first != file) return {};
  auto begun = std::ranges::upper_bound(log.tests_begun, place);
  const auto is_first = [&] {
    return begun == log.tests_begun.begin() || std::prev(begun)->first != file;
  };
  if (begun != log.tests_begun.end() && is_first()) ++begun;
  return begun == log.tests_begun.end() || *begun > *end ? std::optional(*end) : std::nullopt;
}

bool ranks_began_after(const Log& log, const Event& event) {
  const auto last = log.completed.find(event.file);
  return last != log.completed.end() && last->second > event.line;
}

void end_attempt(Log& log, std::uint32_t file, std::uint64_t line) {
  constexpr std::size_t kMostAttempts = 4096;
  const auto completed = log.completed.find(file);
  const std::uint64_t after = completed == log.completed.end() ? 0 : completed->second;
  auto& attempts = log.attempts[file];
  if (!attempts.empty() && attempts.back().after == after)
    attempts.back().end = line;
  else if (attempts.size() < kMostAttempts)
    attempts.push_back({after, line});
}

bool was_caught(const Log& log, const Event& event) {
  if (!ranks_began_after(log, event)) return false;
  const auto attempts = log.attempts.find(event.file);
  if (attempts == log.attempts.end()) return true;
  const auto behind =
      std::ranges::lower_bound(attempts->second, event.line, {}, &FailedAttempt::after);
  return behind == attempts->second.begin() || std::prev(behind)->end < event.line;
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
