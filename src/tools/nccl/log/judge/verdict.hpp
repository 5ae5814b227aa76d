// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/nccl/log/causes.hpp"
#include "tools/nccl/log/judge/fate.hpp"
#include "tools/nccl/log/log.hpp"

/// What follows from a log, and no more than that.
namespace nettune::tools::nccl::log::judge {

/// All connections of one kind between two ranks, seen from one of them.
struct Link {
  std::uint32_t from = 0;  ///< rank that sends
  std::uint32_t to = 0;
  std::uint32_t process = 0;  ///< which one says so
  Transport transport = Transport::p2p;
  Side side = Side::sender;
  bool gdr = false;
  std::uint32_t detail = 0;  ///< of Log::names: "CUMEM", "IB"
  std::set<std::int32_t> devices;
  std::set<std::uint32_t> channels;
};

/// What is known of a rank of the main communicator.
struct Rank {
  std::uint32_t rank = 0;
  std::uint32_t process = kNone;            ///< kNone: the log has nothing of it
  std::array<std::uint32_t, 4> channels{};  ///< connections that it told, by Transport
  std::uint32_t gdr_send = 0;               ///< of the NET ones with GPUDirect, by direction
  std::uint32_t net_send = 0;
  std::uint32_t gdr_receive = 0;
  std::uint32_t net_receive = 0;
  std::set<std::uint32_t> details;  ///< names of transports and networks of its connections
};

/// A fact in which ranks do not agree.
struct Difference {
  std::string what;  ///< "network", "NCCL_IB_HCA"
  struct Group {
    std::string value;
    std::vector<std::uint32_t> processes;
  };
  std::vector<Group> groups;  ///< the largest first
};

struct Verdict {
  std::vector<std::string> versions;
  std::uint32_t main = kNone;    ///< communicator with the most ranks; kNone: none is in the log
  std::uint32_t ranks = 0;       ///< that it has; 0: the log does not say
  std::uint32_t said_ranks = 0;  ///< without it: the most that some line says a communicator has
  std::vector<Rank> seen;        ///< ranks that the log has something of, in order
  std::vector<std::uint32_t> unseen;
  /// Ranks that began to set the main communicator up, and of which no line says that it stands, or
  /// that a call failed.
  std::vector<std::uint32_t> in_setup;
  bool shows_work = false;  ///< ranks did more than to begin: what in_setup lacks may be lost lines
  std::vector<Link> links;  ///< of the main communicator
  std::size_t other_links = 0;        ///< connections of other communicators
  std::size_t other_without_gdr = 0;  ///< of them, those over a network that show no GPUDirect RDMA
  std::size_t open_links = 0;         ///< that may belong to one or another
  std::set<std::uint32_t> elsewhere;  ///< ranks that those two name
  std::vector<std::string> networks;
  std::vector<std::string> why;  ///< of the network
  std::vector<Difference> differences;
  std::vector<std::uint32_t> events;   ///< of Log::events, causes first, each kind once
  std::vector<std::uint32_t> notes;    ///< of Log::events: hints that are printed as warnings
  std::vector<std::uint32_t> went_on;  ///< of Log::events: warnings after which the process went on
  /// Of Log::events: warnings after which other processes of the file went on. Whether these did is
  /// not in the log.
  std::vector<std::uint32_t> may_have_gone_on;
  std::vector<std::string> waits;      ///< what PyTorch's watchdog says
  std::string follows_from;            ///< what `first` can follow from, where that was found
  std::set<std::uint32_t> left;        ///< ranks that ended in good order while others waited
  std::vector<std::string> unequal;    ///< variables that must be equal on all ranks and may not be
  std::vector<std::string> remarks;    ///< what a person should see first
  std::optional<std::uint32_t> first;  ///< of Log::events: where it began, as far as the log shows
  std::vector<std::uint32_t> rivals;   ///< of Log::events: as likely, and neither before nor after
  bool is_first_sure = true;           ///< `first` came before all that follows from nothing
  std::vector<Fate> fates;             ///< of each of Log::events
  bool ended_before_waits = false;     ///< `first` ended before the watchdog's first time-out
  bool ended_alone = false;            ///< `first` is the end of a rank without an error of its own
  bool failed = false;                 ///< some event is more than a warning of NCCL
  std::set<log::Fact> facts;           ///< of the job as a whole
  std::vector<std::string> open;       ///< questions that the log leaves open
};

/// The version, where it is one before 2.14, whose lines may say the same in other words, and are
/// then not read; "" where another one is in the log as well.
std::string old_version(const Verdict& verdict);

/// A process says that not all connections of its communicator's rings have GPUDirect RDMA: NCCL
/// gathers that over all ranks, so that it does not say whose.
bool a_ring_lacks_gdr(const Log& log);

Verdict judge(const Log& log, const std::vector<Cause>& causes);

/// The ranks of the main communicator that a process is, as far as a line says it.
std::set<std::uint32_t> ranks_of(const Log& log, const Verdict& verdict, std::uint32_t process);

/// "rank 3", "ranks 0-7", "node1:1234" where no rank is known; "" where nothing names it.
std::string process_name(const Log& log, const Verdict& verdict, std::uint32_t process);

/// "rank 3", "ranks 0-7"
std::string ranks_name(const std::set<std::uint32_t>& ranks);
}  // namespace nettune::tools::nccl::log::judge
