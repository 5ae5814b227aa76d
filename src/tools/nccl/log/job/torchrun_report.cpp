// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/torchrun_report.hpp"

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

constexpr std::uint32_t kNoNumber = UINT32_MAX;
constexpr std::string_view kRoot = "Root Cause (first observed failure)";

/// What stands behind `word`; "" where it is not in the line.
std::string_view behind(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  return at == line.npos ? std::string_view() : trim(line.substr(at + word.size()));
}

/// "2024-08-20_11:37:36", as Event::clock.
std::uint32_t clock_in(std::string_view time) {
  Cursor at(time);
  const auto number = [&](std::string_view before) {
    return at.skip(before) ? at.number().value_or(kNoNumber) : kNoNumber;
  };
  std::uint32_t clock = 0;
  if (number("") == kNoNumber) return 0;
  for (const std::string_view before : {"-", "-", "_", ":", ":"}) {
    const std::uint32_t part = number(before);
    if (part > 59) return 0;
    clock = clock * 100 + part;
  }
  return clock;
}

}  // namespace

bool TorchrunReport::is_heading(std::string_view line) {
  return trim(line).ends_with(cat(kRoot, ":"));
}

std::string TorchrunReport::root_without_code() const {
  if (part_ != Part::root || heading_line_ == 0) return {};
  std::string text;
  if (!time_.empty()) text += cat(" at ", time_);
  if (!rank_.empty()) text += cat(" rank ", rank_);
  if (!host_.empty()) text += cat(" on ", host_);
  return cat(kRoot, text.empty() ? std::string(", below which nothing was read") : cat(":", text));
}

bool TorchrunReport::begins(std::string_view line) { return trim(line).ends_with("Failures:"); }

bool TorchrunReport::says_again(std::string_view line) const {
  return is_signal_ && line.find("traceback : Signal ") != line.npos;
}

std::optional<TorchrunReport::Failure> TorchrunReport::take(std::string_view line,
                                                            std::uint64_t at) {
  constexpr std::size_t kLongest = 100;
  if (begins(line)) {
    clear();
    part_ = Part::failures;
    return {};
  }
  if (line.find(kRoot) != line.npos) {
    part_ = Part::root;
    heading_line_ = is_heading(line) ? at : 0;
    time_.clear();
    host_.clear();
    rank_.clear();
  }
  if (part_ == Part::none) return {};
  if (const auto time = behind(line, "time      : "); !time.empty() && time.size() <= kLongest) {
    time_ = time;
    host_.clear();
    rank_.clear();
  }
  if (const auto host = behind(line, "host      : "); !host.empty() && host.size() <= kLongest) {
    host_ = host;
    rank_.clear();
    is_signal_ = false;
  }
  if (const auto rank = Cursor(behind(line, "rank      : ")).number()) rank_ = cat(*rank);
  const std::string_view code = behind(line, "exitcode  : ");
  const auto pid = Cursor(behind(code, "(pid: ")).number();
  if (code.empty() || !pid) return {};
  Failure failure;
  failure.line = trim(line);
  failure.at = at;
  failure.rank = Cursor(rank_).number().value_or(failure.rank);
  failure.clock = clock_in(time_);
  failure.is_root = part_ == Part::root;
  if (!host_.empty() && !rank_.empty())
    failure.name = cat("rank ", rank_, ", pid ", *pid, " on ", host_);
  failure.is_ended_by_torchrun = code.starts_with("-9 ") || code.starts_with("-15 ");
  failure.is_of_sigterm = code.starts_with("-15 ");
  is_signal_ = code.starts_with('-');
  if (failure.is_root) {
    root_line_ = at;
    part_ = Part::none;
  }
  return failure;
}

}  // namespace nettune::tools::nccl::log::job
