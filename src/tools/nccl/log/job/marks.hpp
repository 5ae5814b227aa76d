// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/nccl/log/causes.hpp"

namespace nettune::tools::nccl::log::job {

/// Finds the lines that may matter though NCCL did not write them: those of PyTorch, of a launcher,
/// of the scheduler or of the kernel, by letters that are rare elsewhere. They are taken from the
/// catalogue, one text of each way to say a cause, and are those of recognisers and other readers.
class Marks {
 public:
  /// `causes` outlives this.
  explicit Marks(const std::vector<Cause>& causes);

  /// Where the first line from `from` on begins that has a mark; npos for none. `from` is where a
  /// line begins.
  std::size_t find_line(std::string_view lines, std::size_t from) const;

 private:
  /// Where in which mark a gram, which is a few letters of it, stands.
  struct Place {
    std::uint64_t gram = 0;
    std::uint32_t mark = 0;
    std::uint32_t offset = 0;
  };
  std::size_t mark_around(std::string_view text, std::size_t from, std::size_t at,
                          std::uint64_t gram) const;
  std::size_t first_mark(std::string_view text, std::size_t from) const;

  std::vector<std::string_view> marks_;
  std::vector<Place> places_;                ///< by gram
  std::array<std::uint64_t, 1024> sieve_{};  ///< a bit for the hash of each gram
};

/// A line that only shows that somebody pressed Ctrl-C: "^C", "KeyboardInterrupt".
bool is_interrupt(std::string_view line);

/// "Terminated" alone, or of bash with the command of a job behind it: SIGTERM ended a child of a
/// shell.
bool is_terminated(std::string_view line);

}  // namespace nettune::tools::nccl::log::job
