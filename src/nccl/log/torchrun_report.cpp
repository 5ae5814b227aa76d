// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/torchrun_report.hpp"

#include "base/text.hpp"
#include "nccl/log/cursor.hpp"

namespace nettune::nccl_log {

namespace {

constexpr std::string_view kRoot = "Root Cause (first observed failure)";

/// What stands behind `word`; "" where it is not in the line.
std::string_view behind(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  return at == line.npos ? std::string_view() : trim(line.substr(at + word.size()));
}

}  // namespace

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
  if (line.find(kRoot) != line.npos) part_ = Part::root;
  if (part_ == Part::none) return {};
  if (const auto host = behind(line, "host      : "); !host.empty() && host.size() <= kLongest) {
    host_ = host;
    rank_.clear();
    is_signal_ = false;
  }
  if (const auto rank = Cursor(behind(line, "rank      : ")).number()) rank_ = cat(*rank);
  const std::string_view code = behind(line, "exitcode  : ");
  const auto pid = Cursor(behind(code, "(pid: ")).number();
  if (code.empty() || !pid) return {};
  Failure failure{std::string(trim(line)), at, {}, part_ == Part::root, false};
  if (!host_.empty() && !rank_.empty())
    failure.name = cat("rank ", rank_, ", pid ", *pid, " on ", host_);
  failure.is_ended_by_torchrun = code.starts_with("-9 ") || code.starts_with("-15 ");
  is_signal_ = code.starts_with('-');
  if (failure.is_root) {
    root_line_ = at;
    part_ = Part::none;
  }
  return failure;
}

}  // namespace nettune::nccl_log
