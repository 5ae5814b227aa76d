// SPDX-License-Identifier: Apache-2.0
#include "owners/link_files.hpp"

#include <gtest/gtest.h>

#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

class OwnersLinkFiles : public test::OwnersTest {};

TEST_F(OwnersLinkFiles, UdevNeedsNoDaemon) {
  card();
  want("link:eth0:mtu", "9000");
  want("link:eth0:txqueuelen", "20000");
  root.put("etc/systemd/network/10-fabric.link",
           "[Match]\nDriver=mlx5_core\n\n[Link]\nMTUBytes=1500\nTransmitQueueLength=1000\n");
  root.put("usr/lib/systemd/network/99-default.link",
           "[Match]\nOriginalName=*\n[Link]\nMTUBytes=1280\n");
  EXPECT_EQ(found(), (Texts{"/etc/systemd/network/10-fabric.link:5 1500 loses",
                            "/etc/systemd/network/10-fabric.link:6 1000 loses"}))
      << "a card that appears is given to nettune again";
  links[0].physical = false;
  links[0].kind = "veth";
  EXPECT_EQ(found().size(), 2U);
  EXPECT_TRUE(find()[0].wins) << "nothing follows a veth";
}

TEST_F(OwnersLinkFiles, TheNameIsTheOneBeforeTheRename) {
  card("ens1f0np0");
  want("link:ens1f0np0:mtu", "9000");
  root.put("etc/systemd/network/10-a.link", "[Match]\nOriginalName=eth*\n[Link]\nMTUBytes=1500\n");
  EXPECT_EQ(found(), Texts{});
  root.put("run/udev/data/n2", "E:ID_NET_LINK_FILE=/etc/systemd/network/10-a.link\n");
  EXPECT_EQ(found(), Texts{"/etc/systemd/network/10-a.link:4 1500 loses"});
}

}  // namespace
}  // namespace nettune::owners
