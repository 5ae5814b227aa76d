// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tools/nccl/log/edges.hpp"
#include "tools/nccl/log/tests_table.hpp"
#include "tools/nccl/log/timeline.hpp"

/// What logs of NCCL say, kept so that its size grows with processes, ranks and connections, never
/// with lines.
namespace nettune::tools::nccl::log {

constexpr std::uint32_t kNone = UINT32_MAX;

/// Texts that many processes say alike, each kept once.
class Names {
 public:
  std::uint32_t id(std::string_view text);
  const std::string& text(std::uint32_t id) const { return *texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
  std::vector<const std::string*> texts_;
};

/// A process as one rank of a communicator.
struct Membership {
  std::uint32_t communicator = 0;
  std::uint32_t rank = 0;
  bool complete = false;  ///< "Init COMPLETE" was there
  /// File and line where it was destroyed in good order; line 0: none says it.
  std::pair<std::uint32_t, std::uint64_t> destroyed = {};
};

enum class Answer : std::uint8_t { unknown, no, yes };

struct Process {
  std::string host;  ///< "" for lines without a readable prefix
  std::uint32_t pid = 0;
  std::vector<std::uint32_t> devices;  ///< "[3]" in front of its lines, each once
  std::vector<Membership> memberships;
  /// Where in memberships, by communicator and rank.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
  /// Where in memberships, by the address in the last line that set it up: "comm 0x1fc96400".
  std::map<std::uint64_t, std::size_t> addresses;
  /// Lines that say that it went on: "Using network", "Init COMPLETE", "Connected ...", "Destroy
  /// COMPLETE".
  std::uint32_t progress = 0;
  std::uint32_t completed = 0;                                ///< lines "Init COMPLETE"
  std::pair<std::uint32_t, std::uint64_t> completed_at = {};  ///< file and line of the last of them
  std::uint32_t last = 0;                                     ///< communicator of the last of them
  /// Of memberships, the one that a line "Destroy COMPLETE" is of which nobody noted yet.
  std::uint32_t last_destroyed = kNone;
  bool begins = false;  ///< it says "Init START"
  /// Rank and number of ranks, of lines that name no communicator; the first few.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> said;
  std::uint32_t cuda_driver = 0;  ///< "cudaDriverVersion 12040"; 0: it does not say
  std::uint32_t starts = 0;       ///< lines "Bootstrap : Using", of which a process prints one
  bool rings = false;             ///< "Connected all rings" was there
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  ///< thread, communicator it sets up

  // Ids of Log::names, each once, in the order in which they came.
  std::vector<std::uint32_t> versions;
  std::vector<std::uint32_t> networks;   ///< "Using network X"
  std::vector<std::uint32_t> reasons;    ///< lines about how the network was chosen
  std::vector<std::uint32_t> ib;         ///< " [0]mlx5_0:1/RoCE [1]..." of "NET/IB : Using"
  std::uint32_t shared_memory = kNone;   ///< "ncclMaxSharedMem 8 exceeds ..."; kNone: not said
  std::vector<std::uint32_t> oob;        ///< "eth0:10.0.0.1<0>" of the same line
  std::vector<std::uint32_t> sockets;    ///< of "NET/Socket : Using"
  std::vector<std::uint32_t> bootstrap;  ///< of "Bootstrap : Using"
  std::vector<std::uint32_t> gdr;        ///< lines about GPUDirect
  std::set<std::string> gids;            ///< "device 0 port 1 index 3", from subsystem NET
  std::map<std::string, std::string, std::less<>> environment;

