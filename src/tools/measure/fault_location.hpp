// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/measure/reference.hpp"
#include "tools/measure/schedule.hpp"

/// Infers what is bad from bad measurements.
namespace nettune::tools::measure {

/// Two nodes, the lower first.
using LinkEnds = std::pair<std::size_t, std::size_t>;

struct FaultSuspects {
  std::vector<std::size_t> nodes;    ///< all of whose tests on some rail were bad
  std::vector<std::size_t> unknown;  ///< none of whose tests ended
  /// Bad between two nodes that are good elsewhere, and on which rails.
  std::map<LinkEnds, std::set<std::size_t>> links = {};
  /// Rails that are bad at half or more of the nodes that are good on other rails, and these nodes.
  std::map<std::size_t, std::vector<std::size_t>> rails = {};
  /// Bad pairs of these rails, to measure again.
  std::map<std::size_t, Round> again = {};
  /// Rails on which no pair is good, and no node that is good elsewhere is bad: nothing says whose
  /// fault that is.
  std::vector<std::size_t> unplaced = {};

  /// Whether the second pass measures nodes and links on this rail.
  bool tries_nodes_on(std::size_t rail) const;
};
/// One good test clears both of its nodes on that rail. Names nodes only on rails that have good
/// pairs; a bad link shows only where both of its ends have good tests, too.
FaultSuspects find_suspects(std::size_t nodes, const std::vector<PairTest>& tests);

/// Tests each suspect against two good nodes of its own leaf and one of another leaf (any, without
/// a topology). That takes at most two more rounds if there are enough good nodes. Links are tested
/// again unchanged. What does not fit into kMostSecondRounds is not tested.
constexpr std::size_t kMostSecondRounds = 16;
Schedule second_pass(const FaultSuspects& suspects, std::size_t nodes, const Topology* topology);

enum class FaultPlace {
  node,     ///< bad with near and with far nodes, and its neighbours on the leaf are good
  leaf,     ///< good inside the leaf and bad to the outside, or all nodes of the leaf are bad
  rail,     ///< one rail is bad at several nodes
  cable,    ///< one rail of one node is bad, and its other rails are good
  link,     ///< between two nodes that are good with others
  passed,   ///< bad before, good now
  unknown,  ///< the second pass did not decide it
};
std::string_view name_of(FaultPlace where);

struct FaultLocation {
  FaultPlace where = FaultPlace::unknown;
  std::vector<std::size_t> nodes;   ///< one; all of a leaf or rail; two for a link
  std::optional<std::size_t> rail;  ///< of rail, cable and link, where there are several
  std::optional<std::size_t> leaf;  ///< of leaf
};
/// `tests` are those of the second pass. Without a topology a leaf cannot be told from a node.
std::vector<FaultLocation> locate_faults(const FaultSuspects& suspects,
                                         const std::vector<PairTest>& tests,
                                         const Topology* topology);

/// Why a mesh has no full verdict.
enum class Doubt {
  none,
  alike,     ///< no rate is known, and all pairs are alike after the second pass
  nodes,     ///< no rate is known, and half of the nodes or more are slower than the others
  rails,     ///< the same of rails
  links,     ///< the same of links
  unplaced,  ///< there are bad pairs, but no good ones to tell whose fault that is
};
std::string_view name_of(Doubt doubt);

struct MeshVerdict {
  std::vector<PairTest> tests;  ///< of the first pass; without a verdict none is good or bad
  std::vector<FaultLocation> located;
  Doubt doubt = Doubt::none;
  std::vector<std::size_t> unknown;   ///< nodes that were to be measured, and have no result
  std::vector<std::size_t> unplaced;  ///< rails, as of FaultSuspects
  std::vector<RateGroup> groups;      ///< where no rate is known

  std::size_t count(PairState state) const;
};
/// Measures a round of the second pass on one rail.
using MeasureAgain = std::function<std::vector<PairValue>(const Round& round, std::size_t rail)>;
/// Judges a mesh by its first pass and by what it measures again. Without a known rate, the faster
/// pairs only accuse others if fewer than half of the nodes, rails and links are slower and three
/// nodes are not: a majority alone proves nothing.
MeshVerdict judge_mesh(std::size_t nodes, std::size_t rails, const std::vector<PairValue>& first,
                       const Topology* topology, const MeasureAgain& again);

}  // namespace nettune::tools::measure
