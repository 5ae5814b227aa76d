// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>

#include "base/node_set.hpp"
#include "tools/compare/findings.hpp"

namespace nettune::tools::compare {

namespace {

/// A value of one path, and how many nodes of the group have it.
struct Count {
  std::uint32_t value = 0;
  std::size_t nodes = 0;
  std::size_t first = 0;  ///< its entries in the index
  std::size_t last = 0;
};

/// One group's view of the index of all nodes.
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

  /// Adds the differences at one path, whose entries are [first, last). True if the path identifies
  /// nodes: it has a different value on more than half of them.
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

  /// The value that most nodes of the group have at a path; "" if none has one.
  std::string_view usual(std::uint32_t path) const {
    const auto [first, last] = index_.entries_of(path);
    const std::vector<Count> counts = count(first, last);
    return counts.empty() ? std::string_view() : fleet_.value(counts.front().value);
  }

 private:
  Finding begin(std::uint32_t path) const {
    Finding finding;
    finding.group = number_;
    finding.paths = {fleet_.path_text(path)};
    finding.path = path;
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

  /// Judges whether an element is missing, or extra, on some of the nodes whose list is known.
  void judge_element(std::uint32_t path, std::size_t first, std::size_t last,
                     std::vector<Finding>& out) const {
    const std::size_t here = known_[path];
    const std::uint32_t list = fleet_.parent(path);
    const std::size_t all = known_[list];
    if (here == 0 || here >= all) return;
    Finding finding = begin(path);
    std::vector<std::uint32_t> with = nodes_with(first, last);
    if (is_majority(all - here, all)) {
      // There may be one such element for each node: who lacks it is not listed.
      finding.kind = Kind::extra;
      finding.majority = "missing";
      finding.majority_count = all - here;
      finding.others = {{std::string(kPresent), std::move(with)}};
      out.push_back(std::move(finding));
      return;
    }
    const auto [list_first, list_last] = index_.entries_of(list);
    std::vector<std::uint32_t> without;
    std::ranges::set_difference(nodes_with(list_first, list_last), with,
                                std::back_inserter(without));
    if (is_majority(here, all)) {
      finding.kind = Kind::missing;
      finding.majority = kPresent;
      finding.majority_count = here;
      finding.others = {{"missing", std::move(without)}};
    } else {
      finding.kind = Kind::populations;
      finding.others = {{std::string(kPresent), std::move(with)}, {"missing", std::move(without)}};
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
  // Outlying numbers may follow from a difference.
  std::map<int, std::vector<Finding>> numbers;
  for (Finding& finding : comparison.findings) numbers[finding.group].push_back(std::move(finding));
  comparison.findings.clear();
  const Index index(fleet);
  const auto& entries = index.entries();
  for (std::size_t number = 0; number < comparison.groups.size(); ++number) {
    Group& group = comparison.groups[number];
    if (group.nodes.size() < 2) continue;
    const GroupView view(fleet, index, group, static_cast<int>(number));
    std::vector<Finding> found = std::move(numbers[static_cast<int>(number)]);
    for (std::size_t i = 0; i < entries.size();) {
      std::size_t last = i + 1;
      while (last < entries.size() && entries[last].path == entries[i].path) ++last;
      if (view.judge(i, last, found)) ++group.identifying;
      i = last;
    }
    // The numbers of paths depend on which thread read what first.
    std::ranges::sort(found, [](const Finding& left, const Finding& right) {
      return name_less(left.paths.front(), right.paths.front());
    });
    join_causes(
        fleet, [&](std::uint32_t path) { return view.usual(path); }, found);
    std::ranges::move(found, std::back_inserter(comparison.findings));
  }
}

}  // namespace nettune::tools::compare
