// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

/// Which nodes measure with each other, and when. Nodes are numbers from 0.
namespace nettune::tools::measure {

struct Pair {
  std::size_t a = 0;
  std::size_t b = 0;

  bool operator==(const Pair&) const = default;
};
/// Pairs that measure at the same time. A node is in at most one of them.
using Round = std::vector<Pair>;
using Schedule = std::vector<Round>;

/// This many random matchings find every bad node, if at most 5 % are bad (docs/test.md).
constexpr std::size_t kQuickRounds = 6;

/// Pairs every node with both of its neighbours.
Schedule ring(std::size_t nodes);
/// Random perfect matchings. With an odd number of nodes, one rests in each round, always another
/// one. A pair is repeated only if no other pairs are left.
Schedule quick(std::size_t nodes, std::size_t rounds, std::uint64_t seed);
/// Pairs node i with i ^ 2^b: every scale of distance. Nodes whose partner does not exist are
/// paired with each other.
Schedule cube(std::size_t nodes);
/// Pairs every node with every other one, by the circle method.
Schedule all_pairs(std::size_t nodes);

/// The switch of each node, and the links between switches.
struct Topology {
  std::vector<std::size_t> leaf;  ///< of every node, an index into `switches`
  std::vector<std::string> switches;
  std::vector<Pair> links;  ///< between switches
};
/// Parses lines "NODE SWITCH" and "SWITCH SWITCH" ("#" begins a comment), or the output of
/// ibnetdiscover. `nodes` are the names in the order of their numbers. Errc::invalid names the
/// line, or the node without a switch.
Result<Topology> parse_topology(std::string_view text, const std::vector<std::string>& nodes);
/// The same of the switch that each node hears; one that hears none ("") hangs on a leaf of its
/// own. Nothing is known of the links between switches.
Topology topology_of_leaves(const std::vector<std::string>& switch_of_node);
/// What ibnetdiscover(8) prints. A node is the host whose node description begins with its name.
bool is_ibnetdiscover(std::string_view text);
Result<Topology> parse_ibnetdiscover(std::string_view text, const std::vector<std::string>& nodes);
/// Pairs whose shortest paths use every link between switches at least once. `uncovered` counts the
/// links that no shortest path uses.
struct LinkSchedule {
  Schedule rounds;
  std::size_t uncovered = 0;
};
LinkSchedule links(const Topology& topology);

}  // namespace nettune::tools::measure
