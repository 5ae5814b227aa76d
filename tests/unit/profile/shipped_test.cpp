// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <random>

#include "unit/support/profile_fixture.hpp"

namespace nettune::profile {
namespace {

using namespace test;

const std::vector<std::string> kShipped = {"base",        "tcp-fallback", "tcp-100g",
                                           "rocev2-100g", "rocev2-200g",  "rocev2-400g",
                                           "rocev2-pai",  "ib-hdr",       "ib-ndr"};

std::string read_shipped(const std::string& name) {
  std::ifstream file(std::string(NETTUNE_SOURCE_DIR) + "/profiles/" + name + ".toml");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class ProfileShipped : public test::ProfileTest {
 protected:
  ProfileShipped() {
    for (const std::string& name : kShipped) disk.file("/q/" + name + ".toml", read_shipped(name));
  }

  facts::NetDevice& management() {
    auto& eth0 = device("eth0");
    eth0.max_speed_mbps = 1000;
    eth0.max_mtu = 9216;
    eth0.default_route = true;
    eth0.protected_by = {"carries the default route"};
    return eth0;
  }
  facts::NetDevice& data_port(const std::string& name, int gbps) {
    auto& port = device(name);
    port.max_speed_mbps = gbps * 1000;
    port.max_mtu = 9978;
    return port;
  }
};

TEST_F(ProfileShipped, TheListIsCompleteAndSound) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(NETTUNE_SOURCE_DIR) + "/profiles")) {
    if (entry.path().extension() == ".toml") ++files;
  }
  EXPECT_EQ(files, kShipped.size()) << "a shipped profile is not tested here";
  for (const Listed& listed : list(disk, sources)) {
    EXPECT_EQ(listed.error, "");
    EXPECT_NE(listed.summary, "");
  }
}

TEST_F(ProfileShipped, BaseHoldsOnAnyNode) {
  facts.services = {"slurmd"};
  const auto result = good_profile("base");
  EXPECT_TRUE(result.misfits.empty());
  EXPECT_EQ(test::value(result, "sysctl:kernel.numa_balancing"), "0");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.neigh.default.gc_thresh3"), ">= 16384");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv6.neigh.default.gc_thresh1"), ">= 4096");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.ip_local_reserved_ports#29400"), "present");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.ip_local_reserved_ports#29500"), "present");
  EXPECT_TRUE(test::content(result, "/etc/sysctl.d/zz-nettune.conf")
                  .ends_with("\n-kernel.numa_balancing = 0\n"));
  EXPECT_NE(test::content(result, "/etc/systemd/system/slurmd.service.d/nettune.conf"), "-");
}

TEST_F(ProfileShipped, TcpFallbackOnANodeWithOneInterface) {
  management();
  const auto result = good_profile("tcp-fallback");
  EXPECT_TRUE(result.misfits.empty());
  EXPECT_TRUE(result.cautions.empty());
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_SOCKET_IFNAME"), "=eth0");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_IB_DISABLE"), "1");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_SOCKET_NTHREADS"), "2");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_NSOCKS_PERTHREAD"), "2");
  EXPECT_TRUE(test::find(result, "nccl.conf:NCCL_IB_DISABLE")->same_on_all_nodes);
  // Who listens tells the other side its own numbers (NCCL's src/transport/net_socket.cc).
  EXPECT_FALSE(test::find(result, "nccl.conf:NCCL_NSOCKS_PERTHREAD")->same_on_all_nodes);
  EXPECT_FALSE(test::find(result, "nccl.conf:NCCL_SOCKET_NTHREADS")->same_on_all_nodes);
  EXPECT_EQ(test::value(result, "sysctl:net.core.rmem_max"), ">= 67108864");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_rmem"), "4096 131072 33554432");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_wmem"), "4096 16384 33554432");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_slow_start_after_idle"), "0");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_mtu_probing"), "1");
  for (const Setting& setting : result.desired.settings) {
    EXPECT_NE(setting.address.kind(), "link") << "the MTU of the only interface is changed";
  }
}

TEST_F(ProfileShipped, TcpFallbackTakesTheFastestDataInterface) {
  management();
  data_port("ens1", 25);
  data_port("ens2", 100);
  data_port("unused", 200).addresses = {"fe80::1/64"};
  data_port("usb0", 0).driver = "cdc_ether";
  EXPECT_EQ(test::value(good_profile("tcp-fallback"), "nccl.conf:NCCL_SOCKET_IFNAME"), "=ens2");
  sources.set = {{"data_interface", "ens1"}};
  EXPECT_EQ(test::value(good_profile("tcp-fallback"), "nccl.conf:NCCL_SOCKET_IFNAME"), "=ens1");
}

