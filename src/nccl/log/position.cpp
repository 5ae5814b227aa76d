// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/position.hpp"

#include "nccl/log/lines.hpp"

namespace nettune::nccl_log {

void Position::begin_file(std::uint32_t index) {
  *this = {};
  file_ = index;
}

void Position::end_lines(std::string_view lines) {
  lines_ += count_lines(counted_, lines.data() + lines.size());
  counted_ = nullptr;
  before_ = {};
  if (!lines.empty()) last_line_ = last_line(lines);
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

}  // namespace nettune::nccl_log
