// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/print_nccl_explain.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"
#include "tools/nccl/log/failed_calls.hpp"
#include "tools/nccl/log/judge/event_details.hpp"
#include "tools/nccl/log/judge/first_cause.hpp"
#include "tools/nccl/log/judge/heard.hpp"
#include "tools/nccl/log/judge/remarks.hpp"
#include "tools/nccl/log/judge/suggestions.hpp"
#include "tools/nccl/log/judge/tests_remarks.hpp"
#include "tools/nccl/log/judge/whole.hpp"
#include "tools/nccl/log/judge/why.hpp"

namespace nettune::tools::nccl::program::text {

namespace {
using log::Answer;
using log::Cause;
using log::Event;
using log::kNone;
using log::Log;
using log::Process;
using log::judge::Rank;

constexpr std::size_t kLargestMatrix = 32;  ///< ranks
constexpr std::size_t kMostNamed = 8;
constexpr const char* kNoFailure = "Nothing in the log shows that the job failed because of it.";

std::string list_or(const std::vector<std::string>& texts, const char* none) {
  return texts.empty() ? std::string(none) : node::safe(join(texts, ", "));
}

/// "ranks 0-7,16", or hosts and pids where no rank is known; long lists are cut. `ranks` and
/// `speakers` are those that lines without NCCL's prefix say.
std::string who(const Explained& explained, const std::vector<std::uint32_t>& processes,
                std::set<std::uint32_t> ranks = {}, const std::set<std::string>& speakers = {}) {
  std::vector<std::string> others;
  for (const std::uint32_t i : processes) {
    const auto own = ranks_of(explained.log, explained.verdict, i);
    ranks.insert(own.begin(), own.end());
    if (own.empty() && !explained.log.processes[i].host.empty())
      others.push_back(process_name(explained.log, explained.verdict, i));
  }
  others.insert(others.end(), speakers.begin(), speakers.end());
  const std::size_t more = others.size() > kMostNamed ? others.size() - kMostNamed : 0;
  others.resize(others.size() - more);
  if (more != 0) others.push_back(cat("and ", more, " more"));
  if (!ranks.empty())
    others.insert(others.begin(), cat(ranks.size() == 1 ? "rank " : "ranks ",
                                      log::ranges({ranks.begin(), ranks.end()})));
  return node::safe(join(others, ", "));
}

/// The same, where lines that name nobody say it as well.
std::string said_by_whom(const Explained& explained, const std::vector<std::uint32_t>& processes) {
  const std::string by = who(explained, processes);
  return by.empty() ? "lines without a readable prefix" : by;
}

std::string devices(const Explained& explained, const cli::Style& style) {
  std::map<std::string, std::map<std::string, std::vector<std::uint32_t>>> facts;
  const Log& log = explained.log;
  for (std::uint32_t i = 0; i < log.processes.size(); ++i) {
    const Process& process = log.processes[i];
    const auto note = [&](const char* what, const std::vector<std::uint32_t>& ids) {
      for (const std::uint32_t id : ids) facts[what][log.names.text(id)].push_back(i);
    };
    note("RDMA devices", process.ib);
    note("GPUDirect", process.gdr);
    if (process.cuda_driver != 0)
      facts["CUDA of the driver"][log::cuda_version(process.cuda_driver)].push_back(i);
    std::set<std::string> interfaces;
    for (const auto* ids : {&process.bootstrap, &process.sockets})
      for (const std::uint32_t id : *ids) {
        // "[0]eth0:10.0.0.1<0> [1]veth1:fe80::1%veth1<0>"
        for (std::string_view name : split(log.names.text(id), ' ')) {
          if (name.starts_with('[')) name.remove_prefix(name.find(']') + 1);
          // What else may stand on the line is of whoever wrote it down.
          if (const auto colon = name.find(':'); colon != 0 && colon != name.npos)
            interfaces.emplace(name.substr(0, colon));
        }
      }
    for (const std::string& name : interfaces) facts["interfaces"][name].push_back(i);
    for (const std::string& gid : process.gids) facts["GIDs"][gid].push_back(i);
    if (process.ring_gdr == Answer::no)
      facts["GPUDirect"]["at least one connection of the communicator's rings does not use it"]
          .push_back(i);
  }
  constexpr std::size_t kMostValues = 8;
  std::string text;
  for (const auto& [what, values] : facts) {
    std::size_t shown = 0;
    for (const auto& [value, processes] : values) {
      if (shown++ == kMostValues) {
        text += cat("  ", what, ": and ", values.size() - kMostValues, " more (--json has all)\n");
        break;
      }
      text += cli::wrap(
          cat(what, ": ", node::safe(value), " (", said_by_whom(explained, processes), ")"), "  ",
          style.width);
    }
  }
  return text;
}

std::string differences(const Explained& explained, const cli::Style& style) {
  std::string text;
  for (const log::judge::Difference& difference : explained.verdict.differences) {
    text += cat("  ", style.bold(node::safe(difference.what)), "\n");
    for (const auto& group : difference.groups)
      text +=
          cli::wrap(cat(node::safe(group.value), ": ", said_by_whom(explained, group.processes)),
                    "    ", style.width);
  }
  return text;
}

std::string lines_of(const std::vector<std::string>& texts, const cli::Style& style) {
  std::string text;
  for (const std::string& one : texts) text += cli::wrap(node::safe(one), "  ", style.width);
  return text;
}

std::string place(const Explained& explained, std::uint32_t file, std::uint64_t line) {
  const auto& files = explained.log.files;
  return cat(file < files.size() ? node::safe(files[file]) : std::string("?"), ":", line);
}

std::string place(const Explained& explained, const Event& event) {
  return place(explained, event.file, event.line);
}

/// "Printed after the program had reported success (job.log:1650)", of the first one of which it is
/// so.
std::string title_of_end(const Explained& explained) {
  std::string title = "Printed after the program had reported success";
  if (explained.verdict.after_success.empty()) return title;
  const Event& event = explained.log.events[explained.verdict.after_success.front()];
  const auto* const run = log::success_before(explained.log, event.file, event.line);
  if (run == nullptr) return title;
  if (run->of_rank) title = "Printed after a rank had ended well; no line says that one failed";
  return cat(title, " (", place(explained, run->file, run->line), ")");
}

/// The message, behind the place in NCCL's code that prints it.
std::string quote(const Event& event) {
  return node::safe(event.place.empty() ? event.text : cat(event.place, ": ", event.text));
}

/// The rank or the process that printed the message; "" if its line names neither.
std::string speaker(const Explained& explained, const Event& event) {
  if (event.rank != kNone) return cat("rank ", event.rank);
  if (event.group_rank != kNone) return log::judge::group_ranks_of({event.group_rank});
  if (explained.log.processes[event.process].host.empty()) return node::safe(event.who);
  const Process& process = explained.log.processes[event.process];
  std::string name = process_name(explained.log, explained.verdict, event.process);
  // Of a process that no communicator shows, its rank in the only one that it speaks of.
  if (explained.verdict.main == kNone && process.said.size() == 1)
    name = cat("rank ", process.said.front().first, " of ", process.said.front().second, " (", name,
               ")");
  if (event.device != kNone && process.memberships.size() != 1)
    name += cat(" [", event.device, "]");
  return node::safe(name);
}

/// What a program printed, not how a launcher or the scheduler tells its end.
bool is_of_a_program(const Cause& cause) {
  return cause.role == Cause::Role::program ||
         (cause.by == Cause::By::job && !cause.ends && cause.role != Cause::Role::end);
}

std::string first_error(const Explained& explained, const cli::Style& style) {
  const Event& event = explained.log.events[*explained.verdict.first];
  std::string by = speaker(explained, event);
  if (!event.time.empty()) by += cat(by.empty() ? "at " : " at ", event.time);
  std::string text =
      cli::wrap(cat(by, by.empty() ? "" : ", ", place(explained, event), ": ", quote(event)), "  ",
                style.width);
  for (const std::string& detail :
       log::judge::event_details(explained.log, explained.causes, event))
    text += cli::wrap(cat("also in the log: ", node::safe(detail)), "  ", style.width);
  const bool is_of_program = event.cause != kNone && is_of_a_program(explained.causes[event.cause]);
  if (by.empty() && is_of_program && !explained.log.ended.empty())
    text += cli::wrap(cat("torchrun reports that ", log::judge::ranks_name(explained.log.ended),
                          " failed; this line does not say whose it is"),
                      "  ", style.width);
  // Several are of several runs.
  else if (by.empty() && is_of_program && explained.log.ended_first.size() == 1 &&
           explained.causes[event.cause].role != Cause::Role::symptom)
    text += cli::wrap(cat("mpirun reports that ", log::judge::ranks_name(explained.log.ended_first),
                          " ended first; this line does not say whose it is"),
                      "  ", style.width);
  if (event.cut) return text + "  why: unknown; the end of the message is missing\n";
  const auto add = [&](const char* remark) { text += cli::wrap(remark, "  ", style.width); };
  if (event.cause == kNone) {
    if (!explained.verdict.failed) add(kNoFailure);
    return text + "  why: not in the catalogue of causes; there is only the message\n";
  }
  const Cause& cause = explained.causes[event.cause];
  if (explained.verdict.ended_before_waits)
    add("By the times in the log it ended before the watchdog's first time-out, which can follow "
        "from that. Why it ended was not found in the log.");
  else if (explained.verdict.ended_alone)
    add("No error of its own was read, and what others report can follow from its end. Why it "
        "ended was not found in the log.");
  else if (!explained.verdict.follows_from.empty() &&
           (cause.id == "watchdog" || !explained.verdict.left.empty()))
    text += cli::wrap(cat("It fits what was found: ", node::safe(explained.verdict.follows_from)),
                      "  ", style.width);
  else if (cause.role == Cause::Role::symptom && !explained.verdict.unequal.empty())
    text += cli::wrap(cat("It can follow from what must be equal on all ranks and may not be: ",
                          node::safe(explained.verdict.unequal.front())),
                      "  ", style.width);
  else if (cause.role == Cause::Role::symptom || cause.role == Cause::Role::echo)
    add("This follows from something else, which was not found in the log.");
  // What keeps a job from starting comes before its ranks; its entry says what it can follow from.
  if (cause.role == Cause::Role::either && !cause.starts && !explained.verdict.ended_alone &&
      !explained.verdict.facts.contains(log::Fact::one_process))
    add("It can also follow from another rank that failed earlier.");
  if (cause.role == Cause::Role::end)
    add("An error before it would be the cause; none was found in this file.");
  if (const auto* const run = log::success_before(explained.log, event.file, event.line))
    text +=
        cli::wrap(cat(run->of_rank ? "Before it, a rank had ended well ("
                                   : "Before it, the program reported that its run was a success (",
                      place(explained, run->file, run->line), ")."),
                  "  ", style.width);
  if (event.retried) add("This was retried; how that ended was not found in the log.");
  if (!explained.verdict.failed) add(kNoFailure);
  text += cli::wrap(cat("why: ", why_of(explained.log, explained.verdict, cause, event)), "  ",
                    style.width);
  if (!explained.verdict.left.empty())
    add("check: what makes ranks do different numbers of steps: data that is not split evenly, a "
        "loop that ends early on one rank, a missing barrier before the end");
  else
    for (const std::string& check : checks_of(explained.log, explained.verdict, cause, event))
      text += cli::wrap(cat("check: ", check), "  ", style.width);
  if (const auto peers = log::judge::peers_named(explained.log, event); !peers.empty())
    text +=
        cli::wrap(cat("the peer is on ", node::safe(explained.log.processes[peers.front()].host),
                      ": ", who(explained, peers)),
                  "  ", style.width);
  return text;
}

/// Each kind of error once, with who says it.
std::string all_errors(const Explained& explained, const std::vector<std::uint32_t>& events,
                       const cli::Style& style) {
  struct Kind {
    std::set<std::uint32_t> processes;
    std::set<std::uint32_t> ranks;
    std::set<std::uint32_t> group_ranks;
    std::set<std::string> speakers;
    std::uint64_t count = 0;
    std::uint64_t named = 0;      ///< of them those that say whose they are
    std::uint32_t first = kNone;  ///< of Log::events
    bool is_shown = false;        ///< the message is its name, or quoted as the first cause
  };
  constexpr std::size_t kLongestText = 160;
  std::vector<std::string> order;
  std::map<std::string, Kind> kinds;
  for (const std::uint32_t i : events) {
    const Event& event = explained.log.events[i];
    const std::string name =
        event.cause == kNone ? node::safe(event.text) : explained.causes[event.cause].id;
    if (!kinds.contains(name)) order.push_back(name);
    kinds[name].group_ranks.insert(event.group_ranks.begin(), event.group_ranks.end());
    kinds[name].speakers.insert(event.speakers.begin(), event.speakers.end());
    if (event.rank != kNone)
      kinds[name].ranks.insert(event.rank);
    else if (event.of_group < event.count)
      kinds[name].processes.insert(event.process);
    kinds[name].count += event.count;
    const bool all_named =
        event.rank != kNone || !explained.log.processes[event.process].host.empty();
    kinds[name].named +=
        all_named ? event.count : std::min(event.count, std::max(event.named, event.of_group));
    kinds[name].first = std::min(kinds[name].first, i);
    kinds[name].is_shown =
        kinds[name].is_shown || event.cause == kNone || i == explained.verdict.first;
  }
  constexpr std::size_t kMostKinds = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kMostKinds); ++i) {
    const Kind& kind = kinds[order[i]];
    std::vector<std::string> all;
    std::string by =
        who(explained, {kind.processes.begin(), kind.processes.end()}, kind.ranks, kind.speakers);
    if (!by.empty()) all.push_back(std::move(by));
    // Of a process group that has the same ranks nothing is left to say.
    if (!kind.group_ranks.empty() && kind.group_ranks != kind.ranks)
      all.push_back(log::judge::group_ranks_of(kind.group_ranks));
    // A line that is torn may not have been known, and of calls that fail one behind the other some
    // count for what failed before.
    const bool is_least = explained.log.damaged != 0 ||
                          log::FailedCalls::is_one(explained.log.events[kind.first].text);
    text += cli::wrap(
        cat(order[i], ": ", is_least ? "at least " : "", node::counted(kind.count, "line"),
            all.empty()               ? ""
            : kind.named < kind.count ? ", some of them of "
                                      : ", ",
            join(all, ", ")),
        "  ", style.width);
    if (kind.is_shown) continue;
    const Event& event = explained.log.events[kind.first];
    text += cli::wrap(
        cat(place(explained, event), ": ", node::safe(log::begin_of(event.text, kLongestText))),
        "    ", style.width);
  }
  if (order.size() > kMostKinds)
    text += cat("  and ", order.size() - kMostKinds, " more (--json has all)\n");
  return text;
}