TEST_F(ProfileShipped, TcpFallbackTakesABondAndNotItsMembers) {
  management();
  data_port("ens1", 25).uppers = {"bond0"};
  data_port("ens2", 25).uppers = {"bond0"};
  auto& bond = device("bond0");
  bond.kind = "bond";
  bond.lowers = {"ens1", "ens2"};
  EXPECT_EQ(test::value(good_profile("tcp-fallback"), "nccl.conf:NCCL_SOCKET_IFNAME"), "=bond0");
}

TEST_F(ProfileShipped, TcpFallbackWithoutAnyInterfaceLeavesTheNameOut) {
  const auto result = good_profile("tcp-fallback");
  EXPECT_TRUE(result.misfits.empty());
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_SOCKET_IFNAME"), "-");
  EXPECT_TRUE(test::any_has(result.desired.notes, "NCCL_SOCKET_IFNAME"));
}

TEST_F(ProfileShipped, TcpFallbackIsRefusedWhereRdmaIsActive) {
  management();
  facts::RdmaDevice rdma;
  rdma.name = "mlx5_0";
  rdma.ports = {{1, "InfiniBand", "ACTIVE", "", "", {}, "", {}}};
  facts.rdma = {rdma};
  EXPECT_TRUE(test::any_has(good_profile("tcp-fallback").cautions, "mlx5_0/1"));
}

TEST_F(ProfileShipped, Tcp100gChangesOnlyTheDataPorts) {
  management();
  data_port("ens1", 100);
  data_port("ens2", 200);
  data_port("slow", 25);
  const auto result = good_profile("tcp-100g");
  EXPECT_TRUE(result.misfits.empty());
  EXPECT_EQ(test::value(result, "link:ens1:mtu"), "9000");
  EXPECT_EQ(test::value(result, "link:ens2:mtu"), "9000");
  EXPECT_EQ(test::value(result, "link:eth0:mtu"), "-");
  EXPECT_EQ(test::value(result, "link:slow:mtu"), "-");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_SOCKET_IFNAME"), "=ens1,ens2");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_SOCKET_NTHREADS"), "4");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_NSOCKS_PERTHREAD"), "4");
  EXPECT_EQ(test::value(result, "sysctl:net.core.wmem_max"), ">= 268435456");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_rmem"), "4096 131072 268435456");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_wmem"), "4096 16384 268435456");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_mtu_probing"), "1");
}

TEST_F(ProfileShipped, Tcp100gDoesNotFitANodeThatWouldCutItself) {
  management().max_speed_mbps = 100000;
  const auto result = good_profile("tcp-100g");
  ASSERT_FALSE(result.misfits.empty());
  EXPECT_NE(result.misfits[0].find("[devices.data] must match at least 1"), std::string::npos);
  EXPECT_NE(result.misfits[0].find("eth0 is protected: carries the default route"),
            std::string::npos)
      << result.misfits[0];
  EXPECT_EQ(test::value(result, "link:eth0:mtu"), "-");
}

TEST_F(ProfileShipped, Tcp100gRespectsTheDevicesLimit) {
  data_port("ens1", 100).max_mtu = 3498;
  bad_profile("tcp-100g", "/q/tcp-100g.toml", 28, {"9000", "ens1", "3498"});
  sources.set = {{"mtu", "3498"}};
  EXPECT_EQ(test::value(good_profile("tcp-100g"), "link:ens1:mtu"), "3498");
  sources.set = {{"mtu", "68"}};
  EXPECT_FALSE(resolved("tcp-100g"));
}

TEST_F(ProfileShipped, InfiniBandWithoutInterfaces) {
  management();
  for (const std::string name : {"mlx5_0", "mlx5_1"}) {
    facts::RdmaDevice hca;
    hca.name = name;
    hca.driver = "mlx5_core";
    hca.ports = {{1, "InfiniBand", "ACTIVE", "LinkUp", "200 Gb/sec (4X HDR)", 200, "", {}}};
    facts.rdma.push_back(hca);
  }
  const auto hdr = good_profile("ib-hdr");
  EXPECT_TRUE(hdr.misfits.empty());
  EXPECT_EQ(test::value(hdr, "nccl.conf:NCCL_IB_HCA"), "=mlx5_0,mlx5_1");
  EXPECT_EQ(test::value(hdr, "nccl.conf:NCCL_SOCKET_IFNAME"), "=eth0");
  EXPECT_EQ(test::value(hdr, "nccl.conf:NCCL_IB_TIMEOUT"), "22");
  EXPECT_EQ(test::value(hdr, "nccl.conf:NCCL_IB_TC"), "-");
  EXPECT_EQ(hdr.demand, (Demand{true, 200}));
  sources.set = {{"hcas", "mlx5_1"}};
  EXPECT_EQ(test::value(good_profile("ib-hdr"), "nccl.conf:NCCL_IB_HCA"), "=mlx5_1");
  sources.set = {};
  EXPECT_TRUE(test::any_has(good_profile("ib-ndr").misfits, "each runs at 200 Gb/s"));
}

