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

/// "./x: /lib/libc.so.6: version `GLIBC_2.38' not found (required by ./x)"; a program says as much
/// of an extension that it does without, in longer words.
bool is_of_loader(std::string_view line) {
  const auto at = line.find(": version `GLIBC");
  return at != line.npos && line.find("' not found (required by ", at) != line.npos &&
         words(line.substr(0, at)).size() <= 3 && line.find("arning") == line.npos;
}

/// What nccl-tests says before it gives up: "n1: Test CUDA failure common.cu:891 '...'".
bool is_failure_of_tests(std::string_view line) {
  return line.find(": Test ") != line.npos && line.find(" failure ") != line.npos;
}

/// "*** JOB 1 ON n CANCELLED AT time DUE TO reason ***", without its end and the reason.
bool lacks_end_of_slurm(std::string_view line) {
  static constexpr std::string_view kBegin = "slurmstepd: error: ***";
  const auto begin = line.find(kBegin);
  return begin != line.npos && line.find("***", begin + kBegin.size()) == line.npos &&
         line.find("DUE TO ", begin) == line.npos;
}

/// What the line is, where that is not told by texts in it; nullptr for others. `differ` is how two
/// ranks make the same call.
const Recogniser* recogniser_of(std::string_view line, const std::string& differ) {
  if (!differ.empty()) return &kSameCall;
  if (has_more_workers(line)) return &kMoreWorkers;
  if (trim(line) == "Segmentation fault") return &kSegmentation;
  if (trim(line) == "Bus error") return &kBusError;
  if (lacks_end_of_slurm(line)) return &kSlurmCut;
  return is_of_loader(line) ? &kGlibc : nullptr;
}

}  // namespace

JobLines::JobLines(Log& log, Position& position, Processes& processes, Events& events,
                   FailedCalls& calls)
    : log_(log),
      position_(position),
      processes_(processes),
      events_(events),
      calls_(calls),
      crashes_(log, position, events),
      tracebacks_(log, position, events),
      torchrun_(log, position, events) {}

bool JobLines::waits() const {
  return fields_.waits() || ras_.waits() || crashes_.waits() || blocks_.waits() || tests_.waits() ||
         tracebacks_.continues();
}

