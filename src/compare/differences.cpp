// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>

#include "compare/findings.hpp"

namespace nettune::compare {

namespace {

/// A value of one path, with number of nodes of the group have it.
struct Count {
  std::uint32_t value = 0;
  std::size_t nodes = 0;
  std::size_t first = 0;  ///< its entries in the index
  std::size_t last = 0;
};

/// One group against the index of all.
class GroupView {
 public:
  GroupView(const Fleet& fleet, const Index& index, const Group& group, int number)
      : fleet_(fleet), index_(index), number_(number), nodes_(group.nodes) {
    is_in_.resize(fleet.nodes().size());
    for (const std::uint32_t node : nodes_) is_in_[node] = true;
    in_part_.resize(fleet.part_count());
    for (const std::uint32_t node : nodes_)
      for (const std::uint32_t part : fleet.nodes()[node].parts) ++in_part_[part];
    known_.resize(fleet.path_count());
    for (const Index::Entry& entry : index.entries()) known_[entry.path] += in_part_[entry.part];
  }

  /// Adds what differs at one path, whose entries are [first, last). True where the path identifies
  /// nodes: it has another value on more than half of them.
  bool judge(std::size_t first, std::size_t last, std::vector<Finding>& out) const {
    const std::uint32_t path = index_.entries()[first].path;
    if (fleet_.is_element(path)) {
      judge_element(path, first, last, out);
      return false;
    }
    std::vector<Count> counts = count(first, last);
    if (counts.size() < 2) return false;
    const std::size_t all = known_[path];
    const bool has_majority = is_majority(counts.front().nodes, all);
    if (!has_majority && all >= kFewestForMajority && counts.size() * 2 > all) return true;
    Finding finding = begin(path);
    finding.kind = has_majority ? Kind::differs : Kind::populations;
    if (has_majority) {
      finding.majority = fleet_.value(counts.front().value);
      finding.majority_count = counts.front().nodes;
      counts.erase(counts.begin());
    }
    for (const Count& one : counts)
      finding.others.push_back(
          {std::string(fleet_.value(one.value)), nodes_with(one.first, one.last)});
    out.push_back(std::move(finding));
    return false;
  }

 private:
  Finding begin(std::uint32_t path) const {
    Finding finding;
    finding.group = number_;
    finding.paths = {fleet_.path_text(path)};
    if (const PathRule* const rule = fleet_.schema(path).rule) {
      finding.cost = rule->cost;
      finding.why = rule->why;
    }
    return finding;
  }

  /// The most frequent first.
  std::vector<Count> count(std::size_t first, std::size_t last) const {
    const auto& entries = index_.entries();
    std::vector<Count> counts;
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t nodes = in_part_[entries[i].part];
      if (nodes == 0) continue;
      if (counts.empty() || counts.back().value != entries[i].value)
        counts.push_back({entries[i].value, 0, i, i});
      counts.back().nodes += nodes;
      counts.back().last = i + 1;
    }
    std::ranges::stable_sort(counts, [&](const Count& left, const Count& right) {
      if (left.nodes != right.nodes) return left.nodes > right.nodes;
      return fleet_.value(left.value) < fleet_.value(right.value);
    });
    return counts;
  }

  std::vector<std::uint32_t> nodes_with(std::size_t first, std::size_t last) const {
    std::vector<std::uint32_t> found;
    for (std::size_t i = first; i < last; ++i)
      for (const std::uint32_t node : index_.nodes_of(index_.entries()[i].part))
        if (is_in_[node]) found.push_back(node);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  /// An element is there on some of the nodes whose list is known.
  void judge_element(std::uint32_t path, std::size_t first, std::size_t last,
                     std::vector<Finding>& out) const {
    const std::size_t here = known_[path];
    const std::uint32_t list = fleet_.parent(path);
    const std::size_t all = known_[list];
    if (here == 0 || here >= all) return;
    Finding finding = begin(path);
    const std::vector<std::uint32_t> with = nodes_with(first, last);
    const auto [list_first, list_last] = index_.entries_of(list);
    std::vector<std::uint32_t> without;
    std::ranges::set_difference(nodes_with(list_first, list_last), with,
                                std::back_inserter(without));
    if (is_majority(here, all)) {
      finding.kind = Kind::missing;
      finding.majority = kPresent;
      finding.majority_count = here;
      finding.others = {{"missing", without}};
    } else if (is_majority(without.size(), all)) {
      finding.kind = Kind::extra;
      finding.majority = "missing";
      finding.majority_count = without.size();
      finding.others = {{std::string(kPresent), with}};
    } else {
      finding.kind = Kind::populations;
      finding.others = {{std::string(kPresent), with}, {"missing", without}};
    }
    out.push_back(std::move(finding));
  }

  const Fleet& fleet_;
  const Index& index_;
  int number_;
  const std::vector<std::uint32_t>& nodes_;
  std::vector<bool> is_in_;
  std::vector<std::uint32_t> in_part_;  ///< nodes of the group that have a part
  std::vector<std::uint32_t> known_;    ///< nodes of the group that have a value, by path
};

}  // namespace

void find_differences(const Fleet& fleet, Comparison& comparison) {
  const Index index(fleet);
  const auto& entries = index.entries();
  for (std::size_t number = 0; number < comparison.groups.size(); ++number) {
    Group& group = comparison.groups[number];
    if (group.nodes.size() < 2) continue;
    const GroupView view(fleet, index, group, static_cast<int>(number));
    for (std::size_t i = 0; i < entries.size();) {
      std::size_t last = i + 1;
      while (last < entries.size() && entries[last].path == entries[i].path) ++last;
      if (view.judge(i, last, comparison.findings)) ++group.identifying;
      i = last;
    }
  }
}

}  // namespace nettune::compare
