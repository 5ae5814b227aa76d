// SPDX-License-Identifier: Apache-2.0
// Meshes with bad nodes and bad rails, through both passes: what is found, and that nothing healthy
// is ever accused.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "tools/measure/fault_location.hpp"
#include "tools/measure/random.hpp"
#include "tools/measure/reference.hpp"
#include "tools/measure/schedule.hpp"

namespace nettune::tools::measure {
namespace {

/// A mesh of which some nodes and rails are bad, each to its own degree.
class MeshWorld {
 public:
  MeshWorld(std::size_t nodes, std::size_t rails, std::size_t bad_nodes, std::size_t bad_rails,
            bool known, std::uint64_t seed)
      : nodes_(nodes), rails_(rails), known_(known), random_(seed) {
    spoil(nodes, bad_nodes, node_share_);
    spoil(rails, bad_rails, rail_share_);
  }

  MeshVerdict run() {
    std::vector<PairValue> values;
    for (const Round& round : quick(nodes_, kQuickRounds, random_.next()))
      for (std::size_t rail = 0; rail < rails_; ++rail) measure(round, rail, true, values);
    return judge_mesh(nodes_, rails_, values, nullptr, [&](const Round& round, std::size_t rail) {
      std::vector<PairValue> again;
      measure(round, rail, false, again);
      return again;
    });
  }
  bool is_bad_node(std::size_t node) const { return node_share_.contains(node); }
  bool is_bad_rail(std::size_t rail) const { return rail_share_.contains(rail); }
  std::set<std::size_t> bad_nodes() const { return keys_of(node_share_); }
  std::set<std::size_t> bad_rails() const { return keys_of(rail_share_); }

 private:
  using Shares = std::map<std::size_t, double>;
  static constexpr double kExpected = 9.41;

  static std::set<std::size_t> keys_of(const Shares& shares) {
    std::set<std::size_t> out;
    for (const auto& [key, share] : shares) out.insert(key);
    return out;
  }
  void spoil(std::size_t all, std::size_t bad, Shares& shares) {
    while (shares.size() < std::min(all, bad)) {
      const std::size_t one = random_.below(all);
      if (!shares.contains(one)) shares[one] = 0.2 + 0.5 * random_.uniform();
    }
  }
  static double share_of(const Shares& shares, std::size_t one) {
    const auto found = shares.find(one);
    return found == shares.end() ? 1 : found->second;
  }
  /// With a noise of 1.5 %; other work disturbs one measurement of the first pass in a hundred.
  void measure(const Round& round, std::size_t rail, bool disturbed,
               std::vector<PairValue>& values) {
    for (const Pair& pair : round) {
      double share = std::min({share_of(node_share_, pair.a), share_of(node_share_, pair.b),
                               share_of(rail_share_, rail)});
      share *= 0.97 + 0.015 * random_.normal();
      if (disturbed && random_.uniform() < 0.01) share *= 0.3 + 0.6 * random_.uniform();
      values.push_back(
          {pair, kExpected * share, known_ ? std::optional(kExpected) : std::nullopt, rail});
    }
  }

