// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/suggestions.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/nccl/log/judge/remarks.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// No line shows another program than nccl-tests, mpirun and NCCL.
bool is_of_tests_alone(const Log& log, const std::vector<Cause>& causes) {
  if (log.tests.results.empty() && log.tests.ranks.listed.empty()) return false;
  if (!log.waits.empty() || !log.dumps.empty() || !log.world_sizes.empty() || !log.heard.empty())
    return false;
  return std::ranges::all_of(log.events, [&](const Event& event) {
    return (event.cause != kNone && causes[event.cause].of_tests) ||
           event.text.starts_with("mpirun noticed that ") ||
           event.text.find(": Test ") != event.text.npos ||
           !log.processes[event.process].host.empty();
  });
}

/// The process of every rank of the main communicator is known.
bool has_all_ranks(const Verdict& verdict) {
  return !verdict.seen.empty() && verdict.unseen.empty() &&
         std::ranges::all_of(verdict.seen, [](const Rank& rank) { return rank.process != kNone; });
}

/// Two containers can have the same host name and number of a process: each says once which
/// interface it begins with.
bool is_one_process(const Log& log) {
  return named_processes(log) == 1 && !may_share_a_name(log) &&
         std::ranges::all_of(log.processes,
                             [](const Process& process) { return process.starts < 2; });
}

/// All processes, also those of other communicators, give texts by `says`, and there is only one.
template <typename Says>
bool all_say_one(const Log& log, const Says& says) {
  std::set<std::uint32_t> said;
  for (const Process& process : log.processes) {
    if (process.host.empty()) continue;
    const std::vector<std::uint32_t>& ids = says(process);
    if (ids.empty()) return false;
    said.insert(ids.begin(), ids.end());
  }
  return said.size() == 1;
}

/// The process has communicators with others, all stood before that line, and it sets up no other:
/// that is known where "Init START" is printed (from 2.18).
bool is_set_up(const Log& log, const Event& event) {
  const std::uint64_t last = timeline_of(log, event.file).last(Timeline::Kind::complete);
  const Process& process = log.processes[event.process];
  return last != 0 && last < event.line && process.begins && process.open.empty() &&
         !process.memberships.empty() &&
         std::ranges::all_of(process.memberships, [&](const Membership& one) {
           return one.complete && log.communicators[one.communicator].ranks > 1;
         });
}

bool is_setting_up(const Log& log, const Event& event) {
  const Process& process = log.processes[event.process];
  return process.begins && shows_its_start(process) && process.completed == 0 && !process.rings &&
         log.damaged == 0;
}

bool is_ruled_out(const Log& log, const Verdict& verdict, const Event& event,
                  const Suggestion& suggestion) {
  return std::ranges::any_of(suggestion.unless, [&](log::Fact fact) {
    if (fact == log::Fact::set_up) return is_set_up(log, event);
    if (fact == log::Fact::setting_up) return is_setting_up(log, event);
    return verdict.facts.contains(fact);
  });
}

bool is_of_amd(const Verdict& verdict) {
  return !verdict.versions.empty() &&
         std::ranges::all_of(verdict.versions, [](const std::string& version) {
           return version.find("RCCL") != version.npos;
         });
}

std::vector<std::string> texts_of(const std::vector<Suggestion>& suggestions) {
  std::vector<std::string> texts;
  for (const Suggestion& one : suggestions) texts.push_back(one.text);
  return texts;
}

}  // namespace

std::set<log::Fact> facts_of(const Log& log, const Verdict& verdict,
                             const std::vector<Cause>& causes) {
  std::set<log::Fact> facts;
  const auto versions = [](const Process& process) -> const auto& { return process.versions; };
  const auto networks = [](const Process& process) -> const auto& { return process.networks; };
  if (has_all_ranks(verdict)) {
    if (is_one_process(log)) facts.insert(log::Fact::one_process);
    if (verdict.versions.size() == 1 && all_say_one(log, versions))
      facts.insert(log::Fact::one_version);
    if (all_say_one(log, networks)) facts.insert(log::Fact::one_network);
    if (std::ranges::all_of(log.processes, [](const Process& process) {
          // With it the interface is the one that reaches that address.
          return process.host.empty() ||
                 (!process.bootstrap.empty() && !process.environment.contains("NCCL_COMM_ID"));
        }))
      facts.insert(log::Fact::interface_found);
  }
  if (is_of_amd(verdict)) facts.insert(log::Fact::amd);
  if (is_of_tests_alone(log, causes)) facts.insert(log::Fact::tests);
  return facts;
}

std::string why_of(const Log& log, const Verdict& verdict, const Cause& cause, const Event& event) {
  std::vector<Suggestion> left = cause.reasons;
  std::erase_if(left,
                [&](const Suggestion& one) { return is_ruled_out(log, verdict, event, one); });
  const std::vector<std::string> texts = texts_of(left);
  if (texts.empty()) return cause.why;
  if (texts.size() == 1) return cat(cause.why, " A possible reason: ", texts.front(), ".");
  return cat(cause.why, " Possible reasons: ", join({texts.begin(), texts.end() - 1}, ", "),
             ", or ", texts.back(), ".");
}

std::vector<std::string> checks_of(const Log& log, const Verdict& verdict, const Cause& cause,
                                   const Event& event) {
  std::vector<Suggestion> left = cause.check;
  std::erase_if(left,
                [&](const Suggestion& one) { return is_ruled_out(log, verdict, event, one); });
  return texts_of(left.empty() ? cause.check : left);
}

}  // namespace nettune::tools::nccl::log::judge
