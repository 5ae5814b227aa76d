// SPDX-License-Identifier: Apache-2.0
#include "core/setting.hpp"

#include <gtest/gtest.h>

namespace nettune::inline core {
namespace {

TEST(CoreSetting, RelationsHoldMemberByMember) {
  EXPECT_TRUE(satisfies(Relation::at_least, "4096 131072", "4096 200000"));
  EXPECT_FALSE(satisfies(Relation::at_least, "4096 131072", "5000 100000"));
  EXPECT_EQ(value_to_write(Relation::at_least, "4096 131072", "5000 100000"), "5000 131072");
  EXPECT_EQ(value_to_write(Relation::at_most, "10", "20"), "10");
  EXPECT_FALSE(satisfies(Relation::at_least, "10", "unlimited"));
  EXPECT_EQ(value_to_write(Relation::at_least, "10", "unlimited"), "10");
  EXPECT_TRUE(satisfies(Relation::exact, Value(), Value()));
}

TEST(CoreSettingAddress, HaveParts) {
  const Address address{"sysctl:net.ipv4.ip_local_reserved_ports#29400"};
  EXPECT_EQ(address.kind(), "sysctl");
  EXPECT_EQ(address.body(), "net.ipv4.ip_local_reserved_ports");
  EXPECT_EQ(address.element(), "29400");
}

}  // namespace
}  // namespace nettune::inline core