  Answer nvls = Answer::unknown;      ///< channels of NVLS were made
  Answer ring_gdr = Answer::unknown;  ///< "use ring PXN p GDR g": gathered over all ranks
  std::uint64_t damaged = 0;          ///< lines about connections that could not be read whole
};

/// The lines are there with which NCCL starts in a process: of another one, earlier lines may be
/// missing.
inline bool shows_its_start(const Process& process) {
  return process.cuda_driver != 0 || !process.bootstrap.empty();
}

/// A process begins to set up a communicator with the id of one that it had destroyed, and does not
/// say that it stands.
struct Reuse {
  std::uint32_t process = 0;
  std::uint32_t communicator = 0;
  std::uint32_t rank = 0;
  std::uint32_t progress = 0;  ///< Process::progress then
  std::string text;
  std::uint32_t file = 0;
  std::uint64_t line = 0;  ///< of the file, from 1
};

struct Communicator {
  std::string id;  ///< commId where NCCL prints one (from 2.16), else made from what there is
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;                         ///< 0 where the log does not say
  std::map<std::uint32_t, std::uint32_t> members;  ///< process of each rank that was seen
  bool several = false;  ///< two processes say the same rank: more than one under one id
};

/// Something that went wrong, as one process said it: once for each cause, and what is of no known
/// cause once for each text, whatever its numbers.
struct Event {
  std::uint32_t process = 0;
  std::uint32_t cause = kNone;  ///< which of the catalogue; kNone: it is not in it
  std::string text;             ///< the first of them
  std::string time;             ///< as NCCL printed it; "" for none
  std::uint32_t file = 0;
  std::uint64_t line = 0;  ///< of the file, from 1
  std::uint64_t count = 0;
  std::uint32_t rank = kNone;  ///< as a launcher or PyTorch says it
  bool retried = false;        ///< NCCL says that it tries again
  bool failed = false;         ///< NCCL says behind it that a call failed ("init.cc:12 -> 3")
  bool caller_failed = false;  ///< so did who called what can be done without
  bool cut = false;            ///< at the end of a file, and too short to say anything
  std::uint32_t progress = 0;  ///< Process::progress, when the last of them was said
  /// Ranks in a process group of PyTorch, which need not be those of the job: of the first of the
  /// lines, and of all that say no other rank.
  std::uint32_t group_rank = kNone;
  std::set<std::uint32_t> group_ranks;
  std::uint64_t of_group = 0;        ///< lines that say such a rank
  std::uint32_t device = kNone;      ///< "[3]" in front of the first of them
  std::string place;                 ///< what is before a WARN: "n1:7:8 [0] enqueue.cc:1500"
  std::string who;                   ///< the first of them, as its line names itself; "" where not
  std::uint64_t named = 0;           ///< lines that name themselves
  std::set<std::string> speakers;    ///< all that name themselves so; the first few dozen
  std::vector<std::string> details;  ///< what lines of it name, of its kind; the first few
  std::string raised;                ///< of an exception, where: "raised in main() at train.py:7"
  std::string thread;                ///< that it ended, where Python names one
  std::string above;                 ///< of an end from outside, what the log shows before it
  bool replaced = false;             ///< what it passes on is an event of its own
  bool may_be_logged = false;        ///< directly above each traceback stands a logger's warning
  /// Month, day and time of the earliest of them, as 820113736 of August 20, 11:37:36, where
  /// PyTorch says it; 0 for none.
  std::uint32_t clock = 0;
  std::uint32_t ended = kNone;  ///< the rank whose end it is, where torchrun says so
};

/// What PyTorch's watchdog says of a rank that waits for a collective, or of which one failed.
struct Wait {
  bool of_job = false;  ///< the rank is that of the job; else the one in its process group
  std::uint32_t rank = 0;
  std::uint32_t group_rank = kNone;  ///< the rank in its process group, of one of the job
  std::uint64_t sequence = 0;
  std::string operation;  ///< "ALLREDUCE"; "" where only the state of the group was said
  bool failed = false;    ///< an error of NCCL was noted for it, not a time-out
  std::uint64_t timeout_ms = 0;
  std::uint64_t ran_ms = 0;    ///< when that was seen; 0 where no line says it
  std::uint64_t elements = 0;  ///< that the rank gives; 0 where no line says it
  std::uint64_t gathered = 0;  ///< that it gets; 0 where no line says it
  std::string group;           ///< "0 (default_pg)"; "" where no line says it
  std::optional<std::uint64_t> enqueued;
  std::optional<std::uint64_t> completed;
};

/// A rank that PyTorch told to write down its state since a collective timed out, and how far it
/// was in a process group, which need not be that of the collective.
struct Dump {
  std::uint32_t rank = 0;
  std::uint32_t timed_out = kNone;  ///< the rank that timed out; kNone where no line says it
  std::string group;                ///< as Wait::group
  std::optional<std::uint64_t> enqueued;
  std::optional<std::uint64_t> completed;
  bool none_completed = false;  ///< it says that no work of the group ever was
};

/// The last line of a file that is not blank; without the carriage returns of progress bars, the
/// colours, and the JSON of a log collector.
struct Ending {
  std::uint32_t file = 0;
  std::uint64_t line = 0;
  std::string text;  ///< its begin
};

struct Log {
  Names names;
  std::vector<Process> processes;
  std::vector<Communicator> communicators;
  /// Which of them, by ranks and id.
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> communicator_ids;
  Edges edges;
  std::vector<Reuse> reuses;  ///< the first few
  std::vector<Event> events;
  std::vector<std::string> files;
  std::vector<Ending> endings;          ///< of files that have one, in their order
  std::vector<std::uint32_t> versions;  ///< of lines without a prefix (up to 2.21)
  /// By whether the rank is of the job, rank and sequence.
  std::map<std::tuple<bool, std::uint32_t, std::uint64_t>, Wait> waits;
  std::vector<std::uint32_t> libfabric;  ///< what libfabric warned of, each text once
  TestsSummary tests;                    ///< tables of nccl-tests
  std::vector<std::string> ras;          ///< who is behind or silent, as NCCL's RAS says
  std::size_t more_ras = 0;              ///< findings of RAS behind them
  std::set<std::uint32_t> heard;         ///< ranks of lines that PyTorch or a launcher wrote
  std::set<std::uint32_t> sizes;         ///< numbers of ranks, of lines that name no rank
  std::set<std::uint32_t> world_sizes;   ///< that programs say, of the job or a part of it; some
  std::set<std::uint32_t> rings;  ///< numbers of ranks that lines list in the order of a ring