std::string outcomes(const Explained& explained, const cli::Style& style) {
  std::string text;
  for (const log::judge::Outcome& outcome : explained.outcomes) {
    const std::string word = outcome.met == Answer::yes  ? style.green("met")
                             : outcome.met == Answer::no ? style.red("not met")
                                                         : style.yellow("unknown");
    text += cat("expected ", node::safe(outcome.expectation.word), ": ", word,
                outcome.why.empty() ? std::string() : cat(": ", node::safe(outcome.why)), "\n");
    if (!outcome.processes.empty())
      text += cli::wrap(who(explained, outcome.processes), "  ", style.width);
  }
  return text;
}

/// Whose lines of NCCL were read.
std::string lines_by(const Explained& explained) {
  const Log& log = explained.log;
  if (log.messages == 0) return "no line with NCCL's prefix (host:pid:tid) was read";
  std::set<std::string> hosts;
  for (const Process& process : log.processes)
    if (!process.host.empty()) hosts.insert(process.host);
  const std::size_t processes = named_processes(log);
  std::vector<std::string> texts;
  const auto [ranks, is_certain] = log::judge::ranks_with_lines(log, explained.verdict);
  if (ranks != 0) texts.push_back(cat(is_certain ? "" : "at least ", node::counted(ranks, "rank")));
  if (processes != 0)
    texts.push_back(cat(processes, processes == 1 ? " process on " : " processes on ",
                        log::judge::may_share_a_name(log) ? "at least " : "",
                        node::counted(hosts.size(), "host")));
  const std::string bare = log.unnamed == 0
                               ? std::string()
                               : cat("at least ", node::counted(log.unnamed, "line"),
                                     " of NCCL without a readable prefix (host:pid:tid)");
  if (processes == 0)
    return cat("the log has ", bare, texts.empty() ? "" : ", of ", join(texts, ", "));
  return cat("with NCCL's prefix (host:pid:tid) the log has lines of ", join(texts, ", "),
             bare.empty() ? "" : ", and ", bare);
}

