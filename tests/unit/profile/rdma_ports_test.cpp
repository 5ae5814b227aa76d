// SPDX-License-Identifier: Apache-2.0
#include "unit/support/profile_fixture.hpp"

namespace nettune::profile {
namespace {

using namespace test;

using Names = std::vector<std::string>;

constexpr const char* kIpv4 = "0000:0000:0000:0000:0000:ffff:0a00:0001";

/// Two HDR cards, the first with an IPoIB interface, a dual-port card for storage, a virtual
/// function of Ethernet that the node is reached by, and a port without a cable.
class ProfileRdmaPorts : public test::ProfileTest {
 protected:
  ProfileRdmaPorts() {
    add("mlx5_1", "0000:60:00.0", "15b3:101b", {hdr(1)});
    add("ibp32s0", "0000:20:00.0", "15b3:101b", {hdr(1)});
    add("mlx5_2", "0000:61:00.0", "15b3:1019", {edr(1), edr(2)});
    facts::RdmaPort ethernet = edr(1);
    ethernet.link_layer = "Ethernet";
    ethernet.netdev = "eth0";
    add("mlx5_3", "0000:05:00.0", "15b3:101e", {ethernet}).virtual_function = true;
    facts::RdmaPort dark = hdr(1);
    dark.state = "DOWN";
    dark.physical_state = "Polling";
    dark.rate_gbps = 10;
    add("mlx5_4", "0000:80:00.0", "15b3:101b", {dark});
    auto& ib0 = device("ib0");
    ib0.link_layer = "InfiniBand";
    ib0.kind = "ipoib";
    ib0.rdma_devices = {"ibp32s0"};
    ib0.mtu = 2044;
    auto& eth0 = device("eth0");
    eth0.rdma_devices = {"mlx5_3"};
    eth0.protected_by = {"carries the default route"};
  }

  static facts::RdmaPort hdr(int number) {
    return {number, "InfiniBand", "ACTIVE", "LinkUp", "200 Gb/sec (4X HDR)", 200, "", {}};
  }
  static facts::RdmaPort edr(int number) {
    return {number, "InfiniBand", "ACTIVE", "LinkUp", "100 Gb/sec (4X EDR)", 100, "", {}};
  }
  facts::RdmaDevice& add(const std::string& name, const std::string& pci, const std::string& id,
                         std::vector<facts::RdmaPort> ports) {
    facts::RdmaDevice device;
    device.name = name;
    device.identity = "rdma pci " + pci;
    device.driver = "mlx5_core";
    device.pci_address = pci;
    device.pci_id = id;
    device.ports = std::move(ports);
    facts.rdma.push_back(device);
    return facts.rdma.back();
  }

