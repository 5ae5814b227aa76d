// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <tuple>

#include "tools/compare/findings.hpp"

namespace nettune::tools::compare {

namespace {

/// A node's value that must be unique. Equal values have equal hashes, and integers sort fast.
struct Seen {
  std::size_t hash = 0;
  std::uint32_t node = 0;
  std::uint32_t path = 0;
  std::string_view value;
};

/// An address without its prefix length: nodes that differ only in that share the address.
std::string_view bare(std::string_view value) { return value.substr(0, value.find('/')); }

/// The nodes of each value that more than one node has, among values of one hash.
void add_shared(const Fleet& fleet, std::span<const Seen> seen, std::vector<Finding>& out) {
  using Key = std::pair<const Schema*, std::string_view>;
  std::map<Key, std::vector<const Seen*>> by_value;
  for (const Seen& one : seen) by_value[{&fleet.schema(one.path), one.value}].push_back(&one);
  for (const auto& [key, all] : by_value) {
    Holders holders{std::string(key.second), {}};
    for (const Seen* const one : all)
      if (holders.nodes.empty() || holders.nodes.back() != one->node)
        holders.nodes.push_back(one->node);
    if (holders.nodes.size() < 2) continue;
    Finding finding;
    finding.kind = Kind::duplicate;
    finding.cost = key.first->rule->cost;
    finding.why = key.first->rule->why;
    finding.paths = {fleet.path_text(all.front()->path)};
    finding.others = {std::move(holders)};
    out.push_back(std::move(finding));
  }
}

}  // namespace

void find_duplicates(const Fleet& fleet, Comparison& comparison) {
  std::vector<Seen> all;
  const std::vector<Node>& nodes = fleet.nodes();
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    for (const Identity& one : nodes[i].identities) {
      const std::string_view value = bare(one.value);
      const auto hash = std::hash<std::string_view>{}(value) ^
                        std::hash<const Schema*>{}(&fleet.schema(one.path)) * 31;
      all.push_back({hash, i, one.path, value});
    }
  std::ranges::stable_sort(all, {}, &Seen::hash);
  std::vector<Finding> found;
  for (auto first = all.begin(); first != all.end();) {
    const auto last =
        std::find_if(first, all.end(), [&](const Seen& one) { return one.hash != first->hash; });
    if (last - first > 1) add_shared(fleet, {first, last}, found);
    first = last;
  }
  std::ranges::sort(found, [](const Finding& left, const Finding& right) {
    return std::tie(left.paths, left.others.front().value) <
           std::tie(right.paths, right.others.front().value);
  });
  std::ranges::move(found, std::back_inserter(comparison.findings));
}

}  // namespace nettune::tools::compare
