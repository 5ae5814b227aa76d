// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/verdict.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "tools/nccl/log/judge/choice.hpp"
#include "tools/nccl/log/judge/differences.hpp"
#include "tools/nccl/log/judge/heard.hpp"
#include "tools/nccl/log/judge/leavers.hpp"
#include "tools/nccl/log/judge/remarks.hpp"
#include "tools/nccl/log/judge/suggestions.hpp"
#include "tools/nccl/log/judge/tests_remarks.hpp"
#include "tools/nccl/log/judge/unequal_variables.hpp"
#include "tools/nccl/log/judge/waits.hpp"
#include "tools/nccl/log/judge/why.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

/// The communicator with the most ranks; of equal ones the one that more of them told of.
std::uint32_t main_communicator(const Log& log) {
  std::uint32_t best = kNone;
  for (std::uint32_t i = 0; i < log.communicators.size(); ++i) {
    const Communicator& one = log.communicators[i];
    if (best == kNone || one.ranks > log.communicators[best].ranks ||
        (one.ranks == log.communicators[best].ranks &&
         one.members.size() > log.communicators[best].members.size()))
      best = i;
  }
  return best;
}

enum class Belongs { main, other, open };

/// In which communicators a process has a rank.
struct Seat {
  bool main = false;
  std::uint32_t other = 0;  ///< ranks of the largest one that is not like the main one
};

/// As large as the main one, and in the same processes, but for those of which the log lacks a
/// line: it connects the same ranks. The pairs that PyTorch makes for sends and receives are with
/// other ranks each time, so that one of the two proves nothing.
bool is_like(const Communicator& one, const Communicator& main) {
  if (one.ranks != main.ranks) return false;
  std::size_t same = 0;
  for (const auto& [rank, process] : one.members) {
    const auto found = main.members.find(rank);
    if (found == main.members.end()) continue;
    if (found->second != process) return false;
    ++same;
  }
  return main.ranks == 2 ? same == 2 : same * 2 > main.members.size();
}

/// Of each process by rank, so that an edge costs one look-up however many communicators there are.
using Seats = std::vector<std::unordered_map<std::uint32_t, Seat>>;

Seats seats_of(const Log& log, const Verdict& verdict) {
  Seats seats(log.processes.size());
  if (verdict.main == kNone) return seats;
  std::vector<bool> like;
  for (const Communicator& one : log.communicators)
    like.push_back(is_like(one, log.communicators[verdict.main]));
  for (std::size_t i = 0; i < seats.size(); ++i)
    for (const Membership& membership : log.processes[i].memberships) {
      const std::uint32_t ranks = log.communicators[membership.communicator].ranks;
      Seat& seat = seats[i][membership.rank];
      if (membership.communicator == verdict.main)
        seat.main = true;
      else if (!like[membership.communicator])
        seat.other = std::max(seat.other, ranks);
    }
  return seats;
}

/// A line about a connection names ranks but no communicator. It belongs to the one that its thread
/// was setting up, or to the only one in which its process has that rank.
Belongs belongs(const Log& log, const Verdict& verdict, const Seats& seats, const Edge& edge) {
  if (verdict.main == kNone) return Belongs::main;
  if (edge.communicator != kNone)
    return edge.communicator == verdict.main ? Belongs::main : Belongs::other;
  const bool is_member = !log.processes[edge.process].memberships.empty();
  if (!is_member) return edge.own < verdict.ranks ? Belongs::main : Belongs::other;
  const auto found = seats[edge.process].find(edge.own);
  // A rank of which the log, cut before or behind, does not say in what communicator it is.
  const bool is_nowhere = found == seats[edge.process].end() &&
                          !log.communicators[verdict.main].members.contains(edge.own);
  if (is_nowhere && edge.own < verdict.ranks && edge.peer < verdict.ranks) return Belongs::open;
  const Seat seat = found == seats[edge.process].end() ? Seat() : found->second;
  const bool may_main = seat.main && edge.peer < verdict.ranks;
  if (may_main && edge.peer < seat.other) return Belongs::open;
  return may_main ? Belongs::main : Belongs::other;
}

Rank& rank_of(std::map<std::uint32_t, Rank>& ranks, std::uint32_t number, std::uint32_t process) {
  Rank& rank = ranks[number];
  rank.rank = number;
  if (rank.process == kNone) rank.process = process;
  return rank;
}

