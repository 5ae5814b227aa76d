// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/fault_location.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace nettune::tools::measure {
namespace {

constexpr std::size_t kPairsAgain = 3;
constexpr std::size_t kFewestGoodNodes = 3;

bool has(const std::vector<std::size_t>& values, std::size_t value) {
  return std::ranges::find(values, value) != values.end();
}

bool is_judged(PairState test) { return test == PairState::good || test == PairState::bad; }

/// The results of one suspect against good nodes.
struct Seen {
  std::size_t good = 0;
  std::size_t bad = 0;
  bool all_bad() const { return bad > 0 && good == 0; }
};
struct SuspectSeen {
  std::map<std::size_t, Seen> rails;
  Seen near, far, any;
};

void count(Seen& seen, PairState test) {
  if (test == PairState::good) ++seen.good;
  if (test == PairState::bad) ++seen.bad;
}

SuspectSeen seen_of(std::size_t suspect, const FaultSuspects& suspects,
                    const std::vector<PairTest>& tests, const Topology* topology) {
  SuspectSeen seen;
  for (const PairTest& one : tests) {
    if (one.pair.a != suspect && one.pair.b != suspect) continue;
    if (!is_judged(one.test) || !suspects.tries_nodes_on(one.rail)) continue;
    const std::size_t other = one.pair.a == suspect ? one.pair.b : one.pair.a;
    if (has(suspects.nodes, other)) continue;  // proves nothing
    count(seen.rails[one.rail], one.test);
    count(seen.any, one.test);
    const bool near = topology == nullptr || topology->leaf[other] == topology->leaf[suspect];
    count(near ? seen.near : seen.far, one.test);
  }
  return seen;
}

/// The rails that are bad while others are good.
std::vector<std::size_t> bad_rails(const SuspectSeen& seen) {
  std::vector<std::size_t> out;
  for (const auto& [rail, tests] : seen.rails)
    if (tests.all_bad()) out.push_back(rail);
  return out.size() < seen.rails.size() ? out : std::vector<std::size_t>{};
}

FaultPlace judged(const SuspectSeen& seen, const Topology* topology) {
  if (seen.any.good + seen.any.bad == 0) return FaultPlace::unknown;
  if (seen.any.bad == 0) return FaultPlace::passed;
  if (!bad_rails(seen).empty()) return FaultPlace::rail;
  if (topology != nullptr && seen.far.all_bad() && seen.near.good > 0) return FaultPlace::leaf;
  return seen.any.good > 0 ? FaultPlace::unknown : FaultPlace::node;
}

/// Joins several of one kind into one line.
void add(std::vector<FaultLocation>& out, FaultLocation one) {
  for (FaultLocation& other : out)
    if (other.where == one.where && other.rail == one.rail && other.leaf == one.leaf &&
        (one.where == FaultPlace::leaf || one.where == FaultPlace::rail)) {
      other.nodes.insert(other.nodes.end(), one.nodes.begin(), one.nodes.end());
      return;
    }
  out.push_back(std::move(one));
}

using SeenByRail = std::map<std::size_t, std::map<std::size_t, Seen>>;  // by rail and node

/// The rails on which a node has a good pair.
std::map<std::size_t, std::set<std::size_t>> good_rails(const SeenByRail& rails) {
  std::map<std::size_t, std::set<std::size_t>> out;
  for (const auto& [rail, seen] : rails)
    for (const auto& [node, one] : seen)
      if (one.good > 0) out[node].insert(rail);
  return out;
}

/// Finds a rail that is bad at nodes that are good on others. A node that is bad everywhere says
/// nothing about a rail.
void judge_rail(std::size_t rail, const std::map<std::size_t, Seen>& seen,
                const std::map<std::size_t, std::set<std::size_t>>& rails_good,
                const std::vector<PairTest>& tests, FaultSuspects& out) {
  std::size_t good_elsewhere = 0;
  std::size_t good_here = 0;
  std::vector<std::size_t> bad;
  for (const auto& [node, one] : seen) {
    if (one.good > 0) ++good_here;
    const auto found = rails_good.find(node);
    if (found == rails_good.end() || found->second.size() == found->second.count(rail)) continue;
    ++good_elsewhere;
    if (one.all_bad()) bad.push_back(node);
  }
  Round again;
  std::set<std::size_t> used;
  for (const PairTest& one : tests) {
    if (one.rail != rail || one.test != PairState::bad || again.size() == kPairsAgain) continue;
    if (!has(bad, one.pair.a) || !has(bad, one.pair.b)) continue;
    if (used.contains(one.pair.a) || used.contains(one.pair.b)) continue;
    used.insert({one.pair.a, one.pair.b});
    again.push_back(one.pair);
  }
  if (!again.empty() && bad.size() * 2 >= good_elsewhere) {
    out.rails[rail] = std::move(bad);
    out.again[rail] = std::move(again);
  } else if (good_here == 0) {
    out.unplaced.push_back(rail);
  }
}

bool whole_leaf(std::size_t leaf, const FaultSuspects& suspects, const Topology& topology) {
  std::size_t members = 0;
  for (std::size_t node = 0; node < topology.leaf.size(); ++node) {
    if (topology.leaf[node] != leaf) continue;
    ++members;
    if (!has(suspects.nodes, node)) return false;
  }
  return members > 1;
}

bool is_link(const FaultLocation& one) {
  return one.where == FaultPlace::link ||
         (one.where == FaultPlace::unknown && one.nodes.size() == 2 && !one.rail);
}

/// Whether the slower ones are too many to be accused by the faster ones.
Doubt doubt_of(const FaultSuspects& suspects, const MeshVerdict& verdict) {
  std::set<std::size_t> bad_nodes;
  std::size_t bad_rails = suspects.unplaced.size();
  std::set<LinkEnds> bad_links;
  bool any = !suspects.unplaced.empty();
  for (const FaultLocation& one : verdict.located) {
    if (one.where == FaultPlace::passed) continue;
    any = true;
    if (is_link(one))
      bad_links.insert(std::minmax(one.nodes[0], one.nodes[1]));
    else if (one.rail && suspects.rails.contains(*one.rail))
      ++bad_rails;
    else if (!one.rail)
      bad_nodes.insert(one.nodes.begin(), one.nodes.end());
  }
  std::set<std::size_t> nodes;
  std::set<std::size_t> rails;
  std::set<LinkEnds> links;
  for (const PairTest& one : verdict.tests) {
    if (one.test == PairState::missing) continue;
    rails.insert(one.rail);
    nodes.insert({one.pair.a, one.pair.b});
    if (!bad_nodes.contains(one.pair.a) && !bad_nodes.contains(one.pair.b))
      links.insert(std::minmax(one.pair.a, one.pair.b));
  }
  if (!any) return Doubt::alike;
  const std::size_t good_nodes = nodes.size() - bad_nodes.size();
  if (bad_nodes.size() >= good_nodes || good_nodes < kFewestGoodNodes) return Doubt::nodes;
  if (bad_rails > 0 && bad_rails * 2 >= rails.size()) return Doubt::rails;
  if (!bad_links.empty() && bad_links.size() * 2 >= links.size()) return Doubt::links;
  return Doubt::none;
}

}  // namespace

