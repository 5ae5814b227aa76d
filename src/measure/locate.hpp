// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "measure/schedule.hpp"

/// Infers what is bad from bad measurements.
namespace nettune::measure {

enum class PairState { good, bad, missing };

struct PairTest {
  Pair pair;
  PairState test = PairState::good;
};

/// The result of one measurement.
struct PairValue {
  Pair pair;
  std::optional<double> gbps;     ///< the slower direction; nothing: it did not end
  std::optional<double> ceiling;  ///< nothing: not known
};
/// Bad is below 0.8 of the ceiling, if that is known, or below 0.9 of the median of all.
std::vector<PairTest> judge_pairs(const std::vector<PairValue>& values);

struct Suspects {
  std::vector<std::size_t> nodes;    ///< nodes with only bad tests
  std::vector<Pair> links;           ///< bad between two nodes that are otherwise good
  std::vector<std::size_t> unknown;  ///< nodes without a finished test
};
/// One good test clears both of its nodes. A bad link shows only if both of its ends also have good
/// tests.
Suspects decode(std::size_t nodes, const std::vector<PairTest>& tests);

/// Tests each suspect against two good nodes of its own leaf and one of another leaf (any, without
/// a topology). That takes at most two more rounds if there are enough good nodes. Links are tested
/// again unchanged.
Schedule second_pass(const Suspects& suspects, std::size_t nodes, const Topology* topology);

enum class Where {
  node,     ///< bad with near and with far nodes, and its neighbours on the leaf are good
  leaf,     ///< good inside the leaf and bad to the outside, or all nodes of the leaf are bad
  rail,     ///< one rail is bad at several nodes
  cable,    ///< one rail of one node is bad, and its other rails are good
  link,     ///< between two nodes that are good with others
  passed,   ///< bad before, good now
  unknown,  ///< no test of the second pass ended
};
std::string_view name_of(Where where);

/// A test of the second pass, on one rail.
struct RailTest {
  Pair pair;
  std::size_t rail = 0;
  PairState test = PairState::good;
};

struct Located {
  Where where = Where::unknown;
  std::vector<std::size_t> nodes;   ///< one; all of a leaf or rail; two for a link
  std::optional<std::size_t> rail;  ///< for rail and cable, if there are several
  std::optional<std::size_t> leaf;  ///< of leaf
};
/// `tests` are those of the second pass. Without a topology a leaf cannot be told from a node.
std::vector<Located> locate(const Suspects& suspects, const std::vector<RailTest>& tests,
                            const Topology* topology);

}  // namespace nettune::measure
