// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "compare/findings.hpp"

namespace nettune::compare {

namespace {

/// A node's value that must be unique, and its path.
struct Seen {
  const Schema* schema = nullptr;
  std::string_view value;
  std::uint32_t node = 0;
  std::uint32_t path = 0;
};

/// An address without its prefix length: nodes that differ only in that share the address.
std::string_view bare(std::string_view value) { return value.substr(0, value.find('/')); }

}  // namespace

void find_duplicates(const Fleet& fleet, Comparison& comparison) {
  std::vector<Seen> all;
  const std::vector<Node>& nodes = fleet.nodes();
  for (std::uint32_t i = 0; i < nodes.size(); ++i)
    for (const Identity& one : nodes[i].identities)
      all.push_back({&fleet.schema(one.path), bare(one.value), i, one.path});
  std::ranges::sort(all, [](const Seen& left, const Seen& right) {
    if (left.schema != right.schema) return left.schema->text < right.schema->text;
    return std::tie(left.value, left.node) < std::tie(right.value, right.node);
  });
  for (std::size_t i = 0; i < all.size();) {
    std::size_t last = i + 1;
    while (last < all.size() && all[last].schema == all[i].schema &&
           all[last].value == all[i].value)
      ++last;
    Holders holders{std::string(all[i].value), {}};
    for (std::size_t k = i; k < last; ++k)
      if (holders.nodes.empty() || holders.nodes.back() != all[k].node)
        holders.nodes.push_back(all[k].node);
    if (holders.nodes.size() > 1) {
      Finding finding;
      finding.kind = Kind::duplicate;
      finding.cost = all[i].schema->rule->cost;
      finding.why = all[i].schema->rule->why;
      finding.paths = {fleet.path_text(all[i].path)};
      finding.others = {std::move(holders)};
      comparison.findings.push_back(std::move(finding));
    }
    i = last;
  }
}

}  // namespace nettune::compare