bool FaultSuspects::tries_nodes_on(std::size_t rail) const {
  return !rails.contains(rail) && !has(unplaced, rail);
}

FaultSuspects find_suspects(std::size_t nodes, const std::vector<PairTest>& tests) {
  SeenByRail rails;
  std::vector<bool> tested(nodes, false);
  for (const PairTest& one : tests) {
    if (one.test == PairState::missing) continue;
    for (const std::size_t node : {one.pair.a, one.pair.b}) {
      tested[node] = true;
      if (is_judged(one.test)) count(rails[one.rail][node], one.test);
    }
  }
  FaultSuspects out;
  for (std::size_t node = 0; node < nodes; ++node)
    if (!tested[node]) out.unknown.push_back(node);
  const auto rails_good = good_rails(rails);
  for (const auto& [rail, seen] : rails) judge_rail(rail, seen, rails_good, tests, out);
  std::set<std::size_t> suspects;
  for (const auto& [rail, seen] : rails) {
    if (!out.tries_nodes_on(rail)) continue;
    for (const auto& [node, one] : seen)
      if (one.all_bad()) suspects.insert(node);
  }
  out.nodes.assign(suspects.begin(), suspects.end());
  for (const PairTest& one : tests) {
    if (one.test != PairState::bad || !out.tries_nodes_on(one.rail)) continue;
    const auto& seen = rails[one.rail];
    if (seen.at(one.pair.a).good == 0 || seen.at(one.pair.b).good == 0) continue;
    out.links[std::minmax(one.pair.a, one.pair.b)].insert(one.rail);
  }
  return out;
}