void count(Rank& rank, const Edge& edge) {
  ++rank.channels[static_cast<std::size_t>(edge.transport)];
  rank.details.insert(edge.detail);
  if (edge.transport != Transport::net) return;
  const bool sends = edge.side == Side::send;
  ++(sends ? rank.net_send : rank.net_receive);
  if (edge.gdr) ++(sends ? rank.gdr_send : rank.gdr_receive);
}

/// SHARP was prepared, and then could not be set up: NCCL does without it on all ranks.
bool collnet_failed(const Log& log) {
  const auto is_of_it = [](std::string_view text) {
    return text.find("SHARP coll init error") != text.npos ||
           text.starts_with("SHARP group create") || text.starts_with("Cannot initialize CollNet");
  };
  return std::any_of(log.events.begin(), log.events.end(),
                     [&](const Event& event) { return is_of_it(event.text); }) ||
         std::any_of(log.processes.begin(), log.processes.end(), [&](const Process& process) {
           return std::any_of(process.reasons.begin(), process.reasons.end(),
                              [&](std::uint32_t id) { return is_of_it(log.names.text(id)); });
         });
}

void take_edges(const Log& log, Verdict& verdict, std::map<std::uint32_t, Rank>& ranks) {
  using Key =
      std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, Transport, Side, bool, std::uint32_t>;
  std::map<Key, Link> links;
  const Seats seats = seats_of(log, verdict);
  const bool no_collnet = collnet_failed(log);
  for (const Edge& edge : log.edges.all()) {
    const Belongs where = belongs(log, verdict, seats, edge);
    verdict.other_links += where == Belongs::other ? 1U : 0U;
    const bool lacks_gdr = edge.transport == Transport::net && !edge.gdr;
    verdict.other_without_gdr += where == Belongs::other && lacks_gdr ? 1U : 0U;
    verdict.open_links += where == Belongs::open ? 1U : 0U;
    if (where != Belongs::main) {
      verdict.elsewhere.insert(edge.own);
      continue;
    }
    Rank& own = rank_of(ranks, edge.own, edge.process);
    if (no_collnet && edge.transport == Transport::collnet) continue;
    count(own, edge);
    const bool receives = edge.side == Side::receive;
    const std::uint32_t from = receives ? edge.peer : edge.own;
    const std::uint32_t to = receives ? edge.own : edge.peer;
    Link& link = links[{from, to, edge.process, edge.transport, edge.side, edge.gdr, edge.detail}];
    link.from = from;
    link.to = to;
    link.process = edge.process;
    link.transport = edge.transport;
    link.side = edge.side;
    link.gdr = edge.gdr;
    link.detail = edge.detail;
    link.channels.insert(edge.channel);
    if (edge.device >= 0) link.devices.insert(edge.device);
  }
  for (auto& [key, link] : links) verdict.links.push_back(std::move(link));
  // Within a node only one end of a connection prints it.
  for (const Link& link : verdict.links)
    if (link.transport == Transport::p2p || link.transport == Transport::shm)
      for (const std::uint32_t end : {link.from, link.to})
        if (const auto found = ranks.find(end); found != ranks.end())
          found->second.details.insert(link.detail);
}

void take_versions(const Log& log, Verdict& verdict) {
  std::set<std::string> all;
  for (const std::uint32_t id : log.versions) all.insert(log.names.text(id));
  for (const Process& process : log.processes)
    for (const std::uint32_t id : process.versions) all.insert(log.names.text(id));
  // Programs say the same one without CUDA's, and without RCCL's.
  for (const std::string& version : all) {
    const bool is_short = std::any_of(all.begin(), all.end(), [&](const std::string& other) {
      return other.starts_with(version + "+") || other == version + " (RCCL)";
    });
    if (!is_short) verdict.versions.push_back(version);
  }
}

