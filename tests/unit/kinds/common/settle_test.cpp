// SPDX-License-Identifier: Apache-2.0
#include "kinds/common/settle.hpp"

#include <atomic>
#include <thread>

#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::common {
namespace {

using namespace test;

using namespace std::chrono_literals;

/// A card that is up in a bond, with two GIDs of its own and one of another's.
class KindsCommonSettle : public ::testing::Test {
 protected:
  KindsCommonSettle() {
    carrier(true);
    sys.put("class/net/fab0/carrier_down_count", "4\n");
    sys.put("class/net/fab0/bonding_slave/mii_status", "up\n");
    gid(0, "fab0");
    gid(1, "fab0");
    gid(2, "other");
  }
  void carrier(bool up) const { sys.put("class/net/fab0/carrier", up ? "1\n" : "0\n"); }
  void gid(int index, const std::string& owner) const {
    sys.put("class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/" + std::to_string(index), owner);
  }
  LinkState now() const { return link_state(sys.path(), "fab0"); }
  Result<> wait(const LinkState& before, bool bounces = false, SettleLimits limits = {5s, 5s}) {
    return settle(sys.path(), "fab0", before, bounces, limits);
  }

  Scratch sys;
};

TEST_F(KindsCommonSettle, SeesWhatTheLinkHas) {
  EXPECT_TRUE(now().carrier);
  EXPECT_EQ(now().downs, 4);
  EXPECT_EQ(now().bond_status, "up");
  EXPECT_EQ(now().gids.size(), 2U);
  EXPECT_FALSE(link_state(sys.path(), "gone").carrier);
}

TEST_F(KindsCommonSettle, CountsTheGidsOfItsBond) {
  std::filesystem::create_symlink("../bond0", sys / "class/net/fab0/master");
  gid(3, "bond0");
  EXPECT_EQ(now().gids.size(), 3U);
}

TEST_F(KindsCommonSettle, HasNothingToWaitForWhereNothingIsMissing) {
  EXPECT_TRUE(wait(now()));
  EXPECT_TRUE(wait(LinkState{}, true)) << "it was down before: no loss of a carrier is awaited";
}

TEST_F(KindsCommonSettle, WaitsUntilAllOfItIsBack) {
  const LinkState before = now();
  carrier(false);
  gid(1, "");
  sys.put("class/net/fab0/bonding_slave/mii_status", "down\n");
  std::atomic<bool> over = false;
  std::thread repair([&] {
    std::this_thread::sleep_for(60ms);
    carrier(true);
    std::this_thread::sleep_for(60ms);
    sys.put("class/net/fab0/bonding_slave/mii_status", "up\n");
    std::this_thread::sleep_for(60ms);
    over = true;
    gid(1, "fab0");
  });
  EXPECT_TRUE(wait(before));
  EXPECT_TRUE(over);
  repair.join();
}

TEST_F(KindsCommonSettle, AwaitsALossThatComesBehindTheAnswer) {
  const LinkState before = now();
  std::atomic<bool> over = false;
  std::thread bounce([&] {
    std::this_thread::sleep_for(80ms);
    carrier(false);
    sys.put("class/net/fab0/carrier_down_count", "5\n");
    std::this_thread::sleep_for(80ms);
    over = true;
    carrier(true);
  });
  EXPECT_TRUE(wait(before, true));
  EXPECT_TRUE(over);
  bounce.join();
}

TEST_F(KindsCommonSettle, AGidMayComeBackAtAnotherPlace) {
  const LinkState before = now();
  gid(1, "");
  EXPECT_FALSE(wait(before, false, {50ms, 50ms}));
  gid(3, "fab0");
  EXPECT_TRUE(wait(before, false, {50ms, 50ms}));
}

TEST_F(KindsCommonSettle, DoesNotAwaitALossForEver) { EXPECT_TRUE(wait(now(), true, {5s, 50ms})); }

TEST_F(KindsCommonSettle, SaysWhatDidNotComeBack) {
  const LinkState before = now();
  carrier(false);
  gid(0, "");
  const auto settled = wait(before, true, {100ms, 100ms});
  ASSERT_FALSE(settled);
  EXPECT_NE(settled.error().text.find("fab0 lacks its carrier, 1 of its 2 GIDs"), std::string::npos)
      << settled.error().text;
}

}  // namespace
}  // namespace nettune::kinds::common
