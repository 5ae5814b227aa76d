// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nettune::tools::nccl::log::job {

/// Joins a line that a terminal or a document broke before the words that count:
/// "slurmstepd: error: *** JOB 1 ON n CANCELLED AT" (a user guide of an HPC centre), "RuntimeError:
/// [.../gloo/transport/tcp/pair.cc:538]" (documents of torchft and SGLang), "The client socket has
/// timed out after 600000ms".
class BrokenLine {
 public:
  /// `line`, which is line `at` of its file, is such a one, and is kept.
  bool begin(std::string_view line, std::uint64_t at);
  /// The line behind it. True: it goes on in it.
  bool join(std::string_view line);
  /// One is kept.
  bool waits() const { return !text_.empty(); }
  /// Nothing is missing of it.
  bool is_whole() const;
  /// It begins with what Slurm says of the end of a job, and lacks the end of that.
  bool is_unfinished_end() const;
  const std::string& text() const { return text_; }
  std::uint64_t line() const { return line_; }
  void clear() { text_.clear(); }

 private:
  std::string text_;
  std::uint64_t line_ = 0;
};

}  // namespace nettune::tools::nccl::log::job