TEST_F(ProfileShipped, IpoibGetsAsMuchAsTheSubnetCarries) {
  auto& ib0 = device("ib0");
  ib0.link_layer = "InfiniBand";
  ib0.kind = "ipoib";
  const auto result = good_profile("ib-hdr");
  ASSERT_NE(test::find(result, "link:ib0:mtu"), nullptr);
  EXPECT_EQ(test::value(result, "link:ib0:mtu"), "4092");
  EXPECT_TRUE(test::find(result, "link:ib0:mtu")->nearest);
  EXPECT_TRUE(test::find(result, "link:ib0:mtu")->optional);
  facts.net.back().protected_by = {"carries the nfs4 mount /home from 10.0.0.9"};
  EXPECT_EQ(test::value(good_profile("ib-hdr"), "link:ib0:mtu"), "-");
}

TEST_F(ProfileShipped, ThePresetsOfAPlatform) {
  auto& port = data_port("bond1p0", 200);
  port.driver = "mlx5_core";
  port.rdma_devices = {"mlx5_bond_0"};
  EXPECT_TRUE(test::any_has(good_profile("rocev2-pai").misfits,
                            "[devices.bootstrap] must match at least 1"));
  management();
  const auto result = good_profile("rocev2-pai");
  EXPECT_TRUE(result.misfits.empty());
  const std::map<std::string, std::string> presets = {
      {"NCCL_IB_TC", "136"},     {"NCCL_IB_GID_INDEX", "3"}, {"NCCL_IB_QPS_PER_CONNECTION", "8"},
      {"NCCL_IB_TIMEOUT", "22"}, {"NCCL_IB_HCA", "mlx5"},    {"NCCL_SOCKET_IFNAME", "eth"}};
  for (const auto& [name, preset] : presets) {
    EXPECT_EQ(test::value(result, "nccl.conf:" + name), preset) << name;
    ASSERT_NE(test::find(result, "nccl.conf:" + name), nullptr) << name;
    EXPECT_TRUE(test::find(result, "nccl.conf:" + name)->same_on_all_nodes) << name;
  }
  EXPECT_EQ(test::value(result, "dcb:bond1p0:app#dscp-34"), "4");
  EXPECT_EQ(test::value(result, "dcb:bond1p0:pfc"), "4");
}

TEST_F(ProfileShipped, TheExampleInTheDocumentationResolves) {
  std::ifstream file(std::string(NETTUNE_SOURCE_DIR) + "/docs/profile-format.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string opening = "```toml\n";
  const auto begin = text.str().find(opening) + opening.size();
  disk.file("/p/storage-tcp.toml", text.str().substr(begin, text.str().find("```", begin) - begin));
  data_port("ens1", 100).driver = "ice";
  const auto result = good_profile("storage-tcp");
  EXPECT_EQ(test::value(result, "link:ens1:mtu"), "9000");
  EXPECT_EQ(test::value(result, "sysctl:net.core.rmem_max"), ">= 134217728");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_mtu_probing"), "-");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.conf.ens1.arp_ignore"), "2");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_SOCKET_IFNAME"), "=ens1");
}

/// Whatever stands in a file, the answer is a result or an error, and errors are one clean line.
TEST_F(ProfileShipped, MutationsNeverCrash) {
  management();
  data_port("ens1", 100);
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::string alphabet =
      "[]{}=\"'#.,\n\\$ 0x9_-${}\t\r\x01\xc3\xff"
      "aeu";
  const std::vector<std::string> pieces = {
      "[[",  "${",  "\"\"\"", "'''", "\\u0000", "[x]\n",
      "= {", ">= ", "inf",    "1e9", "a.b.c",   "\n[sysctl]\n"};
  std::vector<std::string> texts;
  for (const std::string& name : kShipped) texts.push_back(read_shipped(name));
  for (int round = 0; round < 400; ++round) {
    const std::size_t which = below(kShipped.size());
    std::string text = texts[which];
    for (std::size_t edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      switch (below(5)) {
        case 0:
          text[at] = alphabet[below(alphabet.size())];
          break;
        case 1:
          text.erase(at, 1 + below(20));
          break;
        case 2:
          text.insert(at, pieces[below(pieces.size())]);
          break;
        case 3:
          text.insert(at, text.substr(below(text.size()), below(80)));
          break;
        default:
          text.resize(at);
      }
    }
    disk.file("/q/" + kShipped[which] + ".toml", text);
    const auto result = resolved("tcp-100g");
    if (!result) {
      ASSERT_FALSE(result.error().text.empty());
      for (const char c : result.error().text) {
        // Each mistake has a line of its own.
        ASSERT_FALSE(static_cast<unsigned char>(c) < 0x20 && c != '\n') << result.error().text;
      }
    }
    disk.file("/q/" + kShipped[which] + ".toml", texts[which]);
  }
}

}  // namespace
}  // namespace nettune::profile