  std::uint64_t messages = 0;         ///< lines of NCCL
  std::uint64_t unnamed = 0;          ///< of them without a readable process
  std::uint64_t damaged = 0;          ///< about connections, not whole
  std::uint64_t repeated = 0;         ///< lines that Ray left out: 14 of "[repeated 15x ...]"
  std::uint64_t more_events = 0;      ///< WARNs of no known cause that were only counted
  std::uint64_t connections[4] = {};  ///< lines of each Transport
  std::uint64_t gdr_connections = 0;  ///< of them with /GDRDMA

  std::map<std::uint32_t, Dump> dumps;  ///< by rank, the first of each
  std::set<std::uint32_t> ended;  ///< ranks that torchrun reports as failed, and did not end itself
  std::set<std::uint32_t> ended_first;  ///< ranks of which mpirun says that they ended first
  std::set<std::uint32_t> stopped;  ///< ranks that torchrun reports as ended by SIGTERM, its own
  std::set<std::uint32_t> spoke;    ///< ranks with another error of PyTorch's process groups
  std::vector<Timeline> timelines;  ///< of each file
};

/// "12.4" of 12040, as CUDA counts.
std::string cuda_version(std::uint32_t number);

/// "0-3,7"
std::string ranges(const std::vector<std::uint32_t>& numbers);

/// Processes that have a name; lines without a readable prefix are of none.
std::size_t named_processes(const Log& log);

/// The timeline of a file; an empty one for a file that is not there.
const Timeline& timeline_of(const Log& log, std::uint32_t file);

/// The line below `line` in which nccl-tests says that the same run ended well; 0 for none. What
/// stands above the first list of ranks in a file counts to that run.
std::uint64_t good_end_of(const Timeline& timeline, std::uint64_t line);

/// Ranks made a communicator after it: it is of an attempt before, or the job went on.
bool ranks_began_after(const Log& log, const Event& event);

/// Ranks made a communicator after it, and no process had ended in between: somebody caught it.
bool was_caught(const Log& log, const Event& event);

/// Adds `id` where it is not there yet; never more than a few dozen.
void add_once(std::vector<std::uint32_t>& ids, std::uint32_t id);

/// Adds what is not there yet, nor empty; "and more" stands for all behind the first few.
void add_detail(Event& event, std::string detail);

}  // namespace nettune::tools::nccl::log
