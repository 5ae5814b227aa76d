// SPDX-License-Identifier: Apache-2.0
//
// What the reader does with a line that NCCL did not write, or wrote before 2.3.5.
#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "nccl/log/bare.hpp"
#include "nccl/log/cursor.hpp"
#include "nccl/log/evidence.hpp"
#include "nccl/log/group_line.hpp"
#include "nccl/log/lines.hpp"
#include "nccl/log/prefix.hpp"
#include "nccl/log/reader.hpp"
#include "nccl/log/voice.hpp"
#include "nccl/log/watchdog.hpp"

namespace nettune::nccl_log {

namespace {

/// "2.20.5+cuda12.4", or without CUDA as PyTorch says it; "" where it is none. Up to 1.11 PyTorch
/// took 2.10.3 for 21.0.3: it divided NCCL's number 21003 by 1000.
std::string version_in(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  text = text.substr(0, std::min(text.find_first_of(" \t\"\\,;)]'"), kLongest));
  // Another process may go on behind it without a newline: "2.7.8+cuda10.2NCCL version ...".
  const auto digit = text.find("+cuda") == text.npos ? text.npos : text.find("+cuda") + 5;
  if (digit < text.size() && text[digit] >= '0' && text[digit] <= '9')
    text = text.substr(0, text.find_first_not_of("0123456789.", digit));
  while (text.ends_with('.') || text.ends_with(':')) text.remove_suffix(1);
  Cursor at(text);
  const auto major = at.number();
  const auto minor = at.skip(".") ? at.number() : std::nullopt;
  if (!major || !minor) return {};
  const auto patch = at.skip(".") ? at.number() : std::nullopt;
  if (*major < 10 || !patch) return std::string(text);
  const std::uint32_t number = *major * 1000 + *minor * 100 + *patch;
  return cat(number / 10000, ".", number % 10000 / 100, ".", number % 100);
}

/// "#  Rank  3 Group  0 Pid 14159 on node2 device  3 [0x4c] NVIDIA H800" of nccl-tests, and without
/// the group before 2.13.
void take_listed_rank(Log& log, std::string_view line) {
  constexpr std::uint32_t kMostRanks = 1U << 22U;
  // A document may have taken "#" for a heading: then it is such a line by all of its other words.
  const bool is_bare = line.starts_with("Rank ");
  const auto begin = is_bare ? 0 : line.find(" Rank ");
  const auto on = begin == line.npos ? begin : line.find(" on ", begin);
  if (on == line.npos) return;
  const bool is_marked = line.substr(0, begin).find('#') != line.npos;
  const bool is_whole = line.substr(begin, on - begin).find(" Group ") != line.npos &&
                        line.find(" [0", on) != line.npos && trim(line.substr(0, begin)).empty();
  if (!is_marked && !is_whole) return;
  const auto number_in = [](std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return Cursor(text).number();
  };
  const auto rank = number_in(line.substr(begin + (is_bare ? 5 : 6)));
  const auto pid = line.substr(0, on).rfind(" Pid ");
  const auto device = line.find(" device ", on);
  if (device == line.npos) return;  // the name may be cut
  const std::string_view host = trim(line.substr(on + 4, device - on - 4));
  if (!rank || *rank >= kMostRanks || pid == line.npos || !number_in(line.substr(pid + 5))) return;
  if (host.empty() || host.find(' ') != host.npos) return;
  log.listed_ranks = std::max(log.listed_ranks, *rank + 1);
  log.listed.insert(*rank);
  const auto process = cat(host, " ", *number_in(line.substr(pid + 5)));
  const auto [known, is_new] = log.listed_processes.emplace(*rank, process);
  if (!is_new && known->second != process) log.listed_twice.insert(*rank);
  log.listed_hosts.emplace(host);
}

/// "# nccl-tests version 2.20.0 nccl-headers=23102 nccl-library=23102" is 2.31.2; "" for others.
/// Its end may be cut, but not its five digits.
std::string library_of_tests(std::string_view line) {
  static constexpr std::string_view kWord = " nccl-library=";
  const auto at = line.find(kWord);
  if (at == line.npos) return {};
  const auto number = Cursor(line.substr(at + kWord.size())).number();
  if (!number || *number < 20900 || *number > 99999) return {};
  return cat(*number / 10000, ".", *number % 10000 / 100, ".", *number % 100);
}

/// Of torchrun, DeepSpeed, srun and mpirun, about a process that ended.
bool is_end_of_launcher(std::string_view line) {
  static constexpr std::string_view kTexts[] = {
      "(exitcode: ",           "exits with return code", "Root Cause (first observed failure)",
      "srun: error: ",         "exited on signal ",      "exited with non-zero status",
      "slurmstepd: error: ***"};
  return std::any_of(std::begin(kTexts), std::end(kTexts),
                     [&](std::string_view text) { return line.find(text) != line.npos; });
}

/// What the catalogue has for a row of nccl-tests in which values are wrong.
constexpr std::string_view kWrongRow = "nccl-tests: busbw #wrong";

/// What it has for a crash of which the trace shows where it was.
constexpr std::string_view kInNccl = "==== backtrace in NCCL";
constexpr std::string_view kBelowNccl = "==== backtrace below NCCL";

/// What it has for ranks that wait for each other with different tensors of Horovod.
constexpr std::string_view kCrossed = "[missing ranks: crossed]";

/// What it has for somebody who interrupted the job.
constexpr std::string_view kInterrupt = "a line with ^C or KeyboardInterrupt alone";

/// What it has for ranks that make the same call with tensors of other shapes or types.
constexpr std::string_view kSameCall = "Detected mismatch between collectives: same call";

/// What it has for a line of Slurm of which the reason is missing.
constexpr std::string_view kSlurmCut = "slurmstepd: error: *** (cut)";

/// Of Slurm: "*** JOB 1 ON n CANCELLED AT time DUE TO reason ***".
bool is_unfinished_end(std::string_view line) {
  static constexpr std::string_view kBegin = "slurmstepd: error: ***";
  const auto begin = line.find(kBegin);
  return begin != line.npos && line.find("***", begin + kBegin.size()) == line.npos;
}

/// What counts of a line is missing: a terminal or a document put it into the next one.
bool is_broken_off(std::string_view line) {
  if (is_unfinished_end(line)) return true;
  line = trim(line);
  // "[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:534]"
  const auto gloo = line.rfind("gloo/transport/tcp/");
  if (gloo != line.npos && line.ends_with(']') && line.find(' ', gloo) == line.npos) return true;
  const auto client = line.find("client socket has timed out after ");
  return client != line.npos && line.find(" while", client) == line.npos;
}

/// How the rest of such a line begins.
bool goes_on(std::string_view line) {
  static constexpr std::string_view kRests[] = {"CANCELLED AT",
                                                "DUE TO ",
                                                "SEE SLURMCTLD",
                                                "***",
                                                "Connection ",
                                                "Read ",
                                                "Write ",
                                                "Timed out ",
                                                "Socket ",
                                                "writev ",
                                                "Application timeout",
                                                "while trying",
                                                "trying to connect"};
  line = trim(line);
  // "2020-07-29T18:45:16 DUE TO NODE FAILURE,"
  if (line.starts_with("20") && line.find('T') == 10) return true;
  return std::any_of(std::begin(kRests), std::end(kRests),
                     [&](std::string_view rest) { return line.starts_with(rest); });
}

}  // namespace

void Reader::take_versions(std::string_view line) {
  // The latter of vLLM and SGLang, pynccl.py.
  for (const std::string_view word : {"NCCL version ", "is using nccl=="}) {
    const auto at = line.find(word);
    if (at == line.npos) continue;
    const std::string_view text = line.substr(at + word.size());
    const bool goes_on = text.find_first_of(" \t\"\\,;)]'") != text.npos;
    if (is_last_ && !goes_on && !is_whole_version(text, newline_)) continue;
    const std::string version = version_in(text);
    if (!version.empty()) add_once(log_.versions, log_.names.id(version));
  }
  // "RCCL version : 2.21.5-main:a29a210+", "RCCL version 2.18.3+hip6.0 HEAD:..." and "RCCL version:
  // 2.27.7".
  static constexpr std::string_view kRccl = "RCCL version";
  if (const auto at = line.find(kRccl); at != line.npos) {
    std::string_view text = line.substr(at + kRccl.size());
    text.remove_prefix(std::min(text.find_first_not_of(": "), text.size()));
    const auto end = text.find_first_of("-+ ");
    const std::string version = version_in(text.substr(0, end));
    const bool is_cut = is_last_ && end == text.npos && !is_whole_version(text, newline_);
    if (!is_cut && !version.empty())
      add_once(log_.versions, log_.names.id(cat(version, " (RCCL)")));
  }
  if (const std::string version = library_of_tests(line); !version.empty())
    add_once(log_.versions, log_.names.id(version));
}

void Reader::take_bare(std::string_view line) {
  constexpr std::size_t kMostHeard = std::size_t{1} << 16U;
  // "2: " of srun at the begin of a file may be the rest of "12: ".
  if (here() == 1) line = without_plain_label(line);
  std::string of_nccl;
  if (const auto nccl = add_nccl(line, of_nccl); nccl != line.npos)
    return take_segments(of_nccl, nccl, !is_last_);
  if (bare_calls_ && take_bare_call(line)) return;
  if (ring_ != 0) end_ring(line);
  if (!broken_.empty() && take_rest(line)) return;
  // What ends the file may be cut in a number.
  if (const auto worker = is_last_ ? std::nullopt : dead_worker_.take(line))
    add_detail(log_.events[dead_worker_event_], *worker);
  if (!is_last_ && fields_.waits()) add_detail(log_.events[fields_event_], fields_.take(line));
  const std::string of_group = with_group_line(line);
  if (!of_group.empty()) line = of_group;
  const auto rank = rank_in_front(line);
  if (rank && log_.heard.size() < kMostHeard) log_.heard.insert(*rank);
  if (is_interrupt(line))
    return take_event({kNone, kNone, {}, line}, find_cause(causes_, Cause::By::job, kInterrupt));
  take_versions(line);
  if (!is_last_ && line.find("Force-fusing NICs using NCCL_") != line.npos)
    take_forced_merge(log_.processes[unnamed()], line);
  take_libfabric(line);
  take_sharp(line);
  if (!is_last_) ras_.take(line, log_);
  take_listed_rank(log_, line);
  if (const auto crash = traces_.take(line, here())) return take_crash(*crash, line);
  if (take_plugin_test(line) || take_signal(line)) return;
  if (tracebacks_.waits() || Tracebacks::begins(line)) take_traceback(line);
  if (const auto xla = last_warning_of_xla(line)) {
    log_.last_warning = log_.last_warning || is_known(xla->text);
    return report({*xla}, line);
  }
  if (blocks_.concerns(line)) {
    block_line_ = here();
    const auto found = blocks_.take(line);
    report(found, line);
    if (!found.empty() || ErrorBlocks::begins(line)) return;
  }
  take_wait(line);
  // Numbers of what ends the file may be cut.
  TestsSummary unused;
  if (wrong_rows_.take(line, is_last_ && !newline_ ? unused : log_.tests))
    return take_event({kNone, rank.value_or(kNone), {}, line},
                      find_cause(causes_, Cause::By::job, kWrongRow));
  if (is_end_of_launcher(line)) {
    if (!log_.launcher_ends.contains(file())) take_exception_before();
    log_.launcher_ends[file()] = here();
  }
  if (take_torchrun(line) || is_killed_by_torchrun(line)) return;
  if (line.find("Out of bounds values") != line.npos) log_.listed_processes.clear();
  if (line.find("Out of bounds values : 0 OK") != line.npos)
    log_.finished.emplace_back(file(), here());
  if (is_broken_off(line)) {
    broken_ = line;
    broken_line_ = here();
    return;
  }
  if (take_bare_warning(line)) return;
  if (const std::string crossed = stalls_.take(line); !crossed.empty()) {
    take_event({kNone, rank_in_front(line).value_or(kNone), {}, line},
               find_cause(causes_, Cause::By::job, kCrossed));
    if (const std::uint32_t last = last_events_[unnamed()]; last != kNone)
      add_detail(log_.events[last], crossed);
    return;
  }
  const bool is_stall = line.find("subset of ranks") != line.npos;
  if (is_stall || !stalls_.waits()) stall_event_ = kNone;
  take_of_job(line, of_group.empty() ? 0 : group_line_at_);
  if (is_stall) stall_event_ = last_events_[unnamed()];
  if (stall_event_ != kNone) add_detail(log_.events[stall_event_], Stalls::missing_in(line));
}

void Reader::take_of_job(std::string_view line, std::uint64_t at) {
  const std::string differ = same_call_difference(line);
  const std::uint32_t cause =
      find_cause(causes_, Cause::By::job, differ.empty() ? line : std::string_view(kSameCall));
  if (cause == kNone) {
    if (is_group_error(line)) {
      group_line_ = line;
      group_line_at_ = here();
    }
    return;
  }
  take_event({kNone, rank_in_front(line).value_or(kNone), {}, line, at}, cause);
  dead_worker_event_ = last_events_[unnamed()];
  if (dead_worker_event_ == kNone) return dead_worker_.clear();
  if (Event& event = log_.events[dead_worker_event_]; event.cause == cause)
    if (const std::uint32_t clock = clock_of_group_line(line); clock != 0)
      event.clock = event.clock == 0 ? clock : std::min(event.clock, clock);
  add_detail(log_.events[dead_worker_event_], differ);
  if (at == 0 && fields_.begin(line)) fields_event_ = dead_worker_event_;
  if (const auto worker = dead_worker_.begin(line))
    add_detail(log_.events[dead_worker_event_], *worker);
}

/// "[rank6]:[E429 ... ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank 6]
/// ProcessGroupNCCL'" and "s watchdog got stuck for 480 seconds ..." (om-ai-lab/VLM-R1 issue 257):
/// what neither line says alone, or the latter where it is of ProcessGroupNCCL by its own words.
std::string Reader::with_group_line(std::string_view line) {
  if (group_line_.empty()) return {};
  const std::string begun = std::exchange(group_line_, {});
  if (here() != group_line_at_ + 1 || rank_in_front(line) || is_group_error(line)) return {};
  const std::uint32_t alone = find_cause(causes_, Cause::By::job, line);
  const bool is_own = line.find("ProcessGroupNCCL") != line.npos || rank_in_group(line);
  if (alone != kNone && !is_own) return {};
  for (const std::string_view between : {"", " "}) {
    std::string joined = cat(begun, between, line);
    if (find_cause(causes_, Cause::By::job, joined) != kNone) return joined;
  }
  return {};
}

/// "slurmstepd: error: *** JOB 1 ON n CANCELLED AT" (a user guide of an HPC centre), "RuntimeError:
/// [.../gloo/transport/tcp/pair.cc:538]" (documents of torchft and SGLang), "The client socket has
/// timed out after 600000ms" and what follows below.
bool Reader::take_rest(std::string_view line) {
  constexpr std::size_t kLongest = 600;
  if (!goes_on(line) || broken_.size() > kLongest) {
    flush_broken();
    return false;
  }
  broken_ = cat(trim(broken_), " ", trim(line));
  if (!is_broken_off(broken_)) flush_broken();
  return true;
}

void Reader::flush_broken() {
  if (broken_.empty()) return;
  const std::string line = std::exchange(broken_, {});
  const bool has_reason = line.find("DUE TO ") != line.npos;
  if (has_reason || !is_unfinished_end(line)) return take_of_job(line, broken_line_);
  take_event({kNone, rank_in_front(line).value_or(kNone), {}, line, broken_line_},
             find_cause(causes_, Cause::By::job, kSlurmCut));
}

/// "libfabric:462:1673041636:efa:core:function():506<warn> text": of hints that it prints for every
/// provider that it tries it is not known which one matters, so that they are kept and not judged.
void Reader::take_libfabric(std::string_view line) {
  constexpr std::size_t kLongest = 200;
  static constexpr std::string_view kWarn = "<warn> ";
  const auto begin = line.find("libfabric:");
  const auto warn = begin == line.npos ? begin : line.find(kWarn, begin);
  if (warn == line.npos) return;
  std::string_view text = line.substr(warn + kWarn.size());
  text = text.substr(0, text.find(" | libfabric:"));  // CloudWatch may show a line twice
  add_once(log_.libfabric, log_.names.id(trim(text).substr(0, kLongest)));
}

/// "[node2:0:3745 - context.c:709][2024-09-24 16:15:29] ERROR text" and "[node2:0:3745 unique id
/// 93705834][...] ERROR text" of libsharp, "[node2][Sep 24 16:15:29 847428][GENERAL][3745][warn ] -
/// Begin job id: 93705834 failed with status: No resource" of its daemon (NVIDIA/nccl issues 1219
/// and 1460). NCCL goes on without SHARP: they say why it is off.
void Reader::take_sharp(std::string_view line) {
  constexpr std::size_t kLongest = 200;
  constexpr std::size_t kMost = 16;
  static constexpr std::string_view kError = " ERROR ";
  static constexpr std::string_view kJob = "Begin job id: ";
  std::string_view text;
  if (const auto job = line.find(kJob); job != line.npos) {
    text = line.substr(job);
    if (text.find(" failed with status: ") == text.npos) return;
  } else {
    const auto error = line.find(kError);
    if (error == line.npos || error == 0 || line[error - 1] != ']') return;
    const std::string_view front = line.substr(0, error);
    const auto dash = front.find(" - ");
    const bool is_of_sharp = front.find(" unique id ") != front.npos ||
                             (dash != front.npos && front.find(".c:", dash) != front.npos);
    if (!is_of_sharp) return;
    text = line.substr(error + kError.size());
  }
  text = trim(text).substr(0, kLongest);
  if (!text.empty() && log_.sharp.size() < kMost) add_once(log_.sharp, log_.names.id(text));
}

/// "WARN: Function: find_ofi_provider Line: 543: NET/OFI text" (aws/aws-ofi-nccl, tests of 1.x;
/// issues 22 and 67).
bool Reader::take_plugin_test(std::string_view line) {
  const auto warn = line.find("WARN: Function: ");
  const auto at = warn == line.npos ? warn : line.find(" Line: ", warn);
  const auto text = at == line.npos ? at : line.find("NET/OFI", at);
  if (text == line.npos) return false;
  take_event({kNone, rank_in_front(line).value_or(kNone), {}, line.substr(text), 0, line},
             find_cause(causes_, Cause::By::nccl, line.substr(text)));
  return true;
}

bool Reader::take_bare_warning(std::string_view line) {
  const BareWarning warning = bare_warning(line);
  if (warning.message.empty()) return false;
  const std::uint32_t cause = find_cause(causes_, Cause::By::nccl, warning.message, warning.place);
  if (cause == kNone) return false;
  ++log_.messages;
  ++log_.unnamed;
  take_event({kNone, rank_in_front(line).value_or(kNone), {}, warning.message, 0, line}, cause);
  bare_calls_ = true;
  return true;
}

/// "[node1:77] *** Process received signal ***", "[node1:77] Signal: Segmentation fault (11)": the
/// latter is what counts. Where it is missing, end_file() reports the former.
bool Reader::take_signal(std::string_view line) {
  if (line.find("*** Process received signal ***") != line.npos) {
    signal_ = line;
    signal_line_ = here();
    return true;
  }
  if (!signal_.empty() && line.find("Signal: ") != line.npos) signal_.clear();
  return false;
}

void Reader::take_crash(const CrashTraces::Found& crash, std::string_view line) {
  const std::uint32_t cause =
      find_cause(causes_, Cause::By::job, crash.below ? kBelowNccl : kInNccl);
  // The line about the signal is directly before the trace, or the first of it.
  constexpr std::uint64_t kClose = 3;
  const auto said = std::find_if(log_.events.rbegin(), log_.events.rend(), [&](const Event& event) {
    return event.file == file() && event.cause != kNone && causes_[event.cause].ends &&
           causes_[event.cause].role == Cause::Role::either && event.count == 1 &&
           event.line + kClose >= crash.line;
  });
  if (said == log_.events.rend())
    return take_event(
        {kNone, rank_in_front(line).value_or(kNone), {}, crash.frame, crash.line, line}, cause);
  said->cause = cause;
  said->text += cat("; ", crash.frame);
  // Another process may crash elsewhere.
  const auto index = static_cast<std::uint32_t>(log_.events.rend() - said - 1);
  std::erase_if(events_, [&](const auto& known) { return known.second == index; });
}

/// A launcher may break the line of a timeout before the call (mila-iqia/milabench pull request
/// 269), and a terminal anywhere (HKUDS/GraphGPT issue 44).
void Reader::take_wait(std::string_view line) {
  constexpr std::size_t kLongest = 600;
  std::string text(line);
  if (!timeout_.empty()) {
    const bool goes_on = line.find("[Rank ") == line.npos && line.find("[PG ") == line.npos;
    const auto call = line.find("WorkNCCL(SeqNum=");
    if (goes_on)
      text = cat(timeout_, timeout_.ends_with(':') ? " " : "",
                 call == line.npos ? trim(line) : line.substr(call));
    else if (take_watchdog(log_, timeout_))
      log_.last_waits[file()] = here();
    timeout_.clear();
  }
  const auto caught = text.find("Watchdog caught collective operation timeout:");
  if (caught != text.npos && text.size() < kLongest && text.find(" ran for", caught) == text.npos)
    timeout_ = trim(text);
  else if (take_watchdog(log_, text))
    log_.last_waits[file()] = here();
}

/// What has a cause of its own is taken as any other line.
void Reader::take_traceback(std::string_view line) {
  if (Tracebacks::begins(line)) {
    // "Exception ignored in: <function Pool.__del__>": it ended nothing.
    const std::string_view before = previous_.empty() ? last_line_ : last_line(previous_);
    if (before.find("Exception ignored in") != before.npos) return;
  }
  const std::string_view exception = tracebacks_.take(line);
  if (exception.empty()) return;
  const std::uint32_t cause = find_cause(causes_, Cause::By::job, exception, "traceback");
  if (cause != kNone && causes_[cause].role == Cause::Role::program)
    take_event({kNone, rank_in_front(line).value_or(kNone), {}, exception, 0, line}, cause);
}

void Reader::take_exception_before() {
  constexpr unsigned kClose = 4;
  constexpr unsigned kMost = 64;  // with what torchrun says to the others
  const bool is_known =
      std::any_of(log_.events.begin(), log_.events.end(), [&](const Event& event) {
        return event.file == file() && event.cause != kNone &&
               causes_[event.cause].role == Cause::Role::program;
      });
  if (is_known) return;
  std::string_view before = previous_.empty() ? last_line_ : previous_;
  unsigned others = 0;
  for (unsigned back = 1; back <= kMost && others < kClose && !before.empty(); ++back) {
    if (before.ends_with('\n')) before.remove_suffix(1);
    const auto newline = before.rfind('\n');
    std::string_view line = before.substr(newline == before.npos ? 0 : newline + 1);
    before = before.substr(0, newline == before.npos ? 0 : newline + 1);
    if (line.find(" closing signal ") == line.npos) ++others;
    const auto rank = rank_in_front(line);
    line = without_plain_label(trim(line));
    if (const auto end = line.find("]: "); line.starts_with("[rank") && end != line.npos)
      line.remove_prefix(end + 3);
    if (!Tracebacks::is_exception(line)) continue;
    const std::uint32_t cause = find_cause(causes_, Cause::By::job, line, "traceback");
    if (cause != kNone && causes_[cause].role == Cause::Role::program)
      take_event({kNone, rank.value_or(kNone), {}, line, here() - back}, cause);
    return;
  }
}

bool Reader::is_known(std::string_view warning) const {
  const std::uint32_t cause = find_cause(causes_, Cause::By::nccl, warning);
  return cause != kNone && causes_[cause].role != Cause::Role::note;
}

void Reader::report(const std::vector<ErrorBlocks::Found>& found, std::string_view line,
                    std::uint64_t at) {
  for (const ErrorBlocks::Found& block : found) {
    Said said{kNone, rank_in_front(line).value_or(kNone), {}, block.text, at, line};
    std::uint32_t cause = find_cause(causes_, Cause::By::nccl, block.text);
    // NCCL's last warning may be one that was none.
    const bool is_note = cause != kNone && causes_[cause].role == Cause::Role::note;
    if (block.text.empty() || is_note || (block.doubtful && cause == kNone)) {
      said.message = block.kind;
      cause = find_cause(causes_, Cause::By::job, block.kind);
    }
    take_event(said, cause);
    if (const std::uint32_t last = last_events_[unnamed()]; last != kNone)
      log_.events[last].failed = true;  // that is what the block says
  }
}

}  // namespace nettune::nccl_log