/// Ranks that began to set the main communicator up, and of which no process says that it stands,
/// or that a call failed.
std::vector<std::uint32_t> ranks_in_setup(const Log& log, const Verdict& verdict) {
  std::set<std::uint32_t> begun;
  std::set<std::uint32_t> complete;
  // NCCL says of these that a call failed, and nothing of them follows that.
  std::set<std::uint32_t> failed;
  for (const Event& event : log.events)
    if (event.failed && event.progress == log.processes[event.process].progress)
      failed.insert(event.process);
  for (std::uint32_t i = 0; i < log.processes.size(); ++i)
    for (const Membership& membership : log.processes[i].memberships)
      if (membership.communicator == verdict.main)
        (membership.complete || failed.contains(i) ? complete : begun).insert(membership.rank);
  std::vector<std::uint32_t> open;
  std::set_difference(begun.begin(), begun.end(), complete.begin(), complete.end(),
                      std::back_inserter(open));
  return open;
}

/// Some line shows that ranks did more than to begin: lines about the end of the initialisation may
/// be missing, or another attempt stood.
bool shows_work(const Log& log, const Verdict& verdict) {
  if (!log.tests.results.empty()) return true;
  for (const Process& process : log.processes) {
    if (process.rings) return true;
    for (const Membership& one : process.memberships)
      if (one.destroyed.second != 0 ||
          (one.complete && log.communicators[one.communicator].ranks >= verdict.ranks))
        return true;
  }
  return false;
}

/// Communicators of which no process is one of the main one's.
std::vector<std::uint32_t> foreign_communicators(const Log& log, const Verdict& verdict) {
  std::vector<std::uint32_t> found;
  if (verdict.main == kNone) return found;
  std::set<std::uint32_t> own;
  for (const auto& [rank, process] : log.communicators[verdict.main].members) own.insert(process);
  for (std::uint32_t i = 0; i < log.communicators.size(); ++i) {
    const auto& members = log.communicators[i].members;
    if (log.communicators[i].ranks < 2) continue;  // a rank alone is connected with nobody
    if (std::none_of(members.begin(), members.end(),
                     [&](const auto& member) { return own.contains(member.second); }))
      found.push_back(i);
  }
  return found;
}

void say_what_is_of_others(const Log& log, Verdict& verdict) {
  constexpr std::size_t kMostForeign = 4;
  if (verdict.main != kNone && log.communicators[verdict.main].several)
    verdict.open.emplace_back(
        "which process is which rank: two of them report the same rank (more than one job in the "
        "log, or processes with the same name)");
  const auto foreign = foreign_communicators(log, verdict);
  // Processes of the main communicator of which the log lacks the lines may be among them.
  const bool is_sure =
      verdict.main != kNone && log.communicators[verdict.main].members.size() == verdict.ranks;
  std::set<std::uint32_t> connected;
  for (const Edge& edge : log.edges.all()) connected.insert(edge.process);
  for (std::size_t i = 0; i < std::min(foreign.size(), kMostForeign); ++i) {
    const Communicator& one = log.communicators[foreign[i]];
    const bool is_in_log = std::ranges::any_of(
        one.members, [&](const auto& member) { return connected.contains(member.second); });
    const std::string name = cat(one.ranks, " ranks of communicator ", one.id);
    const std::string who =
        is_in_log ? cat("the connections of the ", name, " are not described here: they are ")
                  : cat("how the ", name, " are connected: they are ");
    (is_in_log ? verdict.remarks : verdict.open)
        .push_back(
            is_sure ? cat(who,
                          "not the processes described here (another group of ranks of this job; "
                          "or an earlier or later attempt or another job: then split the log "
                          "there)")
                    : cat(who,
                          "not known to be processes described here (if they are of another "
                          "attempt or job, split the log there)"));
  }
  if (foreign.size() > kMostForeign)
    verdict.open.push_back(
        cat("the same of ", foreign.size() - kMostForeign,
            is_sure ? " more communicators of other processes" : " more such communicators"));
}

/// What lines that name no communicator say of the number of ranks.
std::set<std::uint32_t> all_sizes_said(const Log& log) {
  std::set<std::uint32_t> sizes(log.sizes);
  // A ring that lacks a rank which a connection has was cut, or is of another communicator.
  std::uint32_t last = 0;
  for (const Edge& edge : log.edges.all()) last = std::max({last, edge.own, edge.peer});
  for (const std::uint32_t ranks : log.rings)
    if (last < ranks) sizes.insert(ranks);
  for (const Process& process : log.processes)
    for (const auto& [rank, ranks] : process.said) sizes.insert(ranks);
  return sizes;
}

