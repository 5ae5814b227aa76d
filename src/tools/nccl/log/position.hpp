// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nettune::tools::nccl::log {

/// Where in the logs a reader is: the file, the line of it, and what stands before that line. Lines
/// are counted only when somebody asks.
class Position {
 public:
  void begin_file(std::uint32_t index);
  /// Whole lines are read, of which the first begins at `lines`.
  void begin_lines(std::string_view lines) { counted_ = lines.data(); }
  /// These were read.
  void end_lines(std::string_view lines);
  /// The last line of the file is read, which may be cut. `newline`: one ends it.
  void begin_last_line(bool newline);
  void end_last_line() { is_last_ = false; }
  /// The line that is read stands behind `lines`, which begin where begin_lines() was told.
  void set_behind(std::string_view lines) { before_ = lines; }
  /// The file has newlines: a carriage return is no end of a line.
  void has_newlines() { newlines_ = true; }
  void take_return() { returns_ += newlines_ ? 0U : 1U; }
  /// To the line above the one that is read.
  void step_back() { lines_ -= lines_ == 0 ? 0U : 1U; }

  std::uint32_t file() const { return file_; }
  /// The line of the file, from 1.
  std::uint64_t line();
  /// The line is the last one of its file, so that its end may be missing.
  bool is_last() const { return is_last_; }
  /// A newline ends that last line.
  bool ends_with_newline() const { return newline_; }
  /// What stands before the line in the piece that is read; in front of its first line, 4 KiB of
  /// the pieces before it. The first line may be cut.
  std::string_view before() const { return before_.empty() ? last_lines_ : before_; }

 private:
  std::uint32_t file_ = 0;
  std::uint64_t lines_ = 0;        ///< newlines before counted_
  std::uint64_t returns_ = 0;      ///< carriage returns before, in a file that has no newline
  const char* counted_ = nullptr;  ///< nullptr: nothing more is to be counted
  bool newlines_ = false;
  bool is_last_ = false;
  bool newline_ = false;
  std::string_view before_;
  std::string last_lines_;  ///< of the piece before
};

}  // namespace nettune::tools::nccl::log
