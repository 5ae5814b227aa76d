// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "tools/nccl/log/causes.hpp"
#include "tools/nccl/log/log.hpp"
#include "tools/nccl/log/position.hpp"
#include "tools/nccl/log/processes.hpp"
#include "tools/nccl/log/recognisers.hpp"

namespace nettune::tools::nccl::log {

/// What went wrong, as who says it.
struct Said {
  std::uint32_t process = kNone;  ///< kNone: a line without one
  std::uint32_t rank = kNone;     ///< in front of it
  std::string_view time = {};
  std::string_view message = {};
  std::uint64_t line = 0;        ///< of the file; 0 for the one that is read
  std::string_view whole = {};   ///< the line, where the message is a part of it
  std::uint32_t device = kNone;  ///< NCCL's "[3]"
  std::string_view place = {};   ///< of NCCL's code: "enqueue.cc:1500"
};

/// Puts what went wrong into Log::events, each once for who says it and its cause.
class Events {
 public:
  /// What is given outlives this.
  Events(const std::vector<Cause>& causes, Log& log, Position& position, Processes& processes)
      : causes_(causes), log_(log), position_(position), processes_(processes) {}

  /// Its cause in the catalogue, as find_cause() finds it.
  std::uint32_t cause_of(Cause::By by, std::string_view message, std::string_view place = {}) const;
  /// That of what C++ finds.
  std::uint32_t cause_of(const Recogniser& recogniser) const;
  /// The cause at such an index; of kNone there is none.
  const Cause* cause(std::uint32_t index) const;

  /// The event that it makes or counts for; kNone where it is one of Log::more_events.
  std::uint32_t take(const Said& said, std::uint32_t cause);
  /// `message`, which is a part of a line that NCCL did not write, or all of it. `at`: where it is
  /// in the file; 0 for the line that is read.
  std::uint32_t take_in(std::string_view line, std::string_view message, std::uint32_t cause,
                        std::uint64_t at = 0);
  /// A line that NCCL did not write, where its cause is in the catalogue; else kNone.
  std::uint32_t take_known(std::string_view line, std::uint64_t at = 0);
  /// The last one of a process; kNone for none.
  std::uint32_t last_of(std::uint32_t process) const;
  /// What is said like this one is an event of its own from now on.
  void close(std::uint32_t event);

 private:
  /// The event was caught, or is of an attempt or a run before: what is said like it now is another
  /// one.
  bool is_of_another_run(const Event& event, const Cause* cause) const;
  /// Who and what it names, besides what the event says already.
  static void take_details(Event& event, const Said& said);

  const std::vector<Cause>& causes_;
  Log& log_;
  Position& position_;
  Processes& processes_;
  /// By process, rank, cause, whether it is tried again, and a fingerprint of a text of no known
  /// cause.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool, std::uint64_t>,
           std::uint32_t>
      known_;
  std::vector<std::uint32_t> last_;  ///< of each process; kNone for none
};

}  // namespace nettune::tools::nccl::log
