// SPDX-License-Identifier: Apache-2.0
#include "profile/devices.hpp"

#include "unit/support/profile_fixture.hpp"

namespace nettune::profile {
namespace {

using Names = std::vector<std::string>;

class ProfileDevices : public test::ProfileTest {
 protected:
  ProfileDevices() {
    auto& lo = device("lo");
    lo.link_layer = "Loopback";
    lo.physical = false;
    auto& eth0 = device("eth0");
    eth0.driver = "igb";
    eth0.max_speed_mbps = 1000;
    eth0.pci_address = "0000:01:00.0";
    eth0.pci_id = "8086:1521";
    eth0.default_route = true;
    eth0.protected_by = {"carries the default route"};
    for (int i = 1; i >= 0; --i) {
      auto& fabric = device("ens" + std::to_string(i) + "np0");
      fabric.driver = "mlx5_core";
      fabric.max_speed_mbps = 200000;
      fabric.pci_address = "0000:3b:00." + std::to_string(i);
      fabric.pci_id = "15b3:1021";
      fabric.rdma_devices = {"mlx5_" + std::to_string(i)};
      fabric.addresses = {"fe80::1/64"};
      fabric.operstate = "down";
    }
    auto& bond = device("bond0");
    bond.kind = "bond";
    bond.driver = "bonding";
    bond.physical = false;
    bond.lowers = {"ens0np0", "ens1np0"};
  }