Schedule second_pass(const FaultSuspects& suspects, std::size_t nodes, const Topology* topology) {
  std::vector<std::size_t> good;
  for (std::size_t node = 0; node < nodes; ++node)
    if (!has(suspects.nodes, node) && !has(suspects.unknown, node)) good.push_back(node);
  Schedule rounds;
  std::vector<std::set<std::size_t>> busy;
  const auto place = [&](const Pair& pair) {
    std::size_t r = 0;
    while (r < rounds.size() && (busy[r].contains(pair.a) || busy[r].contains(pair.b))) ++r;
    if (r == kMostSecondRounds) return;
    if (r == rounds.size()) {
      rounds.emplace_back();
      busy.emplace_back();
    }
    rounds[r].push_back(pair);
    busy[r].insert({pair.a, pair.b});
  };
  std::map<std::size_t, std::size_t> uses;
  // Takes the least used node, the first after the suspect: this spreads the work.
  const auto take = [&](std::size_t suspect, bool near, std::vector<std::size_t>& taken) {
    std::optional<std::size_t> best;
    for (const std::size_t node : good) {
      const bool is_near = topology != nullptr && topology->leaf[node] == topology->leaf[suspect];
      if (has(taken, node) || (topology != nullptr && is_near != near)) continue;
      if (!best || uses[node] < uses[*best]) best = node;
    }
    if (!best) return;
    ++uses[*best];
    taken.push_back(*best);
    place({suspect, *best});
  };
  for (const std::size_t suspect : suspects.nodes) {
    std::vector<std::size_t> taken;
    take(suspect, true, taken);
    take(suspect, true, taken);
    take(suspect, false, taken);
  }
  for (const auto& [link, rails] : suspects.links) place({link.first, link.second});
  return rounds;
}

std::string_view name_of(FaultPlace where) {
  switch (where) {
    case FaultPlace::node:
      return "node";
    case FaultPlace::leaf:
      return "leaf";
    case FaultPlace::rail:
      return "rail";
    case FaultPlace::cable:
      return "cable";
    case FaultPlace::link:
      return "link";
    case FaultPlace::passed:
      return "passed";
    case FaultPlace::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view name_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::none:
      return "none";
    case Doubt::alike:
      return "alike";
    case Doubt::nodes:
      return "nodes";
    case Doubt::rails:
      return "rails";
    case Doubt::links:
      return "links";
    case Doubt::unplaced:
      return "unplaced";
  }
  return "none";
}

