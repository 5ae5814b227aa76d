// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "nccl/log/causes.hpp"
#include "nccl/log/crash_trace.hpp"
#include "nccl/log/details.hpp"
#include "nccl/log/error_block.hpp"
#include "nccl/log/log.hpp"
#include "nccl/log/prefix.hpp"
#include "nccl/log/process_table.hpp"
#include "nccl/log/ras.hpp"
#include "nccl/log/stalls.hpp"
#include "nccl/log/tests_table.hpp"
#include "nccl/log/torchrun_report.hpp"
#include "nccl/log/traceback.hpp"

namespace nettune::nccl_log {

/// Reads logs piece by piece, in one pass. Only lines with "NCCL" in them are looked at, those that
/// go on with what a narrow terminal wrapped, and those of others that marks.hpp finds.
class Reader {
 public:
  /// `causes` outlives the reader.
  explicit Reader(const std::vector<Cause>& causes) : causes_(causes) {}

  /// What follows is of this file. The one before it ends here.
  void begin_file(std::string name);
  void feed(std::string_view bytes);
  /// Everything was fed.
  Log finish();

 private:
  void end_file();
  /// What ends a file: its end may be missing, so that no number or name there is taken for whole.
  void take_last_line();
  /// Whole lines, each with its newline.
  void take_lines(std::string_view lines);
  /// The plain case, which is nearly every line: one message of a process that is known, and no
  /// doubt about it. False: nothing was taken. `text` ends where the line ends.
  bool take_quickly(std::string_view text, std::size_t nccl);
  /// A process and one of its threads.
  struct Speaker {
    std::uint32_t process = kNone;
    std::uint32_t thread = 0;
  };
  /// Who says what follows the "NCCL INFO " at `nccl`; a process of kNone where that is not
  /// plain. What is in front of "NCCL" is parsed once for each thread.
  Speaker speaker_of(std::string_view line, std::size_t nccl);
  /// A process whose name ends what stands before "[dev]", where something else hangs on it; kNone
  /// for none.
  std::uint32_t glued_process(std::string_view name) const;
  /// A line with "NCCL" at `nccl`. `whole`: its end was there.
  void take_line(std::string_view line, std::size_t nccl, bool whole);
  /// A line, or a part of one, of which it is not known whether it has "NCCL".
  void take_any(std::string_view text, bool whole);
  /// One that is text, and no JSON around it.
  void take_text(std::string_view line, std::size_t nccl, bool whole);
  /// All messages of a line: interleaved writes and lost newlines put several on one.
  void take_segments(std::string_view line, std::size_t nccl, bool whole);
  /// `before`: the message before it on this line, or what stands in front of the first.
  std::uint32_t segment_process(const Prefix& prefix, std::string_view before, bool first);
  /// The process of the line that begins a file may have lost the begin of its name: it is the one
  /// that `prefix` names where that ends the same way. kNone: it is not.
  std::uint32_t begun_process(const Prefix& prefix);
  void settle_begun();
  void take_message(const Prefix& prefix, std::uint32_t process, std::string_view message,
                    bool whole);
  void take_connection(Speaker speaker, const Connection& connection);
  /// Where `edge` goes that may be of a communicator which its thread names only when it is done.
  void add_early(Speaker speaker, const Edge& edge);
  void settle_early(Speaker speaker, std::uint32_t communicator);
  /// A line without a level of NCCL: of PyTorch, of a launcher, of the scheduler, of the kernel.
  void take_bare(std::string_view line);
  void take_libfabric(std::string_view line);
  void take_sharp(std::string_view line);
  /// A test program of the plugin for libfabric. False: it is none.
  bool take_plugin_test(std::string_view line);
  /// A warning of NCCL without its prefix. False: it is none that is known.
  bool take_bare_warning(std::string_view line);
  /// Open MPI's block about a signal. True: the signal comes in a line below.
  bool take_signal(std::string_view line);
  void take_wait(std::string_view line);
  /// What a line says that is in the catalogue. `at` as in report().
  void take_of_job(std::string_view line, std::uint64_t at = 0);
  /// The line behind one that somebody broke. True: it is the rest of that one.
  bool take_rest(std::string_view line);
  void flush_broken();
  /// `line` with the one before it, where a line of ProcessGroupNCCL goes on in it; "" where not.
  std::string with_group_line(std::string_view line);
  /// A process crashed in NCCL, or in what NCCL had called: that is more than that it crashed.
  void take_crash(const CrashTraces::Found& crash, std::string_view line);
  /// What a line began may go on in the next one, which then needs no mark.
  bool waits() const {
    return blocks_.waits() || !timeout_.empty() || wrong_rows_.waits() || traces_.waits() ||
           !broken_.empty() || !group_line_.empty() || dead_worker_.waits() || stalls_.waits() ||
           fields_.waits() || ring_ != 0 || bare_calls_ || ras_.waits();
  }
  bool is_killed_by_torchrun(std::string_view line);
  /// A line of torchrun's report about processes that failed. True: no more is to be said of it.
  bool take_torchrun(std::string_view line);
  /// The failures of a report that are not its root cause, behind an event of that.
  void settle_torchrun(std::uint32_t root);
  void take_root(Event& event, const TorchrunReport::Failure& failure);
  /// The exception of Python that `line` may end a traceback with.
  void take_traceback(std::string_view line);
  /// The exception directly before a launcher's first line about a process that ended: the
  /// traceback above it may be cut.
  void take_exception_before();
  /// `line`, or what a log collector or carriage returns made of several.
  template <typename Take>
  void take_each(std::string_view line, const Take& take);
  /// Whole lines without "NCCL", the first of them at `lines`.
  void take_others(std::string_view all, std::size_t begin, std::size_t end);
  /// Versions of NCCL that a line names: "NCCL version 2.20.5".
  void take_versions(std::string_view line);
  /// A warning of NCCL in the catalogue, other than a hint.
  bool is_known(std::string_view warning) const;
  /// `at`: the line of the file that they are said in; 0 for the one that is read.
  void report(const std::vector<ErrorBlocks::Found>& found, std::string_view line,
              std::uint64_t at = 0);
  /// What went wrong, as who says it.
  struct Said {
    std::uint32_t process = kNone;  ///< kNone: a line without one
    std::uint32_t rank = kNone;     ///< that stands in front of it
    std::string_view time;
    std::string_view message;
    std::uint64_t line = 0;        ///< of the file; 0 for the one that is read
    std::string_view whole = {};   ///< the line, where the message is a part of it
    std::uint32_t device = kNone;  ///< NCCL's "[3]"
    std::string_view place = {};   ///< of NCCL's code: "enqueue.cc:1500"
  };
  void take_event(const Said& said, std::uint32_t cause);
  /// Who and what it names, besides what the event says already.
  static void take_details(Event& event, const Said& said);
  /// "init.cc:867 -> 5": a call failed, mostly because of the warning before.
  void take_failed_call(std::uint32_t process, std::string_view message);
  /// The same behind a warning without a prefix. True: it is one, or nothing.
  bool take_bare_call(std::string_view line);
  /// The line behind one that seems to go on in it. False: it does not, and `next` is a line of its
  /// own.
  bool join_wrapped(std::string_view next, bool whole);
  void flush_wrapped();
  /// The file that is read, and the line of it, from 1.
  std::uint32_t file() const;
  std::uint64_t here();
  std::uint32_t add_process(std::string_view key, std::string_view host, std::uint32_t pid);
  std::uint32_t unnamed();
  /// `whole`: the end of the line was there.
  void take_info(Speaker speaker, std::string_view message, bool whole);
  /// A line that lists the ranks of a ring.
  void take_ring(std::string_view message);
  /// The line behind one: where that goes on in it, the ring is not whole.
  void end_ring(std::string_view line);
  std::uint32_t communicator_of(Speaker speaker) const;

