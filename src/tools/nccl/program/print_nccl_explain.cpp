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
#include "tools/nccl/log/judge/heard.hpp"
#include "tools/nccl/log/judge/network_used.hpp"
#include "tools/nccl/log/judge/remarks.hpp"
#include "tools/nccl/log/judge/tests_remarks.hpp"
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

/// "rank 3 (n1:7), job.log:92: message", and what is known of it.
std::string told(const Explained& explained, const log::judge::Told& one, const cli::Style& style,
                 std::size_t most_checks) {
  const Event& event = explained.log.events[one.event];
  std::string by = node::safe(one.who);
  if (!event.time.empty()) by += cat(by.empty() ? "at " : " at ", event.time);
  std::string text;
  const auto add = [&](const std::string& line) { text += cli::wrap(line, "  ", style.width); };
  const std::string id = one.cause.empty() ? std::string() : cat(" [", one.cause, "]");
  add(cat(by, by.empty() ? "" : ", ", place(explained, event), ": ", node::safe(one.quote), id));
  for (const std::string& detail : one.details) add(cat("also in the log: ", node::safe(detail)));
  for (const std::string& remark : one.remarks) add(node::safe(remark));
  add(cat("why: ", one.why));
  for (std::size_t i = 0; i < std::min(one.checks.size(), most_checks); ++i)
    add(cat("check: ", one.checks[i]));
  if (!one.peer.empty()) add(cat("the peer is on ", node::safe(one.peer)));
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
  if (log.messages == 0) return "no NCCL INFO or WARN lines";
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
  return cat("the log has NCCL's lines of ", join(texts, ", "), bare.empty() ? "" : ", and ", bare);
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
  if (sizes.size() != 1) return "number of ranks unknown";
  return cat("number of ranks unknown (programs say a world size of ", *sizes.begin(), ")");
}

