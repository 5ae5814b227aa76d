// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/compare/fleet.hpp"

namespace nettune::tools::compare {

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
  populations,  ///< no majority: the nodes of each value, none of which is blamed
  number,       ///< far from the median
  duplicate,    ///< nodes share what must differ
  shape,        ///< too few of this shape to compare; `value` describes the shape
  rails,        ///< the n-th RDMA device differs between shapes
};
std::string_view kind_word(Kind kind);

struct Finding {
  Kind kind = Kind::differs;
  Cost cost = Cost::may;
  /// Paths with the same finding, usually elements of one list. The first one is shown.
  std::vector<std::string> paths;
  std::string why;
  int group = -1;  ///< index into Comparison::groups; -1: of the fleet
  /// The value of the majority, or the median; "" for none.
  std::string majority;
  std::size_t majority_count = 0;
  /// The other nodes, or all populations, the largest first.
  std::vector<Holders> others;
  /// Paths that differ on the same nodes because of this one.
  std::vector<std::string> consequences;
  std::uint32_t path = 0;  ///< of `paths`, the first, in Fleet; 0 if it is none there

  bool blames() const { return kind != Kind::populations; }
  std::size_t count() const;  ///< the number of nodes that are named
};

/// Nodes that are compared with each other.
struct Group {
  std::string what;  ///< "gpus[].pci_id 10de:2330; ...", or the value of --group-by
  std::vector<std::uint32_t> nodes;
  std::size_t identifying = 0;  ///< paths that differ on more than half of the nodes
};

struct Comparison {
  std::vector<Group> groups;      ///< the largest first
  std::vector<Finding> findings;  ///< by cost, then the fewest nodes first
  /// The number of nodes that findings blame.
  std::size_t deviating = 0;
  /// Nodes that no other node is like, so that nothing of them was compared.
  std::vector<std::uint32_t> alone;
};

/// Fewer nodes than this have no majority.
inline constexpr std::size_t kFewestForMajority = 3;

/// Whether `count` of `all` nodes are a majority, so the rest are outliers: 90 %, or all but one of
/// at least three.
bool is_majority(std::size_t count, std::size_t all);

/// Groups nodes by the value of the path `group_by`, or by shape if it is "". Errors: not_found if
/// no node has such a value.
Result<Comparison> compare(const Fleet& fleet, const std::string& group_by);

/// The parts of compare(), each in its own file and in this order.
void find_outlying_numbers(const Fleet& fleet, Comparison& comparison);
void find_differences(const Fleet& fleet, Comparison& comparison);
void find_duplicates(const Fleet& fleet, Comparison& comparison);
void find_rails(const Fleet& fleet, Comparison& comparison);

/// Makes the differences of one group that have one cause one finding: what follows from another
/// difference on the same nodes, by the rules or since it is about the same device, becomes its
/// consequence. `usual` gives the value that most nodes of the group have at a path, or "".
void join_causes(const Fleet& fleet, const std::function<std::string_view(std::uint32_t)>& usual,
                 std::vector<Finding>& findings);

/// An index over the parts of all nodes: which nodes have a value at a path.
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
  /// The entries of one path: the first, and the one after the last.
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

}  // namespace nettune::tools::compare
