// SPDX-License-Identifier: Apache-2.0
#include "measure/locate.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "measure/samples.hpp"

namespace nettune::measure {
namespace {

constexpr double kOfCeiling = 0.8;
constexpr double kOfMedian = 0.9;

bool has(const std::vector<std::size_t>& values, std::size_t value) {
  return std::ranges::find(values, value) != values.end();
}

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

SuspectSeen seen_of(std::size_t suspect, const Suspects& suspects,
                    const std::vector<PairTest>& tests, const Topology* topology) {
  SuspectSeen seen;
  for (const PairTest& one : tests) {
    if (one.pair.a != suspect && one.pair.b != suspect) continue;
    if (one.test == PairState::missing) continue;
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

Where judged(const SuspectSeen& seen, const Topology* topology) {
  if (seen.any.good + seen.any.bad == 0) return Where::unknown;
  if (seen.any.bad == 0) return Where::passed;
  if (!bad_rails(seen).empty()) return Where::rail;
  if (topology != nullptr && seen.far.all_bad() && seen.near.good > 0) return Where::leaf;
  return Where::node;
}

/// Joins several of one kind into one line.
void add(std::vector<Located>& out, Located one) {
  for (Located& other : out)
    if (other.where == one.where && other.rail == one.rail && other.leaf == one.leaf &&
        (one.where == Where::leaf || one.where == Where::rail)) {
      other.nodes.insert(other.nodes.end(), one.nodes.begin(), one.nodes.end());
      return;
    }
  out.push_back(std::move(one));
}

bool whole_leaf(std::size_t leaf, const Suspects& suspects, const Topology& topology) {
  std::size_t members = 0;
  for (std::size_t node = 0; node < topology.leaf.size(); ++node) {
    if (topology.leaf[node] != leaf) continue;
    ++members;
    if (!has(suspects.nodes, node)) return false;
  }
  return members > 1;
}

}  // namespace

std::vector<PairTest> judge_pairs(const std::vector<PairValue>& values) {
  std::vector<double> all;
  for (const PairValue& value : values)
    if (value.gbps) all.push_back(*value.gbps);
  const double median_gbps = all.empty() ? 0 : median(all);
  std::vector<PairTest> out;
  for (const PairValue& value : values) {
    PairState test = PairState::missing;
    if (value.gbps) {
      const double ceiling = value.ceiling.value_or(0);
      double limit = kOfCeiling * ceiling;
      // A slower interface is not bad because it has faster neighbours.
      if (!value.ceiling || ceiling >= median_gbps)
        limit = std::max(limit, kOfMedian * median_gbps);
      test = *value.gbps < limit ? PairState::bad : PairState::good;
    }
    out.push_back({value.pair, test, value.rail});
  }
  return out;
}

Suspects decode(std::size_t nodes, const std::vector<PairTest>& tests) {
  std::map<std::size_t, std::map<std::size_t, Seen>> rails;  // by rail and node
  std::vector<bool> tested(nodes, false);
  for (const PairTest& one : tests) {
    if (one.test == PairState::missing) continue;
    for (const std::size_t node : {one.pair.a, one.pair.b}) {
      tested[node] = true;
      count(rails[one.rail][node], one.test);
    }
  }
  Suspects out;
  std::set<std::size_t> suspects;
  for (const auto& [rail, seen] : rails) {
    std::vector<std::size_t> bad;
    for (const auto& [node, one] : seen)
      if (one.all_bad()) bad.push_back(node);
    if (rails.size() > 1 && bad.size() > 1 && bad.size() * 2 >= seen.size())
      out.rails[rail] = bad;
    else
      suspects.insert(bad.begin(), bad.end());
  }
  out.nodes.assign(suspects.begin(), suspects.end());
  for (std::size_t node = 0; node < nodes; ++node)
    if (!tested[node]) out.unknown.push_back(node);
  std::set<std::pair<std::size_t, std::size_t>> told;
  for (const PairTest& one : tests) {
    if (one.test != PairState::bad || out.rails.contains(one.rail)) continue;
    const auto& seen = rails[one.rail];
    if (seen.at(one.pair.a).good > 0 && seen.at(one.pair.b).good > 0 &&
        told.insert(std::minmax(one.pair.a, one.pair.b)).second)
      out.links.push_back(one.pair);
  }
  return out;
}

Schedule second_pass(const Suspects& suspects, std::size_t nodes, const Topology* topology) {
  std::vector<std::size_t> good;
  for (std::size_t node = 0; node < nodes; ++node)
    if (!has(suspects.nodes, node) && !has(suspects.unknown, node)) good.push_back(node);
  Schedule rounds;
  std::vector<std::set<std::size_t>> busy;
  const auto place = [&](const Pair& pair) {
    std::size_t r = 0;
    while (r < rounds.size() && (busy[r].contains(pair.a) || busy[r].contains(pair.b))) ++r;
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
  for (const Pair& link : suspects.links) place(link);
  return rounds;
}

std::string_view name_of(Where where) {
  switch (where) {
    case Where::node:
      return "node";
    case Where::leaf:
      return "leaf";
    case Where::rail:
      return "rail";
    case Where::cable:
      return "cable";
    case Where::link:
      return "link";
    case Where::passed:
      return "passed";
    case Where::unknown:
      return "unknown";
  }
  return "unknown";
}

std::vector<Located> locate(const Suspects& suspects, const std::vector<PairTest>& tests,
                            const Topology* topology) {
  std::vector<Located> out;
  for (const auto& [rail, nodes] : suspects.rails) out.push_back({Where::rail, nodes, rail, {}});
  for (const std::size_t suspect : suspects.nodes) {
    const SuspectSeen seen = seen_of(suspect, suspects, tests, topology);
    Located one{judged(seen, topology), {suspect}, {}, {}};
    const bool is_bad = one.where == Where::node || one.where == Where::leaf;
    if (topology != nullptr && is_bad && whole_leaf(topology->leaf[suspect], suspects, *topology))
      one.where = Where::leaf;
    if (one.where == Where::leaf) one.leaf = topology->leaf[suspect];
    for (const std::size_t rail : bad_rails(seen)) add(out, {Where::rail, {suspect}, rail, {}});
    if (one.where != Where::rail) add(out, std::move(one));
  }
  for (Located& one : out)
    if (one.where == Where::rail && one.nodes.size() == 1) one.where = Where::cable;
  for (const Pair& link : suspects.links) {
    SuspectSeen seen;
    for (const PairTest& test : tests)
      if (test.test != PairState::missing &&
          std::minmax(test.pair.a, test.pair.b) == std::minmax(link.a, link.b)) {
        count(seen.any, test.test);
        count(seen.rails[test.rail], test.test);
      }
    const auto rails = bad_rails(seen);
    Where where = seen.any.bad > 0 ? Where::link : Where::passed;
    if (seen.any.good + seen.any.bad == 0) where = Where::unknown;
    out.push_back(
        {where, {link.a, link.b}, rails.size() == 1 ? std::optional(rails[0]) : std::nullopt, {}});
  }
  return out;
}

}  // namespace nettune::measure
