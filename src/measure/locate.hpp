// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/schedule.hpp"

/// Infers what is bad from bad measurements.
namespace nettune::measure {

enum class PairState { good, bad, missing };

/// A rail is a number from 0: the interface of one name on every node.
struct PairTest {
  Pair pair;
  PairState test = PairState::good;
  std::size_t rail = 0;
};

/// The result of one measurement.
struct PairValue {
  Pair pair;
  std::optional<double> gbps;     ///< the slower direction; nothing: it did not end
  std::optional<double> ceiling;  ///< nothing: not known
  std::size_t rail = 0;
};
/// Bad is below 0.8 of the ceiling, where that is known, or below 0.9 of the median of all, where
/// the ceiling is not below that.
std::vector<PairTest> judge_pairs(const std::vector<PairValue>& values);

struct Suspects {
  std::vector<std::size_t> nodes;    ///< all of whose tests on some rail were bad
  std::vector<Pair> links;           ///< bad between two nodes that are good elsewhere
  std::vector<std::size_t> unknown;  ///< none of whose tests ended
  /// Rails that are bad at half of their nodes or more, and at which: no good node is left there to
  /// try one against.
  std::map<std::size_t, std::vector<std::size_t>> rails = {};
};
/// One good test clears both of its nodes on that rail. Names nodes; a bad link shows only where
/// both of its ends have good tests, too.
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

struct Located {
  Where where = Where::unknown;
  std::vector<std::size_t> nodes;   ///< one; all of a leaf or rail; two for a link
  std::optional<std::size_t> rail;  ///< of rail, cable and link, where there are several
  std::optional<std::size_t> leaf;  ///< of leaf
};
/// `tests` are those of the second pass. Without a topology a leaf cannot be told from a node.
std::vector<Located> locate(const Suspects& suspects, const std::vector<PairTest>& tests,
                            const Topology* topology);

}  // namespace nettune::measure
