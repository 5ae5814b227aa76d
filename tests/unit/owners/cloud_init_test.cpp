// SPDX-License-Identifier: Apache-2.0
#include "owners/cloud_init.hpp"

#include <gtest/gtest.h>

#include "unit/owners/fixture.hpp"

namespace nettune::owners {
namespace {

using namespace test;

class OwnersCloudInit : public NetplanTest {
 protected:
  void SetUp() override {
    NetplanTest::SetUp();
    root.put("etc/cloud/cloud.cfg", "users:\n  - default\n");
    root.put("etc/netplan/50-cloud-init.yaml", kYaml);
  }
};

TEST_F(OwnersCloudInit, ItsFilesAreNotThePlaceToEdit) {
  EXPECT_EQ(found(), Texts{"/etc/netplan/50-cloud-init.yaml:11 1500 wins"});
  EXPECT_EQ(find()[0].owner, "cloud-init, netplan");
  EXPECT_NE(sentence().find("cloud-init writes this file again"), std::string::npos) << sentence();
  EXPECT_EQ(sentence().find("set 9000 there"), std::string::npos) << sentence();
}

TEST_F(OwnersCloudInit, UnlessItLeavesTheNetworkAlone) {
  const auto says = [&] { return sentence().find("cloud-init writes") != std::string::npos; };
  const std::string path = "etc/cloud/cloud.cfg.d/99-disable-network-config.cfg";
  root.put(path, "# network: {config: disabled}\n");
  EXPECT_TRUE(says());
  root.put(path, "network:\n  version: 2\nconfig: disabled\n");
  EXPECT_TRUE(says());
  root.put(path, "network: {config: disabled}\n");
  EXPECT_FALSE(says());
  root.put(path, "network:\n  # the site does it\n  config: disabled\n");
  EXPECT_FALSE(says());
  root.put(path, "");
  EXPECT_TRUE(says());
  root.put("etc/cloud/cloud-init.disabled", "");
  EXPECT_FALSE(says());
}

TEST_F(OwnersCloudInit, OtherFilesAreLeftToTheirOwners) {
  root.put("etc/netplan/60-site.yaml", kYaml);
  EXPECT_EQ(found(), Texts{"/etc/netplan/60-site.yaml:11 1500 wins"});
  EXPECT_EQ(find()[0].owner, "netplan");
}

TEST_F(OwnersCloudInit, IfupdownAndNetworkdFiles) {
  std::filesystem::remove(root / "run/systemd/network/10-netplan-eth0.network");
  root.put("etc/systemd/network/10-cloud-init-eth0.network",
           "[Match]\nName=eth0\n[Link]\nMTUBytes=1500\n");
  enable("networking.service");
  root.put("etc/network/interfaces", "source /etc/network/interfaces.d/*\n");
  root.put("etc/network/interfaces.d/50-cloud-init",
           "auto eth0\niface eth0 inet static\n    mtu 1500\n");
  EXPECT_EQ(found(), (Texts{"/etc/network/interfaces.d/50-cloud-init:3 1500 wins",
                            "/etc/systemd/network/10-cloud-init-eth0.network:4 1500 wins"}));
  for (const Claim& claim : find()) {
    EXPECT_NE(claim.text.find("cloud-init writes this file"), std::string::npos) << claim.text;
  }
}

}  // namespace
}  // namespace nettune::owners
