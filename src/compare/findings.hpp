// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare/fleet.hpp"

namespace nettune::compare {

/// Nodes that share a value. `nodes` are indices into Fleet::nodes(), ascending.
struct Holders {
  std::string value;
  std::vector<std::uint32_t> nodes;
  bool operator==(const Holders&) const = default;
};

enum class Kind {
  differs,      ///< a few nodes have another value than the majority
  missing,      ///< a few nodes lack an element that the majority has
  extra,        ///< a few nodes have an element that the majority lacks
  populations,  ///< no majority: the nodes of each value, and nobody is blamed
  number,       ///< far from the median
  duplicate,    ///< nodes share what must differ
  shape,        ///< too few of this shape to compare; `value` is what the shape has
  rails,        ///< the n-th RDMA device differs between shapes
};
std::string_view kind_word(Kind kind);

struct Finding {
  Kind kind = Kind::differs;
  Cost cost = Cost::may;
  /// Paths of which all else is the same, as a rule for elements of one list: the first is shown.
  std::vector<std::string> paths;
  std::string why;
  int group = -1;  ///< index into Comparison::groups; -1: of the fleet
  /// What the majority has, or the median; "" where there is none.
  std::string majority;
  std::size_t majority_count = 0;
  /// The others, or all populations: the largest first.
  std::vector<Holders> others;

  std::size_t count() const;  ///< of nodes that are named
};

/// Nodes that are compared with each other.
struct Group {
  std::string what;  ///< "gpus[].pci_id 10de:2330; ...", or the value of --group-by
  std::vector<std::uint32_t> nodes;
  std::size_t identifying = 0;  ///< paths that differ on more than half of the nodes
};

struct Comparison {
  std::vector<Group> groups;      ///< the largest first
  std::vector<Finding> findings;  ///< what costs most first, then the fewest nodes
  /// Nodes that are named by a finding that blames them.
  std::size_t deviating = 0;
};

/// Fewer nodes than this have no majority.
inline constexpr std::size_t kFewestForMajority = 3;

/// Where `count` of `all` have it, whether the rest are outliers: 90 % of them, or all but one of
/// three or more.
bool is_majority(std::size_t count, std::size_t all);

/// `group_by`: a path by whose value nodes are grouped; "" for the shape. Errors: not_found, where
/// no node has a value there.
Result<Comparison> compare(const Fleet& fleet, const std::string& group_by);

/// The parts that compare() is made of, each in a file of its own.
void find_differences(const Fleet& fleet, Comparison& comparison);
void find_outlying_numbers(const Fleet& fleet, Comparison& comparison);
void find_duplicates(const Fleet& fleet, Comparison& comparison);
void find_rails(const Fleet& fleet, Comparison& comparison);

/// Which nodes have a value at a path: an index over the parts of all nodes.
class Index {
 public:
  explicit Index(const Fleet& fleet);
  struct Entry {
    std::uint32_t path = 0;
    std::uint32_t value = 0;
    std::uint32_t part = 0;
  };
  /// Sorted by path, then value.
  const std::vector<Entry>& entries() const { return entries_; }
  /// Those of one path: the first, and the one behind the last.
  std::pair<std::size_t, std::size_t> entries_of(std::uint32_t path) const;
  /// The nodes that have a part, ascending.
  std::span<const std::uint32_t> nodes_of(std::uint32_t part) const {
    return {nodes_.data() + begin_[part], begin_[part + 1] - begin_[part]};
  }

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> nodes_;
};

}  // namespace nettune::compare