  std::size_t nodes_, rails_;
  bool known_;
  Random random_;
  Shares node_share_, rail_share_;
};

struct MeshTally {
  int runs = 0;
  int found = 0;      ///< all that is bad, or for a healthy mesh with a known rate: nothing
  int partly = 0;     ///< some of it
  int undecided = 0;  ///< and it says so
  int missed = 0;     ///< nothing was found, and nothing is undecided
  int accused = 0;    ///< something healthy was called bad
};

bool accuses_healthy(const MeshWorld& world, const FaultLocation& one) {
  const bool bad_node =
      std::ranges::all_of(one.nodes, [&](std::size_t node) { return world.is_bad_node(node); });
  const bool bad_end =
      std::ranges::any_of(one.nodes, [&](std::size_t node) { return world.is_bad_node(node); });
  const bool bad_rail = one.rail && world.is_bad_rail(*one.rail);
  switch (one.where) {
    case FaultPlace::node:
    case FaultPlace::leaf:
      return !bad_node;
    case FaultPlace::rail:
      return !bad_rail;
    case FaultPlace::cable:
      return !bad_node && !bad_rail;
    case FaultPlace::link:
      return !bad_end && !bad_rail;
    case FaultPlace::passed:
    case FaultPlace::unknown:
      return false;
  }
  return true;
}

MeshTally tally_of(MeshWorld world) {
  const MeshVerdict verdict = world.run();
  std::set<std::size_t> nodes;
  std::set<std::size_t> rails;
  MeshTally out;
  bool any = false;
  out.runs = 1;
  for (const FaultLocation& one : verdict.located) {
    if (one.where == FaultPlace::node) nodes.insert(one.nodes.begin(), one.nodes.end());
    if (one.where == FaultPlace::rail) rails.insert(*one.rail);
    if (accuses_healthy(world, one)) out.accused = 1;
    any = any || (one.where != FaultPlace::passed && one.where != FaultPlace::unknown);
  }
  if (verdict.doubt != Doubt::none && !any)
    out.undecided = 1;
  else if (nodes == world.bad_nodes() && rails == world.bad_rails())
    out.found = 1;
  else
    (any ? out.partly : out.missed) = 1;
  return out;
}

void add(MeshTally& to, const MeshTally& one) {
  to.runs += one.runs;
  to.found += one.found;
  to.partly += one.partly;
  to.undecided += one.undecided;
  to.missed += one.missed;
  to.accused += one.accused;
}

struct MeshCase {
  std::size_t nodes, rails, bad_nodes, bad_rails;
};

std::vector<MeshCase> mesh_cases() {
  std::vector<MeshCase> out;
  for (const std::size_t nodes : {4U, 5U, 6U, 8U, 11U, 16U})
    for (const std::size_t rails : {1U, 2U, 3U, 4U, 8U}) {
      const std::set<std::size_t> some_nodes = {
          0, 1, (nodes - 1) / 2, nodes / 2, nodes - 2, nodes - 1, nodes};
      const std::set<std::size_t> some_rails = {0,         1,    (rails - 1) / 2, (rails + 1) / 2,
                                                rails - 1, rails};
      for (const std::size_t bad_nodes : some_nodes)
        for (const std::size_t bad_rails : some_rails)
          out.push_back({nodes, rails, bad_nodes, bad_rails});
    }
  return out;
}

const char* part_of(std::size_t bad, std::size_t all, std::size_t needed) {
  if (bad == 0) return "0 none";
  if (bad * 2 < all && all - bad >= needed) return "1 fewer than half";
  return all - bad >= needed ? "2 half or more" : "3 all or nearly all";
}

/// Whether the pairs contain the answer. One good node has no good pair. Without a rate, most nodes
/// and rails have to be good, and three nodes.
bool is_decidable(const MeshCase& one, bool known) {
  if (known) return one.nodes - one.bad_nodes >= 2 && one.bad_rails < one.rails;
  return one.bad_nodes + one.bad_rails > 0 && one.bad_nodes * 2 < one.nodes &&
         one.nodes - one.bad_nodes >= 3 && one.bad_rails * 2 < one.rails;
}

TEST(MeasureMeshSimulation, NothingHealthyIsAccusedAndMostIsFound) {
  // 200 give the table in docs/test.md.
  const char* const more = std::getenv("NETTUNE_MESH_SEEDS");
  const std::uint64_t seeds = more == nullptr ? 5 : std::strtoull(more, nullptr, 10);
  for (const bool known : {true, false}) {
    std::map<std::string, MeshTally> rows;
    MeshTally decidable;
    MeshTally rest;
    for (const MeshCase& one : mesh_cases())
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const std::uint64_t mixed =
            (((one.nodes * 31 + one.rails) * 31 + one.bad_nodes) * 31 + one.bad_rails) * 31 + seed;
        const MeshTally run =
            tally_of(MeshWorld(one.nodes, one.rails, one.bad_nodes, one.bad_rails, known, mixed));
        add(is_decidable(one, known) ? decidable : rest, run);
        add(rows[std::string(part_of(one.bad_nodes, one.nodes, known ? 2 : 3)) + " | " +
                 part_of(one.bad_rails, one.rails, 1)],
            run);
      }
    std::printf("%s\n  %-44s runs found partly undecided missed accused\n",
                known ? "with a known rate" : "without a known rate", "bad nodes | bad rails");
    for (const auto& [name, row] : rows) {
      std::printf("  %-44s %4d %5d %6d %9d %6d %7d\n", name.c_str(), row.runs, row.found,
                  row.partly, row.undecided, row.missed, row.accused);
      EXPECT_EQ(row.accused, 0) << name;
    }
    std::printf("  decidable: %d of %d found, %d partly, %d undecided\n", decidable.found,
                decidable.runs, decidable.partly, decidable.undecided);
    EXPECT_EQ(decidable.accused + rest.accused, 0);
    EXPECT_GE(decidable.found * 100, decidable.runs * (known ? 93 : 98));
    // What cannot be decided is said to be so. A known rate leaves only a mesh without a good pair.
    EXPECT_EQ(decidable.missed + rest.missed, 0);
    if (!known) {
      EXPECT_EQ(rest.found, 0);
    }
  }
}

}  // namespace
}  // namespace nettune::tools::measure