void JobLines::take(std::string_view line) {
  constexpr std::size_t kMostHeard = std::size_t{1} << 16U;
  constexpr std::size_t kMostEnded = 64;
  // What ends the file may be cut in a number.
  const bool is_last = position_.is_last();
  if (!is_last && fields_.waits()) {
    const std::string field = fields_.take(line);
    if (const auto rank = mpi_rank_in(field); rank && log_.ended_first.size() < kMostEnded)
      log_.ended_first.insert(*rank);
    add_detail(log_.events[fields_.event()], field);
  }
  if (const auto rank = rank_in_front(line); rank && log_.heard.size() < kMostHeard)
    log_.heard.insert(*rank);
  if (is_interrupt(line)) {
    tracebacks_.take(line);
    const std::uint32_t index = events_.take({.message = line}, events_.cause_of(kInterrupt));
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
  take_versions(log_, position_, line);
  if (!is_last && line.find("Force-fusing NICs using NCCL_") != line.npos)
    take_forced_merge(log_.processes[processes_.unnamed()], line);
  take_libfabric(log_, line);
  if (!is_last) ras_.take(line, log_);
  if (!is_last) take_world_size(log_, line);
  if (crashes_.take(line)) return;
  tracebacks_.take(line);
  if (blocks_.concerns(line)) {
    block_line_ = position_.line();
    const auto found = blocks_.take(line);
    take_blocks(found, line);
    if (!found.empty() || ErrorBlocks::begins(line)) return;
  }
  if (take_watchdog(log_, line)) {
    add_mark(Timeline::Kind::watchdog);
    take_terminated();
  }
  TestsSummary unused;
  const std::size_t begun = log_.tests.ranks.begun;
  const bool is_wrong =
      tests_.take(line, is_last && !position_.ends_with_newline() ? unused : log_.tests);
  if (log_.tests.ranks.begun != begun) add_mark(Timeline::Kind::tests_begin);
  if (is_wrong) {
    events_.take_in(line, line, events_.cause_of(kWrongRow));
    return;
  }
  if (is_end_of_launcher(line) || is_failure_of_tests(line) ||
      line.find("ending Ctrl-C to ") != line.npos)
    tests_.end_run();
  if (is_end_of_launcher(line)) {
    if (log_.timelines[position_.file()].last(Timeline::Kind::launcher) == 0)
      tracebacks_.take_above();
    add_mark(Timeline::Kind::launcher);
    // "srun: error: n1: task 0: Exited with exit code 1"; srun says of others what it could not do.
    if (line.find("srun: error: ") == line.npos || line.find(": task") != line.npos)
      add_mark(Timeline::Kind::process_end);
  }
  if (torchrun_.take(line)) return;
  if (line.find("Out of bounds values : 0 OK") != line.npos) add_mark(Timeline::Kind::tests_good);
  if (!take_bare_warning(line)) take_of_catalogue(line);
}

void JobLines::add_mark(Timeline::Kind kind) {
  log_.timelines[position_.file()].add(kind, position_.line());
}

void JobLines::take_of_catalogue(std::string_view line) {
  const std::string differ = same_call_difference(line);
  const Recogniser* const recogniser = recogniser_of(line, differ);
  const std::uint32_t cause = recogniser == nullptr ? events_.cause_of(Cause::By::job, line)
                                                    : events_.cause_of(*recogniser);
  const std::uint32_t index = cause == kNone ? kNone : events_.take_in(line, line, cause);
  if (index == kNone) return;
  Event& event = log_.events[index];
  if (events_.cause(cause)->ends) tests_.end_run();
  add_detail(event, shown_in(*events_.cause(cause), line));
  // CUDA reports most errors where some later call of the program comes by.
  const bool is_late =
      line.find("CUDA error") != line.npos && line.find("invalid device ordinal") == line.npos;
  if (event.count == 1 && !is_late) event.raised = tracebacks_.take_raised();
  take_above(index);
  if (const std::uint32_t clock = clock_of_group_line(line); clock != 0)
    event.clock = event.clock == 0 ? clock : std::min(event.clock, clock);
  add_detail(event, differ);
  fields_.begin(line, index);
}

void JobLines::take_above(std::uint32_t index) {
  if (index == kNone) return;
  Event& event = log_.events[index];
  const Cause* const cause = events_.cause(event.cause);
  const bool is_end = cause != nullptr && cause->tier == Cause::Tier::end;
  // What is said again may be of the next run.
  if (is_end && event.line == position_.line()) event.above = text_above(position_.before());
}

void JobLines::take_terminated() {
  constexpr std::uint64_t kClose = 3;
  const Terminated before = std::exchange(terminated_, {});
  if (before.line == 0 || position_.line() - before.line > kClose) return;
  const std::uint32_t index =
      events_.take({.message = before.text, .line = before.line}, events_.cause_of(kTerminated));
  if (index != kNone && log_.events[index].line == before.line)
    log_.events[index].above = before.above;
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

void JobLines::take_blocks(const std::vector<ErrorBlocks::Found>& found, std::string_view line,
                           std::uint64_t at) {
  for (const ErrorBlocks::Found& block : found) {
    std::string_view text = block.text;
    std::uint32_t cause = events_.cause_of(Cause::By::nccl, text);
    // NCCL's last warning may be one that was none.
    const bool is_note = cause != kNone && events_.cause(cause)->tier == Cause::Tier::note;
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
  ras_.clear();
  fields_.clear();
  torchrun_.end_file();
  tests_.end_file(log_.tests);
  terminated_ = {};
}

}  // namespace nettune::tools::nccl::log::job
