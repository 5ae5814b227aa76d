// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/event_details.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "tools/nccl/log/details.hpp"
#include "tools/nccl/log/judge/remark_texts.hpp"
#include "tools/nccl/log/judge/verdict.hpp"
#include "tools/nccl/log/judge/why.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// The variables of NCCL that a text names, in its order; but for NCCL_DEBUG, which the text asks
/// for.
void add_variables(std::string_view text, std::vector<std::string>& into) {
  constexpr std::string_view kWord = "NCCL_";
  for (auto at = text.find(kWord); at != text.npos; at = text.find(kWord, at + 1)) {
    if (at != 0 && text[at - 1] == '_') continue;  // TORCH_NCCL_...
    const auto end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at);
    std::string name(text.substr(at, end == text.npos ? end : end - at));
    if (name.starts_with("NCCL_DEBUG")) continue;
    if (std::find(into.begin(), into.end(), name) == into.end()) into.push_back(std::move(name));
  }
}

/// "NCCL_SOCKET_IFNAME is eth2", of each value that processes say.
void add_values(const Log& log, const std::string& name, std::vector<std::string>& into) {
  constexpr std::size_t kMostValues = 4;
  std::map<std::string, std::size_t> values;
  for (const Process& process : log.processes)
    if (const auto found = process.environment.find(name); found != process.environment.end())
      ++values[found->second];
  const std::size_t all = named_processes(log);
  std::size_t shown = 0;
  for (const auto& [value, count] : values) {
    if (shown++ == kMostValues) break;
    into.push_back(
        cat(name, value.empty() ? " is empty" : cat(" is ", value),
            count < all ? cat(" (", count, " of ", all, said_by(count)) : std::string()));
  }
}

/// The host in "(05, 40323)" of c10d's line about an address that it could not reach; "" for none.
std::string host_asked_for(std::string_view text) {
  for (const std::string_view word : {"network address of (", "trying to connect to ("}) {
    const auto at = text.find(word);
    const auto end = at == text.npos ? at : text.find(", ", at);
    if (end != text.npos) return std::string(text.substr(at + word.size(), end - at - word.size()));
  }
  return {};
}

/// "[1721186746.658] [node02:10366:1] rcache.c:985 UCX ERROR ...", which the same process printed
/// before; "" for none.
std::string error_of_ucx(const Log& log, const Event& event) {
  const Process& process = log.processes[event.process];
  const std::string who = cat("[", process.host, ":", process.pid);
  for (const Event& other : log.events) {
    if (other.file != event.file || other.line > event.line) continue;
    const auto at = other.text.find(who);
    if (at == other.text.npos || other.text.find("UCX  ERROR", at) == other.text.npos) continue;
    const std::string_view behind = std::string_view(other.text).substr(at + who.size());
    if (behind.starts_with(":") || behind.starts_with(" ")) return other.text;
  }
  return {};
}

/// The hosts for which PyTorch looked, as lines of the same file say.
std::vector<std::string> hosts_asked_for(const Log& log, const Event& event) {
  std::vector<std::string> found;
  for (const Event& other : log.events)
    if (const std::string host = host_asked_for(other.text);
        other.file == event.file && !host.empty())
      found.push_back(cat("the host that was asked for is \"", host, "\""));
  return found;
}

/// Tasks of which srun says how they ended: Slurm's own lines about the end of a job, or about a
/// container, do not name them.
std::vector<std::string> tasks_beside(const Log& log, const std::vector<Cause>& causes,
                                      const Event& event) {
  std::vector<std::string> tasks;
  if (event.text.find("slurmstepd: error: ") == event.text.npos) return tasks;
  for (const Event& other : log.events)
    for (const std::string& detail : other.details)
      if (&other != &event && other.file == event.file && other.cause != kNone &&
          !causes[other.cause].shows.empty() &&
          (detail.starts_with("task") || detail == "and more"))
        tasks.push_back(detail);
  return tasks;
}

/// The address in "Call to recv from 10.0.0.5<34483> failed"; "" for none.
std::string_view peer_address_in(std::string_view text) {
  const auto end = text.find('<');
  if (end == text.npos || end + 1 == text.size() || text[end + 1] < '0' || text[end + 1] > '9')
    return {};
  const auto blank = text.rfind(' ', end);
  return blank == text.npos ? std::string_view() : text.substr(blank + 1, end - blank - 1);
}

/// The peer's address is one of an interface that other nodes do not reach: each node may have it.
std::string local_address_in(const Log& log, std::string_view text) {
  const std::string_view wanted = peer_address_in(text);
  if (wanted.empty()) return {};
  for (const Process& process : log.processes)
    for (const auto* const ids : {&process.bootstrap, &process.oob, &process.sockets})
      for (const std::uint32_t id : *ids)
        for (const std::string_view one : split(log.names.text(id), ' '))
          if (const auto [interface, address] = parts_of(one);
              address == wanted && !kind_of(interface, address).empty())
            return cat(wanted, " is the address of ", interface, process.host.empty() ? "" : " on ",
                       process.host, ", which is ", kind_of(interface, address),
                       " (NCCL_SOCKET_IFNAME chooses)");
  return {};
}