std::vector<FaultLocation> locate_faults(const FaultSuspects& suspects,
                                         const std::vector<PairTest>& tests,
                                         const Topology* topology) {
  std::vector<FaultLocation> out;
  for (const auto& [rail, nodes] : suspects.rails) {
    Seen seen;
    for (const PairTest& one : tests)
      if (one.rail == rail) count(seen, one.test);
    FaultPlace where = FaultPlace::unknown;
    if (seen.bad > seen.good) where = FaultPlace::rail;
    if (seen.bad == 0 && seen.good > 0) where = FaultPlace::passed;
    out.push_back({where, nodes, rail, {}});
  }
  for (const std::size_t suspect : suspects.nodes) {
    const SuspectSeen seen = seen_of(suspect, suspects, tests, topology);
    FaultLocation one{judged(seen, topology), {suspect}, {}, {}};
    const bool is_bad = one.where == FaultPlace::node || one.where == FaultPlace::leaf;
    if (topology != nullptr && is_bad && whole_leaf(topology->leaf[suspect], suspects, *topology))
      one.where = FaultPlace::leaf;
    if (one.where == FaultPlace::leaf) one.leaf = topology->leaf[suspect];
    for (const std::size_t rail : bad_rails(seen))
      add(out, {FaultPlace::rail, {suspect}, rail, {}});
    if (one.where != FaultPlace::rail) add(out, std::move(one));
  }
  for (FaultLocation& one : out)
    if (one.where == FaultPlace::rail && one.nodes.size() == 1) one.where = FaultPlace::cable;
  for (const auto& [link, bad_on] : suspects.links) {
    SuspectSeen seen;
    for (const PairTest& test : tests)
      if (is_judged(test.test) && suspects.tries_nodes_on(test.rail) &&
          (LinkEnds{std::minmax(test.pair.a, test.pair.b)}) == link) {
        count(seen.rails[test.rail], test.test);
        // What was good at first and is bad once now is not bad twice.
        if (bad_on.contains(test.rail)) count(seen.any, test.test);
      }
    const auto rails = bad_rails(seen);
    FaultPlace where = seen.any.bad > 0 ? FaultPlace::link : FaultPlace::passed;
    if (seen.any.good + seen.any.bad == 0) where = FaultPlace::unknown;
    out.push_back({where,
                   {link.first, link.second},
                   rails.size() == 1 ? std::optional(rails[0]) : std::nullopt,
                   {}});
  }
  return out;
}

std::size_t MeshVerdict::count(PairState state) const {
  return static_cast<std::size_t>(std::ranges::count(tests, state, &PairTest::test));
}

MeshVerdict judge_mesh(std::size_t nodes, std::size_t rails, const std::vector<PairValue>& first,
                       const Topology* topology, const MeasureAgain& again) {
  const Reference reference(first);
  MeshVerdict out;
  out.tests = reference.judge(first);
  out.groups = reference.groups();
  const FaultSuspects suspects = find_suspects(nodes, out.tests);
  out.unplaced = suspects.unplaced;
  // A node without a round was not to be measured.
  for (const std::size_t node : suspects.unknown)
    if (std::ranges::any_of(first, [node](const PairValue& one) {
          return one.pair.a == node || one.pair.b == node;
        }))
      out.unknown.push_back(node);
  std::vector<PairTest> second;
  const auto measure = [&](const Round& round, std::size_t rail) {
    for (const PairTest& one : reference.judge(again(round, rail))) second.push_back(one);
  };
  for (const Round& round : second_pass(suspects, nodes, topology))
    for (std::size_t rail = 0; rail < rails; ++rail)
      if (suspects.tries_nodes_on(rail)) measure(round, rail);
  for (const auto& [rail, round] : suspects.again) measure(round, rail);
  out.located = locate_faults(suspects, second, topology);
  if (!suspects.unplaced.empty()) out.doubt = Doubt::unplaced;
  if (reference.is_known() || reference.groups().empty()) return out;
  const Doubt doubt = doubt_of(suspects, out);
  if (doubt == Doubt::none) return out;
  out.doubt = doubt;
  if (doubt != Doubt::alike) out.located.clear();
  for (PairTest& one : out.tests)
    if (is_judged(one.test)) one.test = PairState::unjudged;
  return out;
}

}  // namespace nettune::tools::measure
