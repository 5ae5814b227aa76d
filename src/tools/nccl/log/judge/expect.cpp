// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/judge/expect.hpp"

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "tools/nccl/log/judge/whole.hpp"
#include "tools/nccl/log/judge/why.hpp"

namespace nettune::tools::nccl::log::judge {

namespace {

bool asks_for_connections(Expectation::Kind kind) {
  return kind == Expectation::Kind::gdr || kind == Expectation::Kind::p2p;
}

struct Facts {
  const Log& log;
  const Verdict& verdict;
  std::vector<std::vector<std::string>> networks;
  std::vector<std::uint32_t> edges;  ///< connections of each process
  std::vector<std::uint32_t> net;    ///< of them over the network
  std::vector<std::uint32_t> net_without_gdr;
  std::vector<std::uint32_t> shm;
  std::vector<bool> whole;  ///< all connections of each process are in the log; of gdr and p2p

  Facts(const Log& of, const Verdict& with, Expectation::Kind kind)
      : log(of),
        verdict(with),
        networks(all_networks(of)),
        edges(of.processes.size()),
        net(of.processes.size()),
        net_without_gdr(of.processes.size()),
        shm(of.processes.size()),
        whole(asks_for_connections(kind) ? shown_whole(of) : std::vector<bool>()) {
    for (const Edge& edge : log.edges.all()) {
      const bool over_net =
          edge.transport == Transport::net || edge.transport == Transport::collnet;
      ++edges[edge.process];
      net[edge.process] += over_net ? 1U : 0U;
      net_without_gdr[edge.process] += over_net && !edge.gdr ? 1U : 0U;
      shm[edge.process] += edge.transport == Transport::shm ? 1U : 0U;
    }
  }
};

/// What one process says, and the words for those that say no.
struct Test {
  std::function<Answer(std::size_t)> of;
  std::string against;  ///< "use sockets"
  std::string unclear;  ///< "do not show their network"
};

Answer network_answer(const std::vector<std::string>& networks,
                      const std::function<Answer(const std::string&)>& of_one) {
  Answer all = networks.empty() ? Answer::unknown : Answer::yes;
  for (const std::string& network : networks) {
    const Answer one = of_one(network);
    if (one == Answer::no) return Answer::no;
    if (one == Answer::unknown) all = Answer::unknown;
  }
  return all;
}

Test test_for(const Expectation& expectation, const Facts& facts) {
  const Log& log = facts.log;
  switch (expectation.kind) {
    case Expectation::Kind::ib:
      return {[&](std::size_t i) {
                return network_answer(facts.networks[i], [](const std::string& network) {
                  if (is_verbs(network)) return Answer::yes;
                  return network == "Socket" ? Answer::no : Answer::unknown;
                });
              },
              "use sockets",
              "do not show a network, or show a plugin's (expect that with net:NAME)"};
    case Expectation::Kind::net:
      return {[&facts, name = expectation.name](std::size_t i) {
                return network_answer(facts.networks[i], [&](const std::string& network) {
                  return network == name ? Answer::yes : Answer::no;
                });
              },
              cat("use a network other than ", expectation.name), "do not show their network"};
    case Expectation::Kind::gdr:
      return {[&](std::size_t i) {
                if (facts.net_without_gdr[i] != 0) return Answer::no;
                // Without a connection over the network nothing is shown, and nothing missing.
                return facts.whole[i] ? Answer::yes : Answer::unknown;
              },
              "have a connection over the network without GPUDirect RDMA",
              "do not show all their connections"};
    case Expectation::Kind::p2p:
      return {[&](std::size_t i) {
                if (facts.shm[i] != 0) return Answer::no;
                return facts.whole[i] ? Answer::yes : Answer::unknown;
              },
              "have a connection through host memory (SHM)", "do not show all their connections"};
    case Expectation::Kind::nvls:
      return {[&](std::size_t i) { return log.processes[i].nvls; }, "have no NVLS channels",
              "do not say whether they have NVLS channels"};
  }
  return {};
}

/// What the whole log lacks, whatever its processes say; "" for nothing.
std::string missing(const Expectation& expectation, const Facts& facts) {
  const Verdict& verdict = facts.verdict;
  if (facts.log.processes.empty()) return "no lines of NCCL were read";
  if (verdict.main == kNone) return "how many ranks there were was not found in the log";
  if (!verdict.unseen.empty())
    return cat("no line about a communicator or a connection is known to come from ",
               verdict.unseen.size(), " of ", verdict.ranks, " ranks: ", ranges(verdict.unseen));
  if (facts.log.repeated != 0) return "Ray dropped lines as repeated (RAY_DEDUP_LOGS=0 keeps them)";
  if (facts.log.communicators[verdict.main].several)
    return "two processes say that they are the same rank: the log holds more than one job, or "
           "processes with the same name";
  if (expectation.kind == Expectation::Kind::gdr &&
      std::all_of(facts.net.begin(), facts.net.end(), [](auto count) { return count == 0; }))
    return "no connection over the network was found in the log";
  return {};
}

}  // namespace

Result<std::vector<Expectation>> parse_expectations(std::string_view text) {
  using Kind = Expectation::Kind;
  static const std::vector<std::pair<std::string, Kind>> kWords = {
      {"ib", Kind::ib}, {"gdr", Kind::gdr}, {"p2p", Kind::p2p}, {"nvls", Kind::nvls}};
  std::vector<Expectation> all;
  for (const std::string_view word : split(text, ',')) {
    if (word.starts_with("net:") && word.size() > 4) {
      all.push_back({Kind::net, std::string(word.substr(4)), std::string(word)});
      continue;
    }
    const auto known = std::find_if(kWords.begin(), kWords.end(),
                                    [&](const auto& entry) { return entry.first == word; });
    if (known == kWords.end())
      return fail(Errc::invalid,
                  cat("--expect takes a list of ib, gdr, p2p, nvls and net:NAME, but "
                      "\"",
                      printable(word), "\" is not one of them"));
    all.push_back({known->second, {}, std::string(word)});
  }
  return all;
}

Outcome compare(const Expectation& expectation, const Log& log, const Verdict& verdict) {
  const Facts facts(log, verdict, expectation.kind);
  const Test test = test_for(expectation, facts);
  Outcome outcome;
  outcome.expectation = expectation;
  std::vector<std::uint32_t> against;
  std::vector<std::uint32_t> unclear;
  for (std::uint32_t i = 0; i < log.processes.size(); ++i) {
    const Answer answer = test.of(i);
    // Lines without a name, and helpers that are no rank, prove nothing by saying nothing.
    const bool is_rank = !log.processes[i].memberships.empty() || facts.edges[i] != 0;
    if (answer == Answer::no) against.push_back(i);
    if (answer == Answer::unknown && is_rank) unclear.push_back(i);
  }
  const auto of_all = [&](const std::vector<std::uint32_t>& some) {
    const std::size_t all = std::max(named_processes(log), some.size());
    return cat(some.size(), " of ", all, all == 1 ? " process " : " processes ");
  };
  const std::string lacks = missing(expectation, facts);
  if (!against.empty()) {
    outcome.met = Answer::no;
    outcome.why = of_all(against) + test.against;
    outcome.processes = std::move(against);
  } else if (expectation.kind == Expectation::Kind::gdr && a_ring_lacks_gdr(log)) {
    outcome.met = Answer::no;
    outcome.why =
        "at least one connection of the communicator's rings does not use GPUDirect RDMA (\"use "
        "ring PXN ... GDR 0\"); the log does not say whose";
  } else if (!lacks.empty()) {
    outcome.why = lacks;
  } else if (!unclear.empty()) {
    outcome.why = of_all(unclear) + test.unclear;
    outcome.processes = std::move(unclear);
  } else {
    outcome.met = Answer::yes;
  }
  return outcome;
}

}  // namespace nettune::tools::nccl::log::judge