std::string sizes_said(const Log& log, const std::set<std::uint32_t>& sizes) {
  std::vector<std::string> texts;
  if (!sizes.empty())
    texts.push_back(cat("other lines are of communicators of ",
                        ranges({sizes.begin(), sizes.end()}), " ranks"));
  if (!log.world_sizes.empty())
    texts.push_back(cat("programs say a world size of ",
                        ranges({log.world_sizes.begin(), log.world_sizes.end()}),
                        " (of the job or of a part of it)"));
  if (const TestsRanks& tests = log.tests.ranks; !tests.listed.empty())
    texts.push_back(
        cat(tests.listed.size() == 1 ? "nccl-tests lists rank " : "nccl-tests lists ranks ",
            ranges({tests.listed.begin(), tests.listed.end()}), " on ", tests.hosts.size(),
            tests.hosts.size() == 1 ? " host" : " hosts"));
  return texts.empty() ? std::string() : cat("; ", join(texts, "; "));
}

/// The most ranks of a communicator that is named and of which no line says how it was set up.
std::uint32_t larger_one_said(const Log& log, const Verdict& verdict) {
  std::uint32_t most = log.sizes.empty() ? 0 : *log.sizes.rbegin();
  for (const Process& process : log.processes)
    for (const auto& [rank, ranks] : process.said) most = std::max(most, ranks);
  return most > verdict.ranks ? most : 0;
}

bool has_nvls(const Log& log) {
  return std::ranges::any_of(log.processes,
                             [](const Process& one) { return one.nvls == Answer::yes; });
}

void say_what_is_open(const Log& log, Verdict& verdict) {
  auto& open = verdict.open;
  if (verdict.versions.empty()) open.emplace_back("which NCCL version it was");
  if (verdict.main == kNone && (verdict.said_ranks != 0 || !lists_all_ranks(log)))
    open.push_back(cat("NCCL's number of ranks (\"comm ... rank ... nranks ...\" shows it)",
                       sizes_said(log, all_sizes_said(log))));
  else if (const std::uint32_t ranks = larger_one_said(log, verdict); ranks != 0)
    open.push_back(cat("the communicator of ", ranks, " ranks that other lines name"));
  if (std::string unseen = say_who_is_unseen(log, verdict); !unseen.empty())
    open.push_back(std::move(unseen));
  if (const auto& begun = verdict.in_setup; !begun.empty())
    open.push_back(cat("how initialisation ended for ", begun.size() == 1 ? "rank " : "ranks ",
                       ranges(begun),
                       begun.size() == 1 ? ", which begins it" : ", which begin it"));
  say_what_is_of_others(log, verdict);
  if (const std::string old = old_version(verdict); !old.empty())
    open.push_back(cat("lines in the words of NCCL 2.14 and later: those of ", old,
                       " are read as far as they look the same, and can say more"));
  else if (log.edges.all().empty() && verdict.ranks != 1)
    open.push_back(
        cat("which transport was used (NCCL_DEBUG=INFO shows it in lines \"Channel ... "
            "via ...\"; from 2.22 on they come with the first collective, not at "
            "initialisation)",
            has_nvls(log) ? "; NCCL made NVLS channels" : ""));
  if (verdict.networks.empty() && network_of_others(log).empty() && old_version(verdict).empty())
    open.emplace_back("which network was chosen");
  if (log.repeated != 0)
    open.push_back(cat("what ", log.repeated, log.repeated == 1 ? " line" : " lines",
                       " of NCCL said that Ray dropped as repeated (RAY_DEDUP_LOGS=0 keeps them)"));
  if (log.damaged != 0)
    open.push_back(cat("what ", log.damaged,
                       log.damaged == 1 ? " line about a connection said: it may be"
                                        : " lines about connections said: they may be",
                       " truncated or mixed with others "
                       "(NCCL_DEBUG_FILE=/tmp/nccl.%h.%p keeps processes apart)"));
  std::set<std::uint32_t> unsettled;
  for (const std::uint32_t i : verdict.may_have_gone_on) unsettled.insert(log.events[i].process);
  if (!unsettled.empty())
    open.push_back(cat("whether ", unsettled.size(), " more ",
                       unsettled.size() == 1 ? "process" : "processes",
                       " continued after the failure of a plugin, as others did"));
  if (verdict.open_links != 0)
    open.push_back(verdict.open_links == 1
                       ? "to which communicator 1 connection belongs"
                       : cat("to which communicator ", verdict.open_links, " connections belong"));
}

}  // namespace