/// How many ranks the job has, as far as somebody says it.
std::string ranks_said(const Explained& explained) {
  const log::judge::Verdict& verdict = explained.verdict;
  if (verdict.ranks != 0)
    return cat("largest communicator of ", node::counted(verdict.ranks, "rank"));
  if (verdict.said_ranks != 0)
    return cat("a communicator of ", node::counted(verdict.said_ranks, "rank"));
  if (std::string listed = log::judge::ranks_of_tests(explained.log); !listed.empty())
    return listed;
  const auto& sizes = explained.log.world_sizes;
  if (sizes.size() != 1) return "number of ranks not shown by NCCL";
  return cat("number of ranks not shown by NCCL (programs say a world size of ", *sizes.begin(),
             ")");
}

/// The connections of all ranks in the table are in the log, as far as that can be seen.
bool has_all_connections(const Explained& explained) {
  const std::vector<bool> whole = log::judge::shown_whole(explained.log);
  return explained.verdict.unseen.empty() &&
         std::all_of(
             explained.verdict.seen.begin(), explained.verdict.seen.end(),
             [&](const Rank& rank) { return rank.process != kNone && whole[rank.process]; });
}

/// As on one node, where the GPUs reach each other without it.
bool is_network_unused(const Explained& explained) {
  const auto count = [&](log::Transport transport) {
    return explained.log.connections[static_cast<std::size_t>(transport)];
  };
  using log::Transport;
  return !explained.verdict.networks.empty() &&
         count(Transport::p2p) + count(Transport::shm) != 0 &&
         count(Transport::net) + count(Transport::collnet) == 0 && explained.log.damaged == 0;
}

