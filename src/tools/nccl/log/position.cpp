// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/position.hpp"

#include <algorithm>

#include "tools/nccl/log/lines.hpp"

namespace nettune::tools::nccl::log {

namespace {

constexpr std::size_t kKept = std::size_t{1} << 12U;  ///< enough for most tracebacks

}  // namespace

void Position::begin_file(std::uint32_t index) {
  *this = {};
  file_ = index;
}

void Position::end_lines(std::string_view lines) {
  lines_ += count_lines(counted_, lines.data() + lines.size());
  counted_ = nullptr;
  before_ = {};
  if (lines.size() >= kKept) last_lines_.clear();
  if (last_lines_.size() + lines.size() > 2 * kKept)
    last_lines_.erase(0, last_lines_.size() - std::min(last_lines_.size(), kKept));
  last_lines_ += lines.substr(lines.size() - std::min(lines.size(), kKept));
}

void Position::begin_last_line(bool newline) {
  counted_ = nullptr;
  is_last_ = true;
  newline_ = newline;
}

std::uint64_t Position::line() {
  if (counted_ != nullptr && !before_.empty() && before_.data() <= counted_) {
    const char* const begin = before_.data() + before_.size();
    if (begin > counted_) {
      lines_ += count_lines(counted_, begin);
      counted_ = begin;
    }
  }
  return lines_ + returns_ + 1;
}

}  // namespace nettune::tools::nccl::log
