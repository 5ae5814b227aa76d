// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/judge/suggestions.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::nccl_log {

namespace {

/// No line shows another program than nccl-tests, mpirun and NCCL.
bool is_of_tests_alone(const Log& log, const std::vector<Cause>& causes) {
  if (log.tests.results.empty() && log.tests.ranks.listed.empty()) return false;
  if (!log.waits.empty() || !log.dumps.empty() || !log.world_sizes.empty()) return false;
  return std::ranges::all_of(log.events, [&](const Event& event) {
    const std::string_view id = event.cause == kNone ? std::string_view() : causes[event.cause].id;
    return id.starts_with("mpi-") || id.starts_with("test-") ||
           event.text.starts_with("mpirun noticed that ") ||
           event.text.find("Test NCCL failure") != event.text.npos ||
           !log.processes[event.process].host.empty();
  });
}

/// Every rank of the main communicator has a process for which `says` gives a text, and all are the
/// same.
template <typename Says>
bool all_say_one(const Log& log, const Verdict& verdict, const Says& says) {
  if (verdict.seen.empty() || !verdict.unseen.empty()) return false;
  std::set<std::uint32_t> said;
  for (const Rank& rank : verdict.seen) {
    if (rank.process == kNone) return false;
    const std::vector<std::uint32_t>& ids = says(log.processes[rank.process]);
    if (ids.empty()) return false;
    said.insert(ids.begin(), ids.end());
  }
  return said.size() == 1;
}

/// Every rank of the main communicator is one of the same process.
bool has_one_process(const Verdict& verdict) {
  return verdict.unseen.empty() && !verdict.seen.empty() &&
         std::ranges::all_of(verdict.seen, [&](const Rank& rank) {
           return rank.process != kNone && rank.process == verdict.seen.front().process;
         });
}

/// Communicators of the process stood before that line, and it sets up no other.
bool is_set_up(const Log& log, const Event& event) {
  const auto last = log.completed.find(event.file);
  const auto& memberships = log.processes[event.process].memberships;
  return last != log.completed.end() && last->second < event.line && !memberships.empty() &&
         std::ranges::all_of(memberships, [](const Membership& one) { return one.complete; });
}

bool is_setting_up(const Log& log, const Event& event) {
  const Process& process = log.processes[event.process];
  return process.begins && shows_its_start(process) && process.completed == 0;
}

bool is_ruled_out(const Log& log, const Verdict& verdict, const Event& event,
                  const Suggestion& suggestion) {
  return std::ranges::any_of(suggestion.unless, [&](Fact fact) {
    if (fact == Fact::set_up) return is_set_up(log, event);
    if (fact == Fact::setting_up) return is_setting_up(log, event);
    return verdict.facts.contains(fact);
  });
}

/// A tool of NVIDIA's driver or toolkit, which does nothing for AMD's GPUs.
bool is_of_nvidia(std::string_view check) {
  return check.find("AMD") == check.npos &&
         (check.find("nvidia") != check.npos || check.find("cuobjdump") != check.npos ||
          check.find("grep -i xid") != check.npos || check.find("compute-sanitizer") != check.npos);
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

std::set<Fact> facts_of(const Log& log, const Verdict& verdict, const std::vector<Cause>& causes) {
  std::set<Fact> facts;
  const auto versions = [](const Process& process) -> const auto& { return process.versions; };
  const auto networks = [](const Process& process) -> const auto& { return process.networks; };
  if (has_one_process(verdict)) facts.insert(Fact::one_process);
  if (verdict.versions.size() == 1 && all_say_one(log, verdict, versions))
    facts.insert(Fact::one_version);
  if (all_say_one(log, verdict, networks)) facts.insert(Fact::one_network);
  if (verdict.unseen.empty() && !verdict.seen.empty() &&
      std::ranges::all_of(verdict.seen, [&](const Rank& rank) {
        return rank.process != kNone && !log.processes[rank.process].bootstrap.empty();
      }))
    facts.insert(Fact::interface_found);
  if (is_of_amd(verdict)) facts.insert(Fact::amd);
  if (is_of_tests_alone(log, causes)) facts.insert(Fact::tests);
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
  std::erase_if(left, [&](const Suggestion& one) {
    return is_ruled_out(log, verdict, event, one) ||
           (verdict.facts.contains(Fact::amd) && is_of_nvidia(one.text)) ||
           (verdict.facts.contains(Fact::tests) && one.text.starts_with("with PyTorch: "));
  });
  return texts_of(left.empty() ? cause.check : left);
}

}  // namespace nettune::nccl_log