/// Hints are none, but where libsharp printed errors, they are more than hints. Of a text without a
/// line of NCCL, nccl-tests or PyTorch nothing is said.
bool has_no_known_error(const Explained& explained) {
  const Log& log = explained.log;
  const bool is_of_a_job = log.messages != 0 || !log.versions.empty() || !log.heard.empty() ||
                           !log.world_sizes.empty() || log.tests.ranks.ranks != 0;
  return is_of_a_job && log.events.size() == explained.verdict.notes.size() &&
         explained.verdict.waits.empty() && log.ended.empty() && log.more_events == 0 &&
         log.sharp.empty();
}

/// For the reader to see how a job ended that shows no failure.
std::string endings(const Explained& explained, const cli::Style& style) {
  constexpr std::size_t kMostFiles = 4;
  constexpr std::size_t kLongestText = 160;
  const auto& all = explained.log.endings;
  std::string text;
  if (explained.verdict.failed || explained.log.files.size() > kMostFiles) return text;
  for (const log::Ending& one : all)
    text += cli::wrap(cat("last line: ", place(explained, one.file, one.line), ": ",
                          node::safe(log::begin_of(one.text, kLongestText))),
                      "", style.width);
  return text;
}

void section(std::string& text, const cli::Style& style, std::string_view title,
             const std::string& body) {
  if (!body.empty()) text += cat("\n", style.bold(title), "\n", body);
}

}  // namespace