  const std::vector<Cause>& causes_;
  Log log_;
  ProcessTable processes_;
  ProcessTable speaker_names_;  ///< "host:pid:tid [dev] "
  std::vector<Speaker> speakers_;
  /// By process, rank, cause, whether it is tried again, and a fingerprint of a text of no known
  /// cause.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool, std::uint64_t>,
           std::uint32_t>
      events_;
  ErrorBlocks blocks_;
  Tracebacks tracebacks_;
  WrongRows wrong_rows_;
  CrashTraces traces_;
  Stalls stalls_;
  RasReport ras_;
  std::uint32_t unnamed_ = kNone;
  std::uint32_t begun_ = kNone;  ///< process that the first line of the file alone names
  /// The communicator that a process is setting up, close together: one look-up a line.
  struct Setup {
    std::uint32_t thread = kNone;
    std::uint32_t communicator = kNone;
    bool several = false;  ///< look into Process::open
    bool begins = false;   ///< Process::begins
  };
  std::vector<std::uint32_t> last_events_;  ///< of each process; kNone for none
  std::vector<Setup> setups_;
  /// Up to 2.18.1 a thread names its communicator behind the connections, with "Init COMPLETE":
  /// what it told before, by process and thread.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Edges> early_;
  /// The last name of a transport's kind, of each Transport: mostly it is the same again.
  std::array<std::pair<std::string, std::uint32_t>, 4> last_detail_;
  std::string tail_;      ///< an unfinished line, or a whole one that may be the last
  bool is_last_ = false;  ///< the last line of a file is read
  bool newline_ = false;  ///< and a newline ends it
  std::string scratch_;   ///< a line without its colours
  std::string unpacked_;  ///< a line out of the JSON of a log collector
  std::string wrapped_;   ///< a line that may go on in the next one
  bool may_wrap_ = true;
  std::string timeout_;            ///< a watchdog's line that somebody broke
  std::string broken_;             ///< a line of Slurm, Gloo or c10d that somebody broke
  std::uint64_t broken_line_ = 0;  ///< where it begins in the file
  std::string group_line_;         ///< an error of ProcessGroupNCCL that says nothing yet
  std::uint64_t group_line_at_ = 0;
  std::uint32_t ring_ = 0;       ///< ranks of a ring that may go on in the next line; 0: none
  std::uint64_t ring_line_ = 0;  ///< where that is in the file
  DeadWorker dead_worker_;
  std::uint32_t dead_worker_event_ = kNone;
  FieldsBelow fields_;
  std::uint32_t fields_event_ = kNone;
  TorchrunReport torchrun_;
  std::uint32_t stall_event_ = kNone;  ///< of the last listing of stalls_
  std::uint64_t block_line_ = 0;       ///< the last line that a block of PyTorch went on in
  std::string signal_;                 ///< Open MPI's line about a signal that is not named yet
  std::uint64_t signal_line_ = 0;      ///< where that is in the file
  bool bare_calls_ = false;            ///< calls that failed may follow, without a prefix
  bool root_failure_ = false;          ///< in what torchrun calls the root cause
  std::uint64_t line_ = 0;             ///< newlines before counted_
  std::uint64_t returns_ = 0;          ///< carriage returns before, in a file that has no newline
  bool has_newline_ = false;
  const char* counted_ = nullptr;  ///< in what take_lines() is at
  std::string_view previous_;      ///< what stands before the line, in the same piece
  std::string last_line_;          ///< of the piece before
};

}  // namespace nettune::nccl_log
