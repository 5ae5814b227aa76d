// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nettune::tools::nccl::log {

/// What one file shows of the course of the job, in the order of its lines.
class Timeline {
 public:
  enum class Kind : std::uint8_t {
    complete,     ///< "Init COMPLETE": ranks made a communicator
    process_end,  ///< a launcher says that a process ended
    launcher,     ///< a launcher or the scheduler says how a process or the job ended
    watchdog,     ///< PyTorch's watchdog says something
    tests_begin,  ///< nccl-tests lists its ranks
    tests_good,   ///< nccl-tests says that the run ended well
  };

  void add(Kind kind, std::uint64_t line);
  /// The last line of that kind; 0 for none.
  std::uint64_t last(Kind kind) const { return of(kind).empty() ? 0 : of(kind).back().last; }
  /// One behind `line`; 0 for none. It is the next one, but where only lines of that kind stand
  /// between that and `line`.
  std::uint64_t next(Kind kind, std::uint64_t line) const;
  /// One of that kind is at `begin` or behind it, and before `end`.
  bool has_between(Kind kind, std::uint64_t begin, std::uint64_t end) const;

 private:
  /// Lines of one kind, with none of another kind in between.
  struct Span {
    std::uint64_t first;
    std::uint64_t last;
  };
  const std::vector<Span>& of(Kind kind) const { return spans_[static_cast<std::size_t>(kind)]; }

  std::array<std::vector<Span>, 6> spans_;  ///< by kind
  Kind added_ = Kind::complete;             ///< the last one
};

}  // namespace nettune::tools::nccl::log
