// SPDX-License-Identifier: Apache-2.0
#include "tools/compare/findings.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/node_set.hpp"
#include "base/text.hpp"

namespace nettune::tools::compare {

namespace {

/// A path without the names of its elements: "net[].mtu".
std::string without_names(const std::string& path) {
  std::string out;
  int depth = 0;
  for (const char c : path) {
    if (c == ']') --depth;
    if (depth == 0 || c == '[') out += c;
    if (c == '[') ++depth;
  }
  return out;
}

std::size_t hash_of(const Finding& finding, const std::string& schema) {
  std::size_t hash = std::hash<std::string>{}(schema);
  const auto add = [&](std::size_t more) { hash = hash * 31 + more; };
  add(static_cast<std::size_t>(finding.kind));
  add(std::hash<std::string>{}(finding.majority));
  for (const Holders& one : finding.others) {
    add(std::hash<std::string>{}(one.value));
    for (const std::uint32_t node : one.nodes) add(node);
  }
  return hash;
}

/// Joins findings of the same list and kind, with the same values on the same nodes, into one with
/// several paths.
void fold_paths(std::vector<Finding>& findings) {
  std::unordered_multimap<std::size_t, std::size_t> seen;  // hashes, to places in `out`
  std::vector<Finding> out;
  for (Finding& finding : findings) {
    const std::string schema = without_names(finding.paths.front());
    const std::size_t hash = hash_of(finding, schema);
    const auto [first, last] = seen.equal_range(hash);
    const auto same = std::find_if(first, last, [&](const auto& one) {
      const Finding& other = out[one.second];
      return other.kind == finding.kind && other.group == finding.group &&
             other.majority == finding.majority && other.majority_count == finding.majority_count &&
             other.others == finding.others && without_names(other.paths.front()) == schema;
    });
    if (same != last && finding.kind != Kind::duplicate) {
      Finding& into = out[same->second];
      std::ranges::move(finding.paths, std::back_inserter(into.paths));
      std::ranges::move(finding.consequences, std::back_inserter(into.consequences));
      continue;
    }
    seen.emplace(hash, out.size());
    out.push_back(std::move(finding));
  }
  findings = std::move(out);
}

bool comes_first(const Finding& left, const Finding& right) {
  if (left.blames() != right.blames()) return left.blames();
  if (left.cost != right.cost) return left.cost < right.cost;
  if (left.count() != right.count()) return left.count() < right.count();
  if (left.others.front().nodes != right.others.front().nodes)
    return left.others.front().nodes < right.others.front().nodes;
  return name_less(left.paths.front(), right.paths.front());
}

Result<std::vector<Group>> group_nodes(const Fleet& fleet, const std::string& group_by) {
  std::map<std::string, std::vector<std::uint32_t>> by_value;
  const std::vector<Node>& nodes = fleet.nodes();
  if (group_by.empty()) {
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
      by_value[std::string(fleet.value(nodes[i].shape))].push_back(i);
  } else {
    const Index index(fleet);
    std::vector<bool> has(nodes.size());
    for (const Index::Entry& entry : index.entries()) {
      if (fleet.path_text(entry.path) != group_by) continue;
      for (const std::uint32_t node : index.nodes_of(entry.part)) {
        if (has[node]) continue;
        has[node] = true;
        by_value[std::string(fleet.value(entry.value))].push_back(node);
      }
    }
    if (by_value.empty())
      return fail(Errc::not_found,
                  cat("--group-by: no node has a value that must be equal at \"",
                      printable(group_by), "\"; nettune compare --json names paths"));
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
      if (!has[i]) by_value[cat("(no ", group_by, ")")].push_back(i);
  }
  std::vector<Group> groups;
  for (auto& [value, members] : by_value) {
    std::ranges::sort(members);
    groups.push_back({value, std::move(members)});
  }
  std::ranges::stable_sort(groups, [](const Group& left, const Group& right) {
    return left.nodes.size() > right.nodes.size();
  });
  return groups;
}

/// Whether one shape has all that the other has.
bool has_all_of(const std::string& shape, const std::string& other) {
  const auto parts = split(shape, ';');
  return std::ranges::all_of(split(other, ';'), [&](std::string_view wanted) {
    return std::ranges::any_of(parts,
                               [&](std::string_view part) { return trim(part) == trim(wanted); });
  });
}

/// Finds one or two nodes beside many that have the same shape but for what they lack, or have in
/// addition: a lost card looks like that. A node of another model is none.
void find_odd_shapes(const Fleet& fleet, Comparison& comparison) {
  const Group& largest = comparison.groups.front();
  if (largest.nodes.size() < kFewestForMajority) return;
  for (std::size_t i = 1; i < comparison.groups.size(); ++i) {
    const Group& group = comparison.groups[i];
    if (group.nodes.size() >= kFewestForMajority) continue;
    // Without facts nothing is lacking: it is not known.
    if (!has_kind(fleet.nodes()[group.nodes.front()], "facts")) continue;
    if (!has_all_of(group.what, largest.what) && !has_all_of(largest.what, group.what)) continue;
    Finding finding;
    finding.kind = Kind::shape;
    finding.cost = Cost::slows;
    finding.paths = {"shape"};
    finding.why = "too few nodes of this shape for a majority; a missing card changes the shape";
    finding.group = static_cast<int>(i);
    finding.majority = largest.what;
    finding.majority_count = largest.nodes.size();
    finding.others = {{group.what, group.nodes}};
    comparison.findings.push_back(std::move(finding));
  }
}

/// Finds nodes alone in their group that no finding of their shape names.
void find_alone(Comparison& comparison) {
  if (comparison.groups.size() < 2) return;
  std::set<int> said;
  for (const Finding& finding : comparison.findings)
    if (finding.kind == Kind::shape) said.insert(finding.group);
  for (std::size_t i = 0; i < comparison.groups.size(); ++i)
    if (const Group& group = comparison.groups[i];
        group.nodes.size() == 1 && !said.contains(static_cast<int>(i)))
      comparison.alone.push_back(group.nodes.front());
  std::ranges::sort(comparison.alone);
}

}  // namespace

std::string_view kind_word(Kind kind) {
  constexpr std::array<std::string_view, 8> kWords = {
      "differs", "missing", "extra", "populations", "number", "duplicate", "shape", "rails"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::size_t Finding::count() const {
  std::size_t sum = 0;
  for (const Holders& one : others) sum += one.nodes.size();
  return sum;
}

bool is_majority(std::size_t count, std::size_t all) {
  if (all < kFewestForMajority) return false;
  return count * 10 >= all * 9 || count + 1 == all;
}

Index::Index(const Fleet& fleet) : begin_(fleet.part_count() + 1) {
  const std::vector<Node>& nodes = fleet.nodes();
  for (const Node& node : nodes)
    for (const std::uint32_t part : node.parts) ++begin_[part + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  nodes_.resize(begin_.back());
  std::vector<std::uint32_t> at = begin_;
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    for (const std::uint32_t part : nodes[i].parts) nodes_[at[part]++] = i;
  for (std::uint32_t part = 0; part < fleet.part_count(); ++part) {
    if (begin_[part] == begin_[part + 1]) continue;
    for (const Fact& fact : fleet.part(part)) entries_.push_back({fact.path, fact.value, part});
  }
  std::ranges::sort(entries_, [](const Entry& left, const Entry& right) {
    return std::tie(left.path, left.value, left.part) <
           std::tie(right.path, right.value, right.part);
  });
}

std::pair<std::size_t, std::size_t> Index::entries_of(std::uint32_t path) const {
  const auto first = std::ranges::lower_bound(entries_, path, {}, &Entry::path);
  const auto last = std::ranges::upper_bound(entries_, path, {}, &Entry::path);
  return {static_cast<std::size_t>(first - entries_.begin()),
          static_cast<std::size_t>(last - entries_.begin())};
}

Result<Comparison> compare(const Fleet& fleet, const std::string& group_by) {
  Comparison comparison;
  if (fleet.nodes().empty()) return comparison;
  TRY_ASSIGN(comparison.groups, group_nodes(fleet, group_by));
  find_outlying_numbers(fleet, comparison);
  find_differences(fleet, comparison);
  find_duplicates(fleet, comparison);
  if (group_by.empty()) {
    find_odd_shapes(fleet, comparison);
    find_rails(fleet, comparison);
  }
  find_alone(comparison);
  fold_paths(comparison.findings);
  std::ranges::stable_sort(comparison.findings, comes_first);
  std::set<std::uint32_t> deviating;
  for (const Finding& finding : comparison.findings)
    if (finding.blames() && finding.kind != Kind::rails)
      for (const Holders& one : finding.others)
        deviating.insert(one.nodes.begin(), one.nodes.end());
  comparison.deviating = deviating.size();
  return comparison;
}

}  // namespace nettune::tools::compare