  Names set(const std::string& definition) {
    return good("[devices.d]\n" + definition).sets.at("d");
  }
};

TEST_F(ProfileDevices, MatchByEachProperty) {
  const Names fabric = {"ens0np0", "ens1np0"};
  EXPECT_EQ(set("match = { driver = \"mlx5_core\" }\n"), fabric);
  EXPECT_EQ(set("match = { driver = [\"ice\", \"mlx5_core\"] }\n"), fabric);
  EXPECT_EQ(set("match = { rdma = true }\n"), fabric);
  EXPECT_EQ(set("match = { rdma = true, link_layer = \"InfiniBand\" }\n"), Names{});
  EXPECT_EQ(set("match = { max_speed_gbps = 100, kind = \"\" }\n"), fabric);
  EXPECT_EQ(set("match = { max_speed_gbps = 400 }\n"), Names{"bond0"});  // two of 200
  EXPECT_EQ(set("match = { pci_id = \"15b3:1021\" }\n"), fabric);
  // No mode is listed, but the link shows what it can do.
  auto& eth0 = *std::ranges::find(facts.net, "eth0", &facts::NetDevice::name);
  eth0.max_speed_mbps.reset();
  eth0.speed_mbps = 800000;
  EXPECT_EQ(set("match = { max_speed_gbps = 800 }\n"), Names{"eth0"});
  EXPECT_EQ(set("match = { pci_address = \"0000:3b:00.1\" }\n"), Names{"ens1np0"});
  EXPECT_EQ(set("match = { pci_address = \"*\" }\n"), (Names{"eth0", "ens0np0", "ens1np0"}));
  EXPECT_EQ(set("match = { name = [\"ens*\", \"bond?\"] }\n"),
            (Names{"ens0np0", "ens1np0", "bond0"}));
  EXPECT_EQ(set("match = { protected = true }\n"), Names{"eth0"});
  EXPECT_EQ(set("match = { kind = \"bond\", physical = false }\n"), Names{"bond0"});
  EXPECT_EQ(set("match = { addressed = true }\n"), (Names{"eth0", "bond0"}));
  facts.net[2].uppers = {"bond0"};
  EXPECT_EQ(set("match = { member = true }\n"), Names{"ens1np0"});
}

TEST_F(ProfileDevices, LoopbackOnlyByItsExactName) {
  EXPECT_EQ(set("match = { name = \"*\" }\n"), (Names{"eth0", "ens0np0", "ens1np0", "bond0"}));
  EXPECT_EQ(set("match = { name = \"lo\" }\n"), Names{"lo"});
  EXPECT_EQ(set("match = { name = \"l*\" }\n"), Names{});
}

TEST_F(ProfileDevices, ExceptFastestAndFallback) {
  EXPECT_EQ(set("match = { kind = \"\" }\nexcept = { driver = \"igb\" }\n"),
            (Names{"ens0np0", "ens1np0"}));
  EXPECT_EQ(set("match = { kind = \"\" }\npick = \"fastest\"\n"), Names{"ens0np0"});
  EXPECT_EQ(set("match = { driver = \"none\" }\nfallback = \"default-route\"\n"), Names{"eth0"});
  EXPECT_EQ(set("match = { driver = \"igb\" }\nfallback = \"default-route\"\n"), Names{"eth0"});
  facts.net[1].default_route = false;
  EXPECT_EQ(set("match = { driver = \"none\" }\nfallback = \"default-route\"\n"), Names{});
}

TEST_F(ProfileDevices, TheFallbackIsSaid) {
  const auto result =
      good("[devices.d]\nmatch = { driver = \"none\" }\nfallback = \"default-route\"\n");
  EXPECT_TRUE(test::any_has(result.desired.notes, "[devices.d] matches none of "));
  EXPECT_TRUE(test::any_has(result.desired.notes, "eth0 has driver igb"));
  EXPECT_TRUE(test::any_has(result.desired.notes, "; using eth0, which has the default route"));
  const auto named =
      good("[devices.d]\nmatch = { name = \"nt*\" }\nfallback = \"default-route\"\n");
  EXPECT_TRUE(test::any_has(named.desired.notes, "no device is named nt*; using eth0"));
}

TEST_F(ProfileDevices, RequireMakesAMisfitThatSaysWhatIsThere) {
  const auto none = good("[devices.d]\nmatch = { driver = \"ice\" }\nrequire = \">= 1\"\n");
  ASSERT_EQ(none.misfits.size(), 1U);
  EXPECT_NE(none.misfits[0].find("[devices.d] must match at least 1 device; it matches none of "),
            std::string::npos);
  EXPECT_NE(none.misfits[0].find("eth0 has driver igb"), std::string::npos);
  EXPECT_NE(none.misfits[0].find("/p/x.toml:4"), std::string::npos) << none.misfits[0];
  const auto many = good("[devices.d]\nmatch = { rdma = true }\nrequire = \"== 1\"\n");
  ASSERT_EQ(many.misfits.size(), 1U);
  EXPECT_NE(many.misfits[0].find("must match exactly 1 device; it matches 2: ens0np0, ens1np0;"),
            std::string::npos)
      << many.misfits[0];
  const auto few = good("[devices.d]\nmatch = { rdma = true }\nrequire = \">= 3\"\n");
  ASSERT_EQ(few.misfits.size(), 1U);
  EXPECT_NE(few.misfits[0].find("must match at least 3 devices; it matches 2 (ens0np0, ens1np0): "),
            std::string::npos)
      << few.misfits[0];
  for (const std::string holds : {">= 2", "== 2", "<= 2", ">=0", "<= 9"}) {
    const auto fits = good("[devices.d]\nmatch = { rdma = true }\nrequire = \"" + holds + "\"\n");
    EXPECT_TRUE(fits.misfits.empty()) << holds;
  }
  for (const std::string fails : {">= 3", "== 1", "<= 1"}) {
    const auto unfit = good("[devices.d]\nmatch = { rdma = true }\nrequire = \"" + fails + "\"\n");
    EXPECT_EQ(unfit.misfits.size(), 1U) << fails;
  }
  for (const std::string wrong : {"1", "> 1", ">= x", ">= -1", ">= 1 2", ""}) {
    bad("[devices.d]\nmatch = { rdma = true }\n\nrequire = \"" + wrong + "\"\n", 7, {"require"});
  }
}

TEST_F(ProfileDevices, SetsDoNotDependOnLinkState) {
  const std::string body = "[devices.d]\nmatch = { rdma = true }\n";
  const Names before = good(body).sets.at("d");
  for (auto& net : facts.net) {
    net.operstate = "up";
    net.carrier = true;
    net.speed_mbps = 10;
  }
  EXPECT_EQ(good(body).sets.at("d"), before);
}

TEST_F(ProfileDevices, ANameThatCannotStandInASettingIsLeftOut) {
  device("a#b").driver = "evil";
  device("a$(x)").driver = "evil";
  const auto result = good("[devices.d]\nmatch = { driver = \"evil\" }\n");
  EXPECT_TRUE(result.sets.at("d").empty());
  EXPECT_TRUE(test::any_has(result.desired.notes, "a#b"));
}

TEST_F(ProfileDevices, PropertiesOfASet) {
  const auto result = good(
      "[devices.d]\nmatch = { rdma = true }\n[env]\nA = \"=${d.names}\"\nB = \"${d.hcas}\"\n"
      "C = \"${d.count}\"\nD = \"${d.max_speed_gbps}\"\n");
  EXPECT_EQ(test::value(result, "nccl.conf:A"), "=ens0np0,ens1np0");
  EXPECT_EQ(test::value(result, "nccl.conf:B"), "mlx5_0,mlx5_1");
  EXPECT_EQ(test::value(result, "nccl.conf:C"), "2");
  EXPECT_EQ(test::value(result, "nccl.conf:D"), "200");
}

TEST_F(ProfileDevices, AnHcaWithTwoPortsIsNamedWithThePort) {
  facts::RdmaDevice two;
  two.name = "mlx5_0";
  two.ports = {{1, "Ethernet", "ACTIVE", "", "", {}, "other", {}},
               {2, "Ethernet", "ACTIVE", "", "", {}, "ens0np0", {}}};
  facts.rdma = {two};
  const auto result = good("[devices.d]\nmatch = { rdma = true }\n[env]\nB = \"${d.hcas}\"\n");
  EXPECT_EQ(test::value(result, "nccl.conf:B"), "mlx5_0:2,mlx5_1");
}

TEST_F(ProfileDevices, WrongReferencesToSetsAreNamed) {
  const std::string set = "[devices.fabric]\nmatch = { rdma = true }\n[env]\n";
  bad(set + "A = \"${fabrik.names}\"\n", 7, {"\"fabrik\"", "did you mean \"fabric\""});
  bad(set + "A = \"${fabric.name}\"\n", 7, {"no property \"name\"", "\"names\""});
  bad(set + "A = \"${fabric.each}\"\n", 7, {"only in the name of a sysctl"});
  bad(set + "A = \"${fabric}\"\n", 7, {"unknown variable"});
  bad("[link.fabrik]\nmtu = 9000\n[devices.fabric]\nmatch = { rdma = true }\n", 5,
      {"\"fabrik\"", "did you mean \"fabric\""});
  bad("[devices.a]\nmatch = { name = \"${b.names}\" }\n", 5, {"cannot be used here"});
  bad("[devices.a]\nmatch = { drivr = \"x\" }\n", 5, {"drivr", "\"driver\""});
  bad("[devices.a]\npick = \"all\"\n", 4, {"\"match\" is missing"});
  bad("[devices.a]\nmatch = { name = \"e\" }\npick = \"slowest\"\n", 6, {"slowest", "fastest"});
}

}  // namespace
}  // namespace nettune::profile