/// Other ranks that report the exception of this one.
std::set<std::uint32_t> ranks_alike(const Log& log, const std::vector<Cause>& causes,
                                    const Event& event) {
  std::set<std::uint32_t> ranks;
  if (event.cause == kNone || event.rank == kNone ||
      causes[event.cause].tier != Cause::Tier::exception)
    return ranks;
  for (const Event& other : log.events)
    if (other.cause == event.cause && other.rank != kNone && other.rank != event.rank &&
        other.file == event.file && other.text == event.text)
      ranks.insert(other.rank);
  return ranks;
}

/// "rank 0 begins one with commId 0x1399": of as many ranks, not set up, with another id.
std::vector<std::string> other_begins(const Log& log, const Event& event) {
  std::vector<std::string> found;
  std::set<std::uint32_t> sizes;
  for (const Membership& own : log.processes[event.process].memberships)
    if (!own.complete || event.text.find(log.communicators[own.communicator].id) != event.text.npos)
      sizes.insert(log.communicators[own.communicator].ranks);
  for (std::uint32_t i = 0; i < log.communicators.size(); ++i) {
    const Communicator& one = log.communicators[i];
    if (!sizes.contains(one.ranks) || event.text.find(one.id) != event.text.npos) continue;
    std::set<std::uint32_t> ranks;
    for (const auto& [rank, process] : one.members)
      for (const Membership& member : log.processes[process].memberships)
        if (member.communicator == i && !member.complete) ranks.insert(rank);
    if (!ranks.empty())
      found.push_back(cat(ranks_name(ranks), ranks.size() == 1 ? " begins" : " begin",
                          " one with commId ", one.id));
  }
  return found;
}

}  // namespace

std::string group_ranks_of(const std::set<std::uint32_t>& ranks) {
  if (ranks.empty()) return {};
  const std::string all = ranges({ranks.begin(), ranks.end()});
  return ranks.size() == 1 ? cat("rank ", all, " of its process group")
                           : cat("ranks ", all, " of their process groups");
}

std::vector<std::string> event_details(const Log& log, const std::vector<Cause>& causes,
                                       const Event& event) {
  constexpr std::size_t kLongestText = 200;
  std::vector<std::string> found;
  std::vector<std::string> named;
  // What the line shows itself is told where others show more.
  const bool is_shown = event.cause != kNone && event.details.size() == 1 &&
                        shown_in(causes[event.cause], event.text) == event.details.front();
  for (const std::string& detail : event.details)
    if (!is_shown && event.text.find(detail) == event.text.npos) named.push_back(detail);
  if (!named.empty()) found.push_back(join(named, "; "));
  if (!event.raised.empty()) found.push_back(event.raised);
  if (!event.thread.empty())
    found.push_back(cat("it ended the thread ", event.thread,
                        " alone: the process may wait, or continue without it"));
  if (!event.above.empty()) found.push_back(cat("before it the job printed: ", event.above));
  if (const auto others = ranks_alike(log, causes, event); !others.empty())
    found.push_back(cat(ranks_name(others), others.size() == 1 ? " reports" : " report",
                        " the same exception"));
  if (const auto tasks = tasks_beside(log, causes, event); !tasks.empty())
    found.push_back(cat("srun names ", join(tasks, "; ")));
  std::string code = exit_code_in(event.text);
  for (const std::string& detail : event.details)
    if (code.empty()) code = exit_code_in(detail);
  if (!code.empty()) found.push_back(std::move(code));
  if (std::set<std::uint32_t> others(event.group_ranks); event.rank == kNone) {
    others.erase(event.group_rank);
    if (!others.empty())
      found.push_back(cat(group_ranks_of(others), others.size() == 1 ? " prints such a line, too"
                                                                     : " print such lines, too"));
  }
  if (std::string local = local_address_in(log, event.text); !local.empty())
    found.push_back(std::move(local));
  if (std::string number = number_in(event.text); !number.empty())
    found.push_back(std::move(number));
  if (event.cause == kNone) return found;
  const Cause& cause = causes[event.cause];
  if (cause.also == Also::communicators)
    if (const auto others = other_begins(log, event); !others.empty())
      found.push_back(join(others, "; "));
  if (cause.also == Also::asked_host)
    for (std::string& host : hosts_asked_for(log, event)) found.push_back(std::move(host));
  if (cause.also == Also::ucx)
    if (const std::string said = error_of_ucx(log, event); !said.empty())
      found.push_back(cat("UCX says before it: ", begin_of(said, kLongestText)));
  if (cause.also == Also::driver) {
    std::set<std::uint32_t> drivers;
    for (const Process& process : log.processes)
      if (process.cuda_driver != 0) drivers.insert(process.cuda_driver);
    for (const std::uint32_t driver : drivers)
      found.push_back(cat(drivers.size() == 1 ? "the" : "a", " driver supports CUDA up to ",
                          cuda_version(driver), " (cudaDriverVersion ", driver, ")"));
  }
  std::vector<std::string> variables;
  add_variables(cause.why, variables);
  for (const Suggestion& reason : cause.reasons) add_variables(reason.text, variables);
  for (const Suggestion& check : cause.check) add_variables(check.text, variables);
  for (const std::string& name : variables) add_values(log, name, found);
  return found;
}

}  // namespace nettune::tools::nccl::log::judge