  static std::string set_of(const std::string& definition) {
    return "[devices.d]\nof = \"rdma\"\n" + definition;
  }
  Names set(const std::string& definition) { return good(set_of(definition)).sets.at("d"); }
};

TEST_F(ProfileRdmaPorts, MatchByEachProperty) {
  EXPECT_EQ(set("match = { driver = \"mlx5_core\", rate_gbps = 200 }\n"),
            (Names{"ibp32s0", "mlx5_1", "mlx5_4"}));
  EXPECT_EQ(set("match = { link_layer = \"Ethernet\" }\n"), Names{"mlx5_3"});
  EXPECT_EQ(set("match = { virtual_function = true }\n"), Names{"mlx5_3"});
  EXPECT_EQ(set("match = { virtual_function = false, pci_id = \"15b3:1019\" }\n"),
            (Names{"mlx5_2:1", "mlx5_2:2"}));
  EXPECT_EQ(set("match = { pci_address = \"0000:2?:*\" }\n"), Names{"ibp32s0"});
  EXPECT_EQ(set("match = { name = \"ibp*\" }\n"), Names{"ibp32s0"});
  EXPECT_EQ(set("match = { protected = true }\n"), Names{"mlx5_3"});
  EXPECT_EQ(set("match = { protected = false, rate_gbps = 201 }\n"), Names{"mlx5_4"});
  EXPECT_EQ(set("match = { driver = \"mlx5_core\" }\nexcept = { pci_id = [\"15b3:1019\", "
                "\"15b3:101e\"] }\n"),
            (Names{"ibp32s0", "mlx5_1", "mlx5_4"}));
}

TEST_F(ProfileRdmaPorts, APortWithoutALinkIsTakenAndNamed) {
  const auto result = good(set_of("match = { rate_gbps = 200 }\n"));
  EXPECT_TRUE(test::any_has(result.desired.notes, "no link on mlx5_4 (Polling)"));
  EXPECT_FALSE(test::any_has(result.desired.notes, "mlx5_1"));
  // What was never looked at is not said to be without a link.
  facts.rdma[4].ports[0].physical_state.clear();
  EXPECT_TRUE(good(set_of("match = { rate_gbps = 200 }\n")).desired.notes.empty());
}

TEST_F(ProfileRdmaPorts, PropertiesOfASet) {
  const auto result = good(set_of(
      "match = { link_layer = \"InfiniBand\" }\n[env]\nA = \"=${d.hcas}\"\nB = \"${d.names}\"\n"
      "C = \"${d.count}\"\nD = \"${d.max_speed_gbps}\"\n"));
  EXPECT_EQ(test::value(result, "nccl.conf:A"), "=ibp32s0,mlx5_1,mlx5_2:1,mlx5_2:2,mlx5_4");
  EXPECT_EQ(test::value(result, "nccl.conf:B"), "ib0");
  EXPECT_EQ(test::value(result, "nccl.conf:C"), "5");
  EXPECT_EQ(test::value(result, "nccl.conf:D"), "100");
}

TEST_F(ProfileRdmaPorts, SectionsReachPortsAndTheirInterfaces) {
  const auto result =
      good(set_of("match = { rate_gbps = 200, link_layer = \"InfiniBand\" }\n[link.d]\nmtu = 1500\n"
                  "[rdma.d]\ntraffic-class = 5\n"));
  EXPECT_EQ(test::value(result, "link:ib0:mtu"), "1500");
  for (const std::string name : {"ibp32s0", "mlx5_1", "mlx5_4"})
    EXPECT_EQ(test::value(result, "rdma:" + name + "/1:traffic-class"), "5") << name;
  EXPECT_EQ(test::find(result, "rdma:mlx5_1/1:traffic-class")->device, "rdma pci 0000:60:00.0");
  const auto bare = good(set_of("match = { name = \"mlx5_1\" }\n[link.d]\nmtu = 1500\n"));
  EXPECT_TRUE(bare.misfits.empty());
  EXPECT_TRUE(test::any_has(bare.desired.notes, "[link.d] mtu: the device set d is empty"));
}

TEST_F(ProfileRdmaPorts, RequireAndEmptySets) {
  const auto none =
      good(set_of("match = { rate_gbps = 400, link_layer = \"InfiniBand\" }\nexcept = { name = "
                  "\"mlx5_4\" }\nrequire = \">= 1\"\n[env]\nNCCL_IB_HCA = \"=${d.hcas}\"\n"));
  ASSERT_EQ(none.misfits.size(), 2U);
  EXPECT_NE(none.misfits[0].find("[devices.d] must match at least 1 device; it matches none of "),
            std::string::npos);
  EXPECT_NE(none.misfits[0].find("mlx5_1, ibp32s0: runs at 200 Gb/s"), std::string::npos)
      << none.misfits[0];
  EXPECT_NE(none.misfits[1].find("NCCL_IB_HCA"), std::string::npos);
  EXPECT_EQ(test::value(none, "nccl.conf:NCCL_IB_HCA"), "-");
}

TEST_F(ProfileRdmaPorts, TheGidIndexIsOneNumberOrAMisfit) {
  const auto give = [&](std::size_t device, int index) {
    facts.rdma[device].ports[0].gids = {{0, "fe80::1", "RoCE v2", ""},
                                        {index - 1, kIpv4, "IB/RoCE v1", ""},
                                        {index, kIpv4, "RoCE v2", ""},
                                        {index + 2, kIpv4, "RoCE v2", ""}};
  };
  const std::string body = set_of(
      "match = { name = [\"mlx5_1\", \"mlx5_3\"] }\n[env]\nNCCL_IB_GID_INDEX = "
      "\"${d.gid_index}\"\n");
  EXPECT_TRUE(test::any_has(good(body).misfits, "is empty"));
  give(0, 3);
  EXPECT_TRUE(test::any_has(good(body).misfits, "mlx5_3 none, mlx5_1 3"));
  give(3, 7);
  EXPECT_TRUE(test::any_has(good(body).misfits, "mlx5_3 7, mlx5_1 3"));
  EXPECT_EQ(test::value(good(body), "nccl.conf:NCCL_IB_GID_INDEX"), "-");
  give(3, 3);
  EXPECT_EQ(test::value(good(body), "nccl.conf:NCCL_IB_GID_INDEX"), "3");
  give(3, 5);
  const auto optional =
      good(set_of("match = { name = [\"mlx5_1\", \"mlx5_3\"] }\n[env]\nNCCL_IB_GID_INDEX = { value "
                  "= \"${d.gid_index}\", optional = true }\n"));
  EXPECT_TRUE(optional.misfits.empty());
  EXPECT_TRUE(test::any_has(optional.desired.notes, "NCCL_IB_GID_INDEX is one number"));
}

TEST_F(ProfileRdmaPorts, KeysOfTheOtherKindAreErrors) {
  bad(set_of("match = { max_speed_gbps = 200 }\n"), 6,
      {"max_speed_gbps applies only to interfaces"});
  bad(set_of("match = { name = \"*\" }\npick = \"fastest\"\n"), 7,
      {"pick applies only to interfaces"});
  bad("[devices.d]\nmatch = { rate_gbps = 200 }\n", 5,
      {"rate_gbps applies only to RDMA ports", "of = \"rdma\""});
  bad("[devices.d]\nof = \"hcas\"\nmatch = { name = \"*\" }\n", 5, {"hcas", "interfaces, rdma"});
}

TEST_F(ProfileRdmaPorts, WhatFellOutIsToldByCardAndPort) {
  const auto result = good(set_of("match = { pci_id = \"15b3:1019\" }\n"));
  ASSERT_EQ(result.desired.members.size(), 2U);
  EXPECT_EQ(result.desired.members[1].name, "mlx5_2:2");
  EXPECT_EQ(result.desired.members[1].device, "rdma pci 0000:61:00.0 port 2");
}

}  // namespace
}  // namespace nettune::profile