std::string old_version(const Verdict& verdict) {
  const auto is_old = [](const std::string& version) {
    Cursor at(version);
    const auto major = at.number();
    const auto minor = at.skip(".") ? at.number() : std::nullopt;
    return major && minor && std::pair(*major, *minor) < std::pair(2U, 14U) &&
           version.find("RCCL") == version.npos;
  };
  return std::ranges::all_of(verdict.versions, is_old) ? join(verdict.versions, ", ")
                                                       : std::string();
}

bool a_ring_lacks_gdr(const Log& log) {
  return std::any_of(log.processes.begin(), log.processes.end(),
                     [](const Process& process) { return process.ring_gdr == Answer::no; });
}

Verdict judge(const Log& log, const std::vector<Cause>& causes) {
  Verdict verdict;
  take_versions(log, verdict);
  verdict.main = main_communicator(log);
  if (verdict.main != kNone) verdict.ranks = log.communicators[verdict.main].ranks;
  std::map<std::uint32_t, Rank> ranks;
  const auto sizes = all_sizes_said(log);
  if (verdict.main == kNone && !sizes.empty()) verdict.said_ranks = *sizes.rbegin();
  if (verdict.main != kNone)
    for (const auto& [rank, process] : log.communicators[verdict.main].members)
      rank_of(ranks, rank, process);
  take_edges(log, verdict, ranks);
  for (std::uint32_t rank = 0; rank < verdict.ranks; ++rank)
    if (!ranks.contains(rank)) verdict.unseen.push_back(rank);
  for (auto& [number, rank] : ranks) verdict.seen.push_back(std::move(rank));
  explain_network(log, verdict);
  verdict.differences = find_differences(log);
  choose(log, causes, verdict);
  const std::string leavers = find_leavers(log, causes, verdict);
  verdict.waits = explain_waits(log, causes, verdict, verdict.follows_from);
  if (!verdict.left.empty()) verdict.follows_from = leavers;
  verdict.unequal = unequal_variables(log, verdict);
  verdict.in_setup = ranks_in_setup(log, verdict);
  verdict.shows_work = shows_work(log, verdict);
  verdict.remarks = find_remarks(log, verdict);
  verdict.facts = facts_of(log, verdict, causes);
  say_what_is_open(log, verdict);
  return verdict;
}

std::string ranks_name(const std::set<std::uint32_t>& ranks) {
  return cat(ranks.size() == 1 ? "rank " : "ranks ", ranges({ranks.begin(), ranks.end()}));
}

std::set<std::uint32_t> ranks_of(const Log& log, const Verdict& verdict, std::uint32_t process) {
  const Process& one = log.processes[process];
  std::set<std::uint32_t> ranks;
  if (verdict.main == kNone) return ranks;
  for (const Membership& membership : one.memberships)
    if (membership.communicator == verdict.main) ranks.insert(membership.rank);
  if (!ranks.empty()) return ranks;
  // What is said of a rank may be of another communicator of that size.
  const auto is_of_other = [&](std::uint32_t rank) {
    return std::ranges::any_of(one.memberships, [&](const Membership& membership) {
      return membership.rank == rank &&
             log.communicators[membership.communicator].ranks == verdict.ranks;
    });
  };
  for (const auto& [rank, size] : one.said)
    if (size == verdict.ranks && !is_of_other(rank)) ranks.insert(rank);
  return ranks;
}

std::string process_name(const Log& log, const Verdict& verdict, std::uint32_t process) {
  const Process& one = log.processes[process];
  const std::set<std::uint32_t> ranks = ranks_of(log, verdict, process);
  std::string place = one.host.empty() ? std::string() : cat(one.host, ":", one.pid);
  if (ranks.empty()) return place;
  return cat(ranks_name(ranks), place.empty() ? std::string() : cat(" (", place, ")"));
}

}  // namespace nettune::tools::nccl::log::judge
