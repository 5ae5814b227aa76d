// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <limits>
#include <map>

#include "base/text.hpp"
#include "tools/measure/schedule.hpp"

namespace nettune::tools::measure {
namespace {

constexpr std::size_t kFar = std::numeric_limits<std::size_t>::max();

/// The distances of all switches from `from`.
std::vector<std::size_t> distances(const std::vector<std::vector<std::size_t>>& next,
                                   std::size_t from) {
  std::vector<std::size_t> out(next.size(), kFar);
  std::deque<std::size_t> queue{from};
  out[from] = 0;
  while (!queue.empty()) {
    const std::size_t here = queue.front();
    queue.pop_front();
    for (const std::size_t there : next[here])
      if (out[there] == kFar) {
        out[there] = out[here] + 1;
        queue.push_back(there);
      }
  }
  return out;
}

/// Puts the pair into the first round in which both are free.
void place(Schedule& rounds, std::vector<std::vector<bool>>& busy, const Pair& pair,
           std::size_t nodes) {
  std::size_t r = 0;
  while (r < rounds.size() && (busy[r][pair.a] || busy[r][pair.b])) ++r;
  if (r == rounds.size()) {
    rounds.emplace_back();
    busy.emplace_back(nodes, false);
  }
  rounds[r].push_back(pair);
  busy[r][pair.a] = busy[r][pair.b] = true;
}

}  // namespace

Result<Topology> parse_topology(std::string_view text, const std::vector<std::string>& nodes) {
  if (is_ibnetdiscover(text)) return parse_ibnetdiscover(text, nodes);
  Topology topology;
  std::map<std::string, std::size_t, std::less<>> node_numbers;
  for (std::size_t i = 0; i < nodes.size(); ++i) node_numbers.emplace(nodes[i], i);
  std::map<std::string, std::size_t, std::less<>> switch_numbers;
  const auto number_of = [&](std::string_view name) {
    const auto [found, fresh] = switch_numbers.emplace(name, topology.switches.size());
    if (fresh) topology.switches.emplace_back(name);
    return found->second;
  };
  topology.leaf.assign(nodes.size(), kFar);
  int line = 0;
  for (std::string_view row : split(text, '\n')) {
    ++line;
    row = row.substr(0, row.find('#'));
    const auto parts = words(row);
    if (parts.empty()) continue;
    if (parts.size() != 2 || node_numbers.contains(parts[1]))
      return fail(Errc::invalid, cat("line ", line,
                                     " of the topology is not \"NODE SWITCH\" or "
                                     "\"SWITCH SWITCH\": ",
                                     printable(trim(row))));
    const auto node = node_numbers.find(parts[0]);
    const std::size_t to = number_of(parts[1]);
    if (node != node_numbers.end())
      topology.leaf[node->second] = to;
    else
      topology.links.push_back({number_of(parts[0]), to});
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (topology.leaf[i] == kFar)
      return fail(Errc::invalid, cat("the topology has no switch for node ", printable(nodes[i]),
                                     "; add a line \"", printable(nodes[i]), " SWITCH\""));
  return topology;
}

Topology topology_of_leaves(const std::vector<std::string>& switch_of_node) {
  Topology topology;
  std::map<std::string, std::size_t> numbers;
  for (const std::string& name : switch_of_node) {
    const auto [found, fresh] = numbers.emplace(name, topology.switches.size());
    const bool alone = name.empty() && !fresh;
    topology.leaf.push_back(alone ? topology.switches.size() : found->second);
    if (fresh || alone) topology.switches.push_back(name);
  }
  return topology;
}

LinkSchedule links(const Topology& topology) {
  std::vector<std::vector<std::size_t>> next(topology.switches.size());
  for (const Pair& link : topology.links) {
    next[link.a].push_back(link.b);
    next[link.b].push_back(link.a);
  }
  std::map<std::size_t, std::vector<std::size_t>> at_leaf;
  for (std::size_t node = 0; node < topology.leaf.size(); ++node)
    at_leaf[topology.leaf[node]].push_back(node);
  std::map<std::size_t, std::vector<std::size_t>> far;
  for (const auto& [leaf, nodes] : at_leaf) far[leaf] = distances(next, leaf);

  LinkSchedule out;
  std::vector<std::vector<bool>> busy;
  std::map<std::size_t, std::size_t> turn;  // so that the nodes of a leaf take turns
  for (const Pair& link : topology.links) {
    bool covered = false;
    for (const auto& [from, ours] : at_leaf) {
      for (const auto& [to, theirs] : at_leaf) {
        const std::size_t near = far[from][link.a];
        const std::size_t rest = far[to][link.b];
        if (from == to || near == kFar || rest == kFar || near + 1 + rest != far[from][to])
          continue;
        place(out.rounds, busy,
              {ours[turn[from]++ % ours.size()], theirs[turn[to]++ % theirs.size()]},
              topology.leaf.size());
        covered = true;
        break;
      }
      if (covered) break;
    }
    if (!covered) ++out.uncovered;
  }
  return out;
}

}  // namespace nettune::tools::measure