/// Hints are no errors. A text without a line of NCCL, nccl-tests or PyTorch is no job's.
bool has_no_known_error(const Explained& explained) {
  const Log& log = explained.log;
  const bool is_of_a_job = log.messages != 0 || !log.versions.empty() || !log.heard.empty() ||
                           !log.world_sizes.empty() || log.tests.ranks.ranks != 0;
  return is_of_a_job && log.events.size() == explained.verdict.notes.size() &&
         explained.verdict.waits.empty() && log.ended.empty() && log.more_events == 0;
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

/// What became of each thing that went wrong, and why.
std::string fates(const Explained& explained, const cli::Style& style) {
  constexpr std::size_t kMost = 400;
  const auto& events = explained.log.events;
  std::string text;
  for (std::size_t i = 0; i < std::min(events.size(), kMost); ++i) {
    const std::string who =
        node::safe(log::judge::speaker_of(explained.log, explained.verdict, events[i]));
    text +=
        cli::wrap(cat(place(explained, events[i]), ": ", who, who.empty() ? "" : ": ",
                      log::judge::name_of(explained.causes, events[i]),
                      events[i].count > 1 ? cat(" (", events[i].count, " lines)") : std::string()),
                  "  ", style.width);
    text += cli::wrap(node::safe(log::judge::fate_text(explained.log, explained.causes,
                                                       explained.verdict.fates[i])),
                      "    ", style.width);
  }
  if (events.size() > kMost)
    text += cat("  and ", events.size() - kMost, " more (--json has all)\n");
  return text;
}

/// "NCCL 2.21.5; largest communicator of 16 ranks; ..."
std::string head(const Explained& explained, const cli::Style& style) {
  return cli::wrap(cat("NCCL ", list_or(explained.verdict.versions, "(version not shown)"), "; ",
                       ranks_said(explained), "; ", lines_by(explained)),
                   "", style.width);
}

/// The first of them, and how many more -v lists.
std::string some_of(const std::vector<std::string>& texts, std::size_t most, const char* what,
                    const cli::Style& style) {
  std::string text;
  for (std::size_t i = 0; i < std::min(texts.size(), most); ++i)
    text += cli::wrap(cat(what, node::safe(texts[i])), "", style.width);
  if (texts.size() > most) text += cat(what, texts.size() - most, " more (-v)\n");
  return text;
}

std::string differing(const Explained& explained, const cli::Style& style) {
  std::vector<std::string> names;
  for (const log::judge::Difference& one : explained.verdict.differences)
    names.push_back(node::safe(one.what));
  constexpr std::size_t kMost = 8;
  if (names.size() > kMost) {
    names.resize(kMost);
    names.emplace_back("...");
  }
  if (names.empty()) return {};
  return cli::wrap(cat("processes differ in: ", join(names, ", "), " (-v)"), "", style.width);
}

/// What a person wants to know, on one screen.
std::string summary(const Explained& explained, const cli::Style& style) {
  constexpr std::size_t kMostChecks = 3;
  constexpr std::size_t kMostRivals = 2;
  constexpr std::size_t kMostTexts = 3;
  const log::judge::Verdict& verdict = explained.verdict;
  const log::judge::Report& report = explained.report;
  std::string text = cli::wrap(style.bold(node::safe(report.verdict)), "", style.width);
  for (const std::string& check : report.checks)
    text += cli::wrap(cat("check: ", node::safe(check)), "  ", style.width);
  if (report.first) {
    if (!verdict.failed) text += "warned of, which shows no failure:\n";
    text += told(explained, *report.first, style, kMostChecks);
  }
  for (std::size_t i = 0; i < std::min(report.rivals.size(), kMostRivals); ++i) {
    const log::judge::Told& rival = report.rivals[i];
    text += cat("or, as likely: ", rival.cause.empty() ? "a message without a cause" : rival.cause,
                "\n");
    text += told(explained, rival, style, 1);
  }
  if (has_no_known_error(explained))
    text += "known errors: none (that alone does not show that the job went well)\n";
  if (!report.verdict.ends_with(report.network))
    text += cli::wrap(cat("network: ", node::safe(report.network)), "", style.width);
  text += head(explained, style);
  text += some_of(verdict.waits, kMostTexts, "watchdog: ", style);
  text += some_of(verdict.remarks, kMostTexts + 1, "stands out: ", style);
  text += differing(explained, style);
  text += some_of(verdict.open, kMostTexts, "not in the log: ", style);
  text += endings(explained, style);
  return text;
}

/// Everything: -v.
std::string everything(const Explained& explained, const cli::Style& style) {
  const log::judge::Verdict& verdict = explained.verdict;
  const log::judge::Report& report = explained.report;
  std::string text = cli::wrap(style.bold(node::safe(report.verdict)), "", style.width);
  for (const std::string& check : report.checks)
    text += cli::wrap(cat("check: ", node::safe(check)), "  ", style.width);
  text += head(explained, style);
  text += cli::wrap(cat("network: ", node::safe(report.network)), "", style.width);
  for (const std::string& reason : verdict.why)
    text += cli::wrap(node::safe(reason), "  ", style.width);
  if (has_no_known_error(explained))
    text += "known errors: none (that alone does not show that the job went well)\n";
  text += endings(explained, style);
  if (report.first) {
    const std::uint32_t cause = explained.log.events[report.first->event].cause;
    const bool is_of_nccl = cause == kNone || explained.causes[cause].by == log::Cause::By::nccl;
    // Without a failure there is nothing to have a cause.
    section(text, style,
            verdict.failed ? "First cause, as far as the log shows"
            : is_of_nccl   ? "What NCCL warns of"
                           : "What is warned of",
            told(explained, *report.first, style, SIZE_MAX));
  }
  for (const log::judge::Told& rival : report.rivals)
    section(text, style, "As likely", told(explained, rival, style, SIZE_MAX));
  section(text, style, "What stands out", lines_of(verdict.remarks, style));
  if (!verdict.seen.empty())
    section(
        text, style,
        cat("Ranks", verdict.other_links == 0 ? "" : " of the largest communicator",
            has_all_connections(explained.log, explained.verdict) ? ""
                                                                  : ", as far as the log shows"),
        nccl_ranks(explained, style));
  if (verdict.seen.size() <= kLargestMatrix)
    section(text, style, "Connections", nccl_matrix(explained));
  section(text, style, "Devices", devices(explained, style));
  section(text, style, "Where processes differ", differences(explained, style));
  section(text, style, "What PyTorch's watchdog says", lines_of(verdict.waits, style));
  section(text, style, verdict.failed ? "Errors found" : "Warnings found",
          all_errors(explained, verdict.events, style));
  section(text, style, "Hints, printed as warnings", all_errors(explained, verdict.notes, style));
  section(text, style, "Warnings after which the process continued",
          all_errors(explained, verdict.went_on, style));
  section(text, style, "What became of each, and why", fates(explained, style));
  section(text, style, "Not found in the log", lines_of(verdict.open, style));
  return text;
}

}  // namespace

std::string nccl_explain(const Explained& explained, const cli::Style& style, bool all) {
  std::string text = all ? everything(explained, style) : summary(explained, style);
  if (const std::string told = outcomes(explained, style); !told.empty()) text += "\n" + told;
  return text;
}

}  // namespace nettune::tools::nccl::program::text
