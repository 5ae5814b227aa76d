// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/measure/fault_location.hpp"
#include "tools/measure/schedule.hpp"

namespace nettune::tools::measure {

inline std::pair<std::size_t, std::size_t> key(const Pair& pair) {
  return std::minmax(pair.a, pair.b);
}

/// Every node is in at most one pair of a round, nobody with itself, all below `nodes`.
inline bool is_matching(const Round& round, std::size_t nodes) {
  std::vector<bool> used(nodes, false);
  for (const Pair& pair : round) {
    if (pair.a == pair.b || pair.a >= nodes || pair.b >= nodes) return false;
    if (used[pair.a] || used[pair.b]) return false;
    used[pair.a] = used[pair.b] = true;
  }
  return true;
}

/// Leaves of `per_leaf` nodes, each joined to every spine.
inline Topology fat_tree(std::size_t leaves, std::size_t spines, std::size_t per_leaf) {
  Topology topology;
  for (std::size_t leaf = 0; leaf < leaves + spines; ++leaf)
    topology.switches.push_back((leaf < leaves ? "leaf" : "spine") + std::to_string(leaf));
  for (std::size_t node = 0; node < leaves * per_leaf; ++node)
    topology.leaf.push_back(node / per_leaf);
  for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    for (std::size_t spine = 0; spine < spines; ++spine)
      topology.links.push_back({leaf, leaves + spine});
  return topology;
}

/// What a schedule finds of nodes and links that are bad.
inline FaultSuspects found(const Schedule& rounds, std::size_t nodes,
                           const std::set<std::size_t>& bad,
                           const std::set<std::pair<std::size_t, std::size_t>>& bad_links = {}) {
  std::vector<PairTest> tests;
  for (const Round& round : rounds)
    for (const Pair& pair : round) {
      const bool is_bad =
          bad.contains(pair.a) || bad.contains(pair.b) || bad_links.contains(key(pair));
      tests.push_back({pair, is_bad ? PairState::bad : PairState::good});
    }
  return find_suspects(nodes, tests);
}

}  // namespace nettune::tools::measure
