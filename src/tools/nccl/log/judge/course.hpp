// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

struct Course;

/// How likely it is that a job's failure began with this, by what its line says: the lowest is
/// looked at first.
enum class Order : std::uint8_t {
  origin,   ///< it can only be where it began
  local,    ///< it may be, and can also follow from a peer that died; or nobody catalogued it
  unsaid,   ///< a call on a socket failed for a reason that its line does not give
  symptom,  ///< it follows from something else, or shows no failure alone
  attempt,  ///< an exception of an attempt before the last one
  echo,     ///< it says only that something failed
  retried,  ///< it was tried again
  cut,      ///< the line ends before it says anything
};

/// Lines of all ranks between what belongs together: a launcher's line and what it passes on.
constexpr std::uint64_t kMostBetween = 300;

/// The first one, as Course::first_of() has it, of some events of a file that stand above a line.
class FirstByLine {
 public:
  FirstByLine() = default;
  FirstByLine(const Course& course, std::vector<std::uint32_t> events);
  std::optional<std::uint32_t> above(std::uint32_t file, std::uint64_t line) const;

 private:
  struct Known {
    std::uint32_t file;
    std::uint64_t line;
    std::uint32_t first;  ///< of those up to this line
  };
  std::vector<Known> known_;  ///< by file and line
};

/// What the rules look at: everything that went wrong, and what the log shows around it.
struct Course {
  Course(const Log& of, const std::vector<Cause>& all, const Verdict& so_far);

  const Cause* cause_of(const Event& event) const {
    return event.cause == kNone ? nullptr : &causes[event.cause];
  }
  bool is(const Event& event, Cause::Tier tier) const {
    return event.cause != kNone && causes[event.cause].tier == tier;
  }
  Order order_of(std::uint32_t event) const { return orders_[event]; }
  /// An exception after which a process ended, and the ranks were started again.
  bool is_of_attempt(std::uint32_t event) const { return attempts_[event]; }
  /// `a` came before `b`: by time where both have one, else in one file. Across files without times
  /// nothing is earlier.
  bool is_earlier(const Event& a, const Event& b) const;
  /// The one of the lowest tier, and of these the earliest: of files without times the first.
  std::optional<std::uint32_t> first_of(const std::vector<std::uint32_t>& among) const;
  /// More than a warning, after which NCCL may have gone on: a call failed, a process ended, or
  /// somebody else says what went wrong.
  bool shows_failure(const Event& event) const;

  /// Whose end others of its file notice: torchrun says that a process ended, or an exception.
  bool is_loss(const Event& event) const;
  /// The loss from which this one follows; nothing for what follows from none.
  std::optional<std::uint32_t> loss_before(std::uint32_t event) const;

  const Log& log;
  const std::vector<Cause>& causes;
  const Verdict& verdict;
  bool without_collnet = false;  ///< NCCL says that it goes on without CollNet
  /// Something failed, besides what a logger may have warned of and what follows from an end.
  bool has_failure = false;
  std::vector<std::uint32_t> said_ends;  ///< in which somebody else says that a process ended
  /// File and cause of plugins that could not be used, after which other processes went on.
  std::set<std::pair<std::uint32_t, std::uint32_t>> survived;

  // Of what is not set aside: filled by choose().
  std::vector<std::uint32_t> ends;        ///< somebody ended the job
  std::vector<std::uint32_t> attempts;    ///< exceptions of attempts before the last one
  std::vector<std::uint32_t> others;      ///< all others
  std::vector<std::uint32_t> exceptions;  ///< of these, exceptions of the program
  /// Of each file, the first line in which torchrun says that a process ended, or an exception.
  std::map<std::uint32_t, std::uint32_t> first_loss;
  /// Of each file, where nothing was wrong before in it: who ended the job, the first exception.
  std::map<std::uint32_t, std::uint32_t> first_end;
  std::map<std::uint32_t, std::uint32_t> first_exception;
  std::optional<std::uint32_t> early_end;  ///< a process ended before the first time-out was seen
  std::optional<std::uint32_t> lone_end;   ///< all others lost the one that ended, or waited for it
  // Of what others follow from, in each file, up to each line: known once for all of them.
  FirstByLine first_failed_call;
  /// What says that a call failed, and NCCL's warnings of what follows from something else, which
  /// say more.
  FirstByLine first_call;
  FirstByLine first_crash;
  FirstByLine first_error;
  std::map<std::uint32_t, std::uint32_t> exception_of_rank;  ///< the first of each file
  std::optional<std::uint32_t> first_attempt;

 private:
  Order order(std::uint32_t event) const;

  // Asked for each pair of events: known once for each.
  std::vector<bool> attempts_;
  std::vector<Order> orders_;
};

}  // namespace nettune::tools::nccl::log::judge
