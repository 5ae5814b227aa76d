// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "tools/measure/random.hpp"

namespace nettune::tools::measure {
namespace {

/// Pairs neighbours of `order`; the last of an odd number rests.
Round pair_up(const std::vector<std::size_t>& order) {
  Round round;
  for (std::size_t i = 0; i + 1 < order.size(); i += 2) round.push_back({order[i], order[i + 1]});
  return round;
}

std::pair<std::size_t, std::size_t> sorted(const Pair& pair) { return std::minmax(pair.a, pair.b); }

}  // namespace

Schedule ring(std::size_t nodes) {
  if (nodes < 2) return {};
  if (nodes == 2) return {{{0, 1}}};
  Schedule rounds(2);
  for (std::size_t i = 0; i + 1 < nodes; ++i) rounds[i % 2].push_back({i, i + 1});
  // The edge that closes the ring; in an odd ring it conflicts with both rounds.
  const Pair last{nodes - 1, 0};
  if (nodes % 2 == 0)
    rounds[1].push_back(last);
  else
    rounds.push_back({last});
  return rounds;
}

Schedule all_pairs(std::size_t nodes) {
  if (nodes < 2) return {};
  const std::size_t even = nodes + nodes % 2;  // with an odd number, the last one means a rest
  Schedule rounds;
  for (std::size_t r = 0; r + 1 < even; ++r) {
    Round round;
    // Node even - 1 stays, the others rotate around a circle of even - 1 places.
    if (even == nodes) round.push_back({r, even - 1});
    for (std::size_t i = 1; i < even / 2; ++i)
      round.push_back({(r + i) % (even - 1), (r + even - 1 - i) % (even - 1)});
    rounds.push_back(std::move(round));
  }
  return rounds;
}

Schedule quick(std::size_t nodes, std::size_t rounds, std::uint64_t seed) {
  Random random(seed);
  if (nodes <= rounds + 1) {  // there are not more different matchings
    Schedule all = all_pairs(nodes);
    random.shuffle(all);
    if (all.size() > rounds) all.resize(rounds);
    return all;
  }
  std::set<std::pair<std::size_t, std::size_t>> used;
  std::vector<bool> rested(nodes, false);
  std::vector<std::size_t> order(nodes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Schedule out;
  for (std::size_t r = 0; r < rounds; ++r) {
    random.shuffle(order);
    if (nodes % 2 == 1) {
      const auto fresh =
          std::find_if(order.begin(), order.end(), [&](std::size_t node) { return !rested[node]; });
      std::iter_swap(fresh, order.end() - 1);
      rested[order.back()] = true;
    }
    // A repeated pair swaps its second node with that of a random other pair.
    const std::size_t pairs = nodes / 2;
    for (std::size_t tries = 0, i = 0; i < pairs && tries < 64 * pairs; ++tries) {
      if (!used.contains(std::minmax(order[2 * i], order[2 * i + 1]))) {
        ++i;
        continue;
      }
      std::swap(order[2 * i + 1], order[2 * random.below(pairs) + 1]);
      i = 0;
    }
    out.push_back(pair_up(order));
    for (const Pair& pair : out.back()) used.insert(sorted(pair));
  }
  return out;
}

Schedule cube(std::size_t nodes) {
  Schedule rounds;
  for (std::size_t bit = 1; bit < nodes; bit *= 2) {
    Round round;
    std::vector<std::size_t> alone;
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t other = i ^ bit;
      if (other >= nodes) alone.push_back(i);
      if (i < other && other < nodes) round.push_back({i, other});
    }
    for (const Pair& pair : pair_up(alone)) round.push_back(pair);
    rounds.push_back(std::move(round));
  }
  return rounds;
}

}  // namespace nettune::tools::measure
