// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/job/job_lines.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/details.hpp"
#include "tools/nccl/log/evidence.hpp"
#include "tools/nccl/log/job/bare.hpp"
#include "tools/nccl/log/job/libraries.hpp"
#include "tools/nccl/log/job/marks.hpp"
#include "tools/nccl/log/job/runs.hpp"
#include "tools/nccl/log/job/text_above.hpp"
#include "tools/nccl/log/job/world_size.hpp"
#include "tools/nccl/log/voice.hpp"

namespace nettune::tools::nccl::log::job {

namespace {

/// Of torchrun, DeepSpeed, srun and mpirun, about a process that ended.
bool is_end_of_launcher(std::string_view line) {
  static constexpr std::string_view kTexts[] = {
      "(exitcode: ",           "exits with return code", "Root Cause (first observed failure)",
      "srun: error: ",         "exited on signal ",      "exited with non-zero status",
      "slurmstepd: error: ***"};
  return std::any_of(std::begin(kTexts), std::end(kTexts),
                     [&](std::string_view text) { return line.find(text) != line.npos; });
}

// What the catalogue has for what is not one text: a row of nccl-tests in which values are wrong,
// ranks that wait for each other with different tensors of Horovod, somebody who interrupted the
// job or sent it SIGTERM, ranks that make the same call with tensors of other shapes or types, a
// barrier that can never end, a GPU that is full of one process, a command line that a program
// could not read, a line of Slurm of which the reason is missing, what a shell that knows nothing
// more says of a crash, and what a sanitizer, the loader and glog say.
constexpr std::string_view kWrongRow = "nccl-tests: busbw #wrong";
constexpr std::string_view kCrossed = "[missing ranks: crossed]";
constexpr std::string_view kInterrupt = "a line with ^C or KeyboardInterrupt alone";
constexpr std::string_view kTerminated = "a line with Terminated of a shell";
constexpr std::string_view kSameCall = "Detected mismatch between collectives: same call";
constexpr std::string_view kLeftBarrier = "store based barrier: worker_count above world_size";
constexpr std::string_view kUsage = ": error: unrecognized arguments, or another";
constexpr std::string_view kOwnMemory = "cudaErrorMemoryAllocation: all of this process";
constexpr std::string_view kSlurmCut = "slurmstepd: error: *** (cut)";
constexpr std::string_view kSegmentation = "a line with Segmentation fault alone";
constexpr std::string_view kBusError = "a line with Bus error alone";
constexpr std::string_view kLoader = "a line of the loader: version `GLIBC_x' not found";
constexpr std::string_view kFatalCheck = "a fatal line of glog: Check failed: x";
constexpr std::string_view kSanitizer = "a sanitizer's line: x.h:7:7: runtime error: x";

/// "alloc.h:79:13: runtime error: ..." of UBSan; Go says "panic: runtime error: ...".
bool is_of_sanitizer(std::string_view line) {
  const auto at = line.find(": runtime error: ");
  if (at == line.npos || at == 0) return false;
  const auto column = line.find_last_not_of("0123456789", at - 1);
  if (column == line.npos || column + 1 == at || line[column] != ':' || column == 0) return false;
  return is_digit(line[column - 1]);
}

/// "./x: /lib/libc.so.6: version `GLIBC_2.38' not found (required by ./x)"; a program says as much
/// of an extension that it does without, in longer words.
bool is_of_loader(std::string_view line) {
  const auto at = line.find(": version `GLIBC");
  return at != line.npos && line.find("' not found (required by ", at) != line.npos &&
         words(line.substr(0, at)).size() <= 3 && line.find("arning") == line.npos;
}

/// "F0118 10:00:00.0 7 x.cc:20] Check failed: ..." of glog and Abseil, "...: F x.cc:20] ..." of
/// XLA: only of this severity a check ends the process.
bool is_fatal_check(std::string_view line) {
  auto at = line.find("] Check failed: ");
  if (at == line.npos) at = line.find("] Non-OK-status: ");
  if (at == line.npos) return false;
  constexpr std::size_t kDate = 5;
  return std::ranges::any_of(words(line.substr(0, at)), [](std::string_view word) {
    return word == "F" || (word.size() >= kDate && word[0] == 'F' &&
                           word.find_first_not_of("0123456789", 1) == word.npos);
  });
}

/// What nccl-tests says before it gives up: "n1: Test CUDA failure common.cu:891 '...'".
bool is_failure_of_tests(std::string_view line) {
  return line.find(": Test ") != line.npos && line.find(" failure ") != line.npos;
}

/// What the catalogue has for the line; mostly that is the line.
std::string_view text_of_catalogue(std::string_view line) {
  if (has_more_workers(line)) return kLeftBarrier;
  if (holds_it_alone(line)) return kOwnMemory;
  if (trim(line) == "Segmentation fault") return kSegmentation;
  if (trim(line) == "Bus error") return kBusError;
  if (is_of_sanitizer(line)) return kSanitizer;
  if (is_of_loader(line)) return kLoader;
  return is_usage_error(line) ? kUsage : line;
}

}  // namespace

JobLines::JobLines(Log& log, Position& position, Processes& processes, Events& events,
                   FailedCalls& calls)
    : log_(log),
      position_(position),
      processes_(processes),
      events_(events),
      calls_(calls),
      group_line_(events),
      crashes_(log, position, events),
      tracebacks_(log, position, events),
      watchdog_(log),
      call_stack_(log),
      torchrun_(log, position, events) {}

bool JobLines::waits() const {
  return broken_.waits() || group_line_.waits() || fields_.waits() || ras_.waits() ||
         crashes_.waits() || blocks_.waits() || watchdog_.waits() || tests_.waits() ||
         stalls_.waits() || call_stack_.waits() || tracebacks_.continues();
}

void JobLines::take(std::string_view line) {
  constexpr std::size_t kMostHeard = std::size_t{1} << 16U;
  constexpr std::size_t kMostEnded = 64;
  constexpr std::size_t kMostRuns = 4096;
  if (broken_.waits()) {
    const bool goes_on = broken_.join(line);
    if (!goes_on || broken_.is_whole()) end_broken();
    if (goes_on) return;
  }
  // What ends the file may be cut in a number.
  const bool is_last = position_.is_last();
  if (!is_last && fields_.waits()) {
    const std::string field = fields_.take(line);
    if (const auto rank = mpi_rank_in(field); rank && log_.ended_first.size() < kMostEnded)
      log_.ended_first.insert(*rank);
    add_detail(log_.events[fields_.event()], field);
  }
  const std::string of_group =
      group_line_.waits() ? group_line_.join(line, position_.line()) : std::string();
  if (!of_group.empty()) line = of_group;
  if (const auto rank = rank_in_front(line); rank && log_.heard.size() < kMostHeard)
    log_.heard.insert(*rank);
  if (is_interrupt(line)) {
    tracebacks_.take(line);
    const std::uint32_t index =
        events_.take({.message = line}, events_.cause_of(Cause::By::job, kInterrupt));
    if (index != kNone && log_.events[index].count == 1)
      log_.events[index].raised = tracebacks_.take_raised();
    take_above(index);
    tests_.end_run();
    return;
  }
  if (is_terminated(line)) {
    terminated_ = {std::string(line), position_.line(), text_above(position_.before())};
    return;
  }
  if (!is_last && call_stack_.take(line)) return;
  take_run(log_, position_, line);
  take_versions(log_, position_, line);
  if (!is_last && line.find("Force-fusing NICs using NCCL_") != line.npos)
    take_forced_merge(log_.processes[processes_.unnamed()], line);
  take_libfabric(log_, line);
  take_npu(log_, line);
  take_sharp(log_, line);
  if (!is_last) ras_.take(line, log_);
  if (!is_last) take_world_size(log_, line);
  if (crashes_.take(line) || take_plugin_test(line)) return;
  tracebacks_.take(line);
  if (const auto xla = last_warning_of_xla(line)) {
    log_.last_warning = log_.last_warning || is_known(xla->text);
    return take_blocks({*xla}, line);
  }
  if (blocks_.concerns(line)) {
    block_line_ = position_.line();
    const auto found = blocks_.take(line);
    take_blocks(found, line);
    if (!found.empty() || ErrorBlocks::begins(line)) return;
  }
  if (watchdog_.take(line)) {
    log_.last_waits[position_.file()] = position_.line();
    take_terminated();
  }
  TestsSummary unused;
  const std::size_t begun = log_.tests.ranks.begun;
  const bool is_wrong =
      tests_.take(line, is_last && !position_.ends_with_newline() ? unused : log_.tests);
  if (log_.tests.ranks.begun != begun && log_.tests_begun.size() < kMostRuns)
    log_.tests_begun.emplace_back(position_.file(), position_.line());
  if (is_wrong) {
    events_.take_in(line, line, events_.cause_of(Cause::By::job, kWrongRow));
    return;
  }
  if (is_end_of_launcher(line) || is_failure_of_tests(line) ||
      line.find("ending Ctrl-C to ") != line.npos)
    tests_.end_run();
  if (is_end_of_launcher(line)) {
    if (!log_.launcher_ends.contains(position_.file())) tracebacks_.take_above();
    log_.launcher_ends[position_.file()] = position_.line();
    // "srun: error: n1: task 0: Exited with exit code 1"; srun says of others what it could not do.
    if (line.find("srun: error: ") == line.npos || line.find(": task") != line.npos)
      end_attempt(log_, position_.file(), position_.line());
  }
  if (torchrun_.take(line)) return;
  if (line.find("Out of bounds values : 0 OK") != line.npos)
    log_.finished.emplace_back(position_.file(), position_.line());
  if (broken_.begin(line, position_.line()) || take_bare_warning(line)) return;
  if (const std::string crossed = stalls_.take(line); !crossed.empty()) {
    const std::uint32_t event =
        events_.take_in(line, line, events_.cause_of(Cause::By::job, kCrossed));
    if (event != kNone) add_detail(log_.events[event], crossed);
    return;
  }
  take_of_catalogue(line, of_group.empty() ? 0 : group_line_.line());
}

void JobLines::take_of_catalogue(std::string_view line, std::uint64_t at) {
  const bool is_stall = line.find("subset of ranks") != line.npos;
  if (is_stall || !stalls_.waits()) stall_event_ = kNone;
  const std::string differ = same_call_difference(line);
  std::uint32_t cause =
      events_.cause_of(Cause::By::job, differ.empty() ? text_of_catalogue(line) : kSameCall);
  if (cause == kNone && is_fatal_check(line)) cause = events_.cause_of(Cause::By::job, kFatalCheck);
  if (cause == kNone) group_line_.begin(line, position_.line());
  const std::uint32_t index = cause == kNone ? kNone : events_.take_in(line, line, cause, at);
  if (is_stall) stall_event_ = index;
  if (stall_event_ != kNone) add_detail(log_.events[stall_event_], Stalls::missing_in(line));
  if (index == kNone) return;
  Event& event = log_.events[index];
  if (events_.cause(cause)->ends) tests_.end_run();
  // CUDA reports most errors where some later call of the program comes by.
  const bool is_late =
      line.find("CUDA error") != line.npos && line.find("invalid device ordinal") == line.npos;
  if (at == 0 && event.count == 1 && !is_late) event.raised = tracebacks_.take_raised();
  if (at == 0) take_above(index);
  if (const std::uint32_t clock = clock_of_group_line(line); clock != 0)
    event.clock = event.clock == 0 ? clock : std::min(event.clock, clock);
  add_detail(event, differ);
  if (at == 0) add_detail(event, fields_.begin(line, index));
}

void JobLines::take_above(std::uint32_t index) {
  if (index == kNone) return;
  Event& event = log_.events[index];
  const Cause* const cause = events_.cause(event.cause);
  const bool is_end = cause != nullptr && cause->role == Cause::Role::end;
  // What is said again may be of the next run.
  if (is_end && event.line == position_.line()) event.above = text_above(position_.before());
}

void JobLines::take_terminated() {
  constexpr std::uint64_t kClose = 3;
  const Terminated before = std::exchange(terminated_, {});
  if (before.line == 0 || position_.line() - before.line > kClose) return;
  const std::uint32_t index = events_.take({.message = before.text, .line = before.line},
                                           events_.cause_of(Cause::By::job, kTerminated));
  if (index != kNone && log_.events[index].line == before.line)
    log_.events[index].above = before.above;
}

void JobLines::end_broken() {
  const bool has_reason = broken_.text().find("DUE TO ") != std::string::npos;
  if (has_reason || !broken_.is_unfinished_end())
    take_of_catalogue(broken_.text(), broken_.line());
  else
    events_.take_in(broken_.text(), broken_.text(), events_.cause_of(Cause::By::job, kSlurmCut),
                    broken_.line());
  broken_.clear();
}

/// "WARN: Function: find_ofi_provider Line: 543: NET/OFI text" (aws/aws-ofi-nccl, tests of 1.x;
/// issues 22 and 67).
bool JobLines::take_plugin_test(std::string_view line) {
  const auto warn = line.find("WARN: Function: ");
  const auto at = warn == line.npos ? warn : line.find(" Line: ", warn);
  const auto text = at == line.npos ? at : line.find("NET/OFI", at);
  if (text == line.npos) return false;
  events_.take_in(line, line.substr(text), events_.cause_of(Cause::By::nccl, line.substr(text)));
  return true;
}

bool JobLines::take_bare_warning(std::string_view line) {
  const BareWarning warning = bare_warning(line);
  if (warning.message.empty()) return false;
  const std::uint32_t cause = events_.cause_of(Cause::By::nccl, warning.message, warning.place);
  if (cause == kNone) return false;
  ++log_.messages;
  ++log_.unnamed;
  events_.take_in(line, warning.message, cause);
  calls_.expect_bare(true);
  return true;
}

bool JobLines::is_known(std::string_view warning) const {
  const Cause* const cause = events_.cause(events_.cause_of(Cause::By::nccl, warning));
  return cause != nullptr && cause->role != Cause::Role::note;
}

void JobLines::take_blocks(const std::vector<ErrorBlocks::Found>& found, std::string_view line,
                           std::uint64_t at) {
  for (const ErrorBlocks::Found& block : found) {
    std::string_view text = block.text;
    std::uint32_t cause = events_.cause_of(Cause::By::nccl, text);
    // NCCL's last warning may be one that was none.
    const bool is_note = cause != kNone && events_.cause(cause)->role == Cause::Role::note;
    if (text.empty() || is_note || (block.doubtful && cause == kNone)) {
      text = block.kind;
      cause = events_.cause_of(Cause::By::job, text);
    }
    const std::uint32_t event = events_.take_in(line, text, cause, at);
    // That is what the block says.
    if (event != kNone) log_.events[event].failed = log_.events[event].caller_failed = true;
  }
}

void JobLines::begin_file() {
  tracebacks_.begin_file();
  tests_.begin_file();
}

void JobLines::end_file() {
  take_blocks(blocks_.end(), {}, block_line_);
  crashes_.end_file();
  watchdog_.end_file();
  call_stack_.end_file();
  if (broken_.waits()) end_broken();
  stalls_.clear();
  ras_.clear();
  group_line_.clear();
  fields_.clear();
  torchrun_.end_file();
  tests_.end_file(log_.tests);
  terminated_ = {};
}

}  // namespace nettune::tools::nccl::log::job
