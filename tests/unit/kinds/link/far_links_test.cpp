// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/far_links.hpp"

#include <cerrno>
#include <gtest/gtest.h>

#include "unit/kinds/link/fixture.hpp"

namespace nettune::kinds::link {
namespace {

using kernel::Link;

TEST(KindsLinkFarLinks, AreNamespaceIndexAndAddress) {
  const auto target = far_target_of(Address{"netns:4026532841/5/0242ac110002:ipv6-mtu"});
  ASSERT_TRUE(target);
  EXPECT_EQ(target->netns, 4026532841U);
  EXPECT_EQ(target->ifindex, 5);
  EXPECT_EQ(target->mac, "0242ac110002");
  EXPECT_EQ(target->property, FarProperty::ipv6_mtu);
  Link link = make_link(5, "eth0", 1500);
  EXPECT_EQ(far_address(9, link, FarProperty::mtu).text, "netns:9/5/none:mtu");
  for (const char* const bad :
       {"netns:1/2/aa", "netns:1/2:mtu", "netns:x/2/aa:mtu", "netns:1/0/aa:mtu",
        "netns:1/2//aa:mtu", "netns:1/2/aa:mtu#1", "netns:1/99999999999/aa:mtu", "link:1/2/aa:mtu"})
    EXPECT_FALSE(far_target_of(Address{bad})) << bad;
}

}  // namespace
}  // namespace nettune::kinds::link