std::string nccl_explain(const Explained& explained, const cli::Style& style) {
  const log::judge::Verdict& verdict = explained.verdict;
  std::string text = log::judge::is_of_npus(explained.log)
                         ? std::string("HCCL of Ascend NPUs, no NCCL")
                         : cat("NCCL ", list_or(verdict.versions, "(version not shown)"));
  text += cat(", ", ranks_said(explained), ": ", lines_by(explained), "\n");
  const std::string named = log::judge::network_of_others(explained.log);
  text += cat("network: ", list_or(verdict.networks, named.empty() ? "unknown" : "not announced; "),
              verdict.networks.empty() ? named : std::string(),
              is_network_unused(explained) ? "; no line shows a connection over it" : "", "\n");
  for (const std::string& reason : verdict.why)
    text += cli::wrap(node::safe(reason), "  ", style.width);
  if (has_no_known_error(explained))
    text += "known errors: none (that alone does not show that the job went well)\n";
  text += endings(explained, style);
  section(text, style, "What stands out", lines_of(verdict.remarks, style));
  if (!verdict.seen.empty())
    section(text, style,
            cat("Ranks", verdict.other_links == 0 ? "" : " of the largest communicator",
                has_all_connections(explained) ? "" : ", as far as the log shows"),
            nccl_ranks(explained, style));
  if (verdict.seen.size() <= kLargestMatrix)
    section(text, style, "Connections", nccl_matrix(explained));
  section(text, style, "Devices", devices(explained, style));
  section(text, style, "Where processes differ", differences(explained, style));
  section(text, style, "What PyTorch's watchdog says", lines_of(verdict.waits, style));
  if (verdict.first) {
    const std::uint32_t cause = explained.log.events[*verdict.first].cause;
    const bool is_of_nccl = cause == kNone || explained.causes[cause].by == log::Cause::By::nccl;
    // Without a failure there is nothing to have a cause.
    section(text, style,
            verdict.failed ? "First cause, as far as the log shows"
            : is_of_nccl   ? "What NCCL warns of"
                           : "What is warned of",
            first_error(explained, style));
    section(text, style, verdict.failed ? "Errors found" : "Warnings found",
            all_errors(explained, verdict.events, style));
  }
  section(text, style, "Hints, printed as warnings", all_errors(explained, verdict.notes, style));
  section(text, style, "Warnings after which the process continued",
          all_errors(explained, verdict.went_on, style));
  section(text, style, "Before a run that the program reports as a success",
          all_errors(explained, verdict.before_success, style));
  section(text, style, title_of_end(explained),
          all_errors(explained, verdict.after_success, style));
  section(text, style, "Not found in the log", lines_of(verdict.open, style));
  if (const std::string told = outcomes(explained, style); !told.empty()) text += "\n" + told;
  return text;
}

}  // namespace nettune::tools::nccl::program::text
