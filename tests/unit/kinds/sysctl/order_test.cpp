// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/order.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nettune::kinds::sysctl {
namespace {

/// Three thresholds from some values to others, by every order of being asked for: after each write
/// none stands above the next.
TEST(KindsSysctlOrder, NoneEverPassesAnother) {
  const std::vector<std::array<int, 3>> states = {{1, 2, 3}, {4, 5, 6}, {1, 5, 9},
                                                  {2, 2, 2}, {0, 8, 8}, {10, 20, 30}};
  std::array<std::size_t, 3> order = {0, 1, 2};
  do {
    for (const auto& from : states)
      for (const auto& to : states) {
        std::vector<Write> writes;
        for (const std::size_t i : order)
          writes.push_back(
              {Address{"sysctl:net.ipv4.neigh.default.gc_thresh" + std::to_string(i + 1)},
               std::to_string(from[i]), std::to_string(to[i])});
        std::array<int, 3> now = from;
        for (const SysctlStep& step : steps_of(writes)) {
          now[static_cast<std::size_t>(step.key.back() - '1')] = std::stoi(step.value);
          EXPECT_TRUE(std::ranges::is_sorted(now)) << now[0] << ' ' << now[1] << ' ' << now[2];
        }
        EXPECT_EQ(now, to);
      }
  } while (std::ranges::next_permutation(order).found);
}

std::vector<SysctlStep> steps(std::vector<std::pair<const char*, const char*>> wanted) {
  std::vector<Write> writes;
  for (const auto& [key, after] : wanted)
    writes.push_back({Address{std::string("sysctl:") + key}, "7", after});
  return steps_of(writes);
}

TEST(KindsSysctlOrder, TwoRivalsThatBothBecomeZero) {
  using Steps = std::vector<SysctlStep>;
  EXPECT_EQ(steps({{"vm.dirty_bytes", "0"}, {"vm.dirty_ratio", "20"}}),
            (Steps{{"vm.dirty_ratio", "20"}}));
  EXPECT_EQ(steps({{"vm.dirty_bytes", "0"}, {"vm.dirty_ratio", "0"}}),
            (Steps{{"vm.dirty_ratio", "1"}, {"vm.dirty_ratio", "0"}}));
  EXPECT_EQ(steps({{"vm.dirty_bytes", "0"}}),
            (Steps{{"vm.dirty_ratio", "1"}, {"vm.dirty_ratio", "0"}}));
  EXPECT_EQ(steps({{"vm.dirty_ratio", "0"}}), (Steps{{"vm.dirty_ratio", "0"}}));
}

TEST(KindsSysctlOrder, WatchdogsComeBack) {
  using Steps = std::vector<SysctlStep>;
  const Steps on = {{"kernel.soft_watchdog", "1"}, {"kernel.watchdog", "1"}};
  EXPECT_EQ(steps({{"kernel.watchdog", "1"}}), on);
  EXPECT_EQ(steps({{"kernel.soft_watchdog", "1"}}), on);
  EXPECT_EQ(steps({{"kernel.watchdog", "1"}, {"kernel.soft_watchdog", "1"}}), on);
  EXPECT_EQ(steps({{"kernel.watchdog", "0"}}), (Steps{{"kernel.watchdog", "0"}}));
  EXPECT_EQ(steps({{"kernel.soft_watchdog", "0"}}), (Steps{{"kernel.soft_watchdog", "0"}}));
  EXPECT_EQ(steps({{"kernel.watchdog", "1"}, {"kernel.soft_watchdog", "0"}}),
            (Steps{{"kernel.soft_watchdog", "0"}, {"kernel.watchdog", "1"}}));
}

}  // namespace
}  // namespace nettune::kinds::sysctl
