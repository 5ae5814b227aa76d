// SPDX-License-Identifier: Apache-2.0
#include "facts/observe.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "facts/observe_parts.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::facts {
namespace {

using namespace test;

/// Kinds of PCI Express ports.
constexpr int kRootPort = 4;
constexpr int kDownstream = 6;

/// Configuration space with a PCI Express capability at 0x60 and, where it is whole, a list of
/// extended ones with ACS at 0x140.
std::string config(int read_request, std::optional<int> acs, std::size_t size = 4096,
                   int port = kDownstream) {
  std::string bytes(4096, '\0');
  const auto put = [&](std::size_t at, std::initializer_list<int> values) {
    for (const int value : values) bytes[at++] = static_cast<char>(value);
  };
  put(0x06, {0x10});                          // there is a list of capabilities
  put(0x34, {0x40});                          // which begins here
  put(0x40, {0x01, 0x60});                    // power management
  put(0x60, {0x10, 0x00, 0x02 | port << 4});  // PCI Express
  put(0x69, {read_request << 4});
  put(0x100, {0x01, 0x00, 0x01, 0x14});  // AER, then at 0x140
  if (acs) put(0x140, {0x0d, 0x00, 0x01, 0x00, 0x1f, 0x00, *acs, 0x00});
  return bytes.substr(0, size);
}

/// An Ethernet card behind a root port and a switch, an InfiniBand one at a root port of its own,
/// and a GPU beside the first; two NUMA nodes.
class FactsObserve : public ::testing::Test {
 protected:
  FactsObserve() {
    bridge(kPort, kRootPort);
    bridge(kSwitch, kDownstream);
    bridge("pci0000:80/0000:80:00.0", kRootPort);
    node.pci(kEthernet, "0x15b3", "0x1021", "mlx5_core", 0);
    node.pci(kInfiniBand, "0x15b3", "0x1021", "mlx5_core", 1);
    node.pci(kGpu, "0x10de", "0x2330", "nvidia", 0, "0x030200");
    for (const char* at : {kEthernet, kInfiniBand}) {
      link(at, "32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");
      file(at, "config", config(5, std::nullopt));
    }
    file(kEthernet, "local_cpulist", "0-3");
    file(kInfiniBand, "local_cpulist", "4-7");
    node.directory("sys/devices/system/node/node1");
    ethernet = &node.net("fab0", 2, kEthernet, "200000");
    node.net("ib0", 3, kInfiniBand).hardware = 32;
    node.rdma("mlx5_0", kEthernet, "Ethernet", "4: ACTIVE", "200 Gb/sec (4X HDR)");
    node.rdma("mlx5_1", kInfiniBand, "InfiniBand", "4: ACTIVE", "400 Gb/sec (4X NDR)");
    file(kPortOfIb, "sm_lid", "0x1");
    file(kPortOfIb, "pkeys/0", "0xffff");
    file(kPortOfIb, "pkeys/1", "0x0000");
    interrupt(kEthernet, 40, "0-1");
    interrupt(kEthernet, 41, "3");
    sources.root = node.root();
    sources.fec = [](const std::string&) { return Result<std::optional<std::string>>("rs"); };
    sources.versions = [](const std::string&) {
      return Result<kernel::DevlinkVersions>(
          {{{"fw.version", "28.39.1002"}}, {{"fw.version", "28.39.1002"}}});
    };
    sources.parameter = [](const std::string&, const std::string&) { return Result<bool>(true); };
  }

  static constexpr const char* kPort = "pci0000:3a/0000:3a:00.0";
  static constexpr const char* kSwitch = "pci0000:3a/0000:3a:00.0/0000:39:01.0";
  static constexpr const char* kEthernet = "pci0000:3a/0000:3a:00.0/0000:39:01.0/0000:3b:00.0";
  static constexpr const char* kGpu = "pci0000:3a/0000:3a:00.0/0000:39:01.0/0000:3c:00.0";
  static constexpr const char* kInfiniBand = "pci0000:80/0000:80:00.0/0000:81:00.0";
  static constexpr const char* kPortOfIb =
      "pci0000:80/0000:80:00.0/0000:81:00.0/infiniband/mlx5_1/ports/1";

  void file(const std::string& at, const std::string& name, const std::string& content) {
    node.file(cat("sys/devices/", at, "/", name), content + (name == "config" ? "" : "\n"));
  }
  void link(const std::string& at, const std::string& speed, const std::string& lanes,
            const std::string& max_speed, const std::string& max_lanes) {
    file(at, "current_link_speed", speed);
    file(at, "current_link_width", lanes);
    file(at, "max_link_speed", max_speed);
    file(at, "max_link_width", max_lanes);
  }
  void bridge(const std::string& at, int port) {
    node.pci(at, "0x8086", "0x347a", "pcieport", 0, "0x060400");
    link(at, "32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");
    file(at, "config", config(2, 0x01, 4096, port));
  }
  void interrupt(const std::string& at, int number, const std::string& cpus) {
    file(at, cat("msi_irqs/", number), "msix");
    node.directory(cat("proc/irq/", number, "/mlx5_comp", number));
    node.file(cat("proc/irq/", number, "/effective_affinity_list"), cpus + "\n");
  }

  std::vector<Observation> look(const std::set<std::string>& names = {"fab0", "ib0"}) const {
    const auto facts = collect_ports(node.sources());
    EXPECT_TRUE(facts);
    const auto seen = observe(*facts, names, sources);
    EXPECT_TRUE(seen);
    return seen ? *seen : std::vector<Observation>();
  }
  Observation one(const std::string& device, const std::string& what) const {
    for (const Observation& seen : look())
      if (seen.device == device && seen.what == what) return seen;
    ADD_FAILURE() << device << " has no " << what;
    return {};
  }
  /// The value, "unknown" without one.
  std::string value(const std::string& device, const std::string& what) const {
    return one(device, what).value.value_or("unknown");
  }

  FakeNode node;
  kernel::Link* ethernet = nullptr;
  ObservationSources sources;
};

TEST_F(FactsObserve, ASoundNodeIsGoodThroughout) {
  const std::vector<std::pair<std::string, std::string>> port = {
      {"pci.link", "full"},        {"pci.slot", "full"},      {"pci.max-read-request", "4096"},
      {"pci.acs-redirect", "off"}, {"irq.outside-node", "0"}, {"firmware.stored", "running"},
      {"firmware.roce", "on"},     {"link.fec", "rs"}};
  for (const auto& [what, good] : port) EXPECT_EQ(value("fab0", what), good) << what;
  const std::string infiniband = "ib0 (mlx5_1/1)";
  EXPECT_EQ(value(infiniband, "ib.state"), "ACTIVE");
  EXPECT_EQ(value(infiniband, "ib.subnet-manager"), "present");
  EXPECT_EQ(value(infiniband, "ib.pkey-default"), "full");
  EXPECT_EQ(value(infiniband, "ib.pkey-first"), "full");
  EXPECT_EQ(value("GPU 0000:3c:00.0", "pci.acs-redirect"), "off");
  EXPECT_EQ(one("fab0", "link.fec").speed_gbps, 200);
  EXPECT_EQ(one("ib0", "pci.link").speed_gbps, 400) << "of InfiniBand the port says it";
}

TEST_F(FactsObserve, WhatIsObservedIsListed) {
  for (const Observation& seen : look())
    EXPECT_NE(std::ranges::find(kObservables, seen.what, &Observable::name), kObservables.end())
        << seen.what;
}

TEST_F(FactsObserve, LooksAtWhatIsMeantOnly) {
  EXPECT_TRUE(look({"eth9"}).empty()) << "GPUs neither";
  for (const Observation& seen : look({"mlx5_0"}))
    EXPECT_TRUE(seen.device == "fab0" || seen.device.starts_with("GPU")) << seen.device;
  node.net("plain0", 9, "", "");
  EXPECT_TRUE(look({"plain0"}).empty()) << "it has no RDMA device";
}

TEST_F(FactsObserve, ALinkThatCameUpNarrow) {
  link(kEthernet, "32.0 GT/s PCIe", "8", "32.0 GT/s PCIe", "16");
  EXPECT_EQ(value("fab0", "pci.link"), "reduced");
  EXPECT_EQ(one("fab0", "pci.link").text,
            "its PCIe link runs at 32.0 GT/s x8, but card and slot support 32.0 GT/s x16");
}

TEST_F(FactsObserve, ASlowSlotIsNoFaultOfTheLink) {
  link(kSwitch, "16.0 GT/s PCIe", "16", "16.0 GT/s PCIe", "16");
  link(kEthernet, "16.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");
  EXPECT_EQ(value("fab0", "pci.link"), "full");
  EXPECT_EQ(value("fab0", "pci.slot"), "reduced");
}

TEST_F(FactsObserve, ASlotOfAVirtualMachineSaysNothing) {
  node.file(cat("sys/devices/", kSwitch, "/vendor"), "0x1b36\n");
  link(kSwitch, "2.5 GT/s PCIe", "1", "2.5 GT/s PCIe", "1");
  EXPECT_EQ(value("fab0", "pci.slot"), "unknown");
  EXPECT_EQ(value("fab0", "pci.link"), "full");
  link(kEthernet, "16.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");
  EXPECT_EQ(value("fab0", "pci.link"), "unknown") << "its slot may be the reason";
  EXPECT_EQ(value("fab0", "pci.acs-redirect"), "off") << "a switch below a port of the host";
  node.file(cat("sys/devices/", kPort, "/vendor"), "0x1b36\n");
  EXPECT_EQ(value("fab0", "pci.acs-redirect"), "unknown");
}

TEST_F(FactsObserve, AVirtualFunctionSaysNothingOfItself) {
  link(kEthernet, "Unknown", "0", "Unknown", "0");
  file(kEthernet, "config", config(0, std::nullopt));
  EXPECT_EQ(value("fab0", "pci.link"), "unknown");
  EXPECT_EQ(value("fab0", "pci.slot"), "unknown");
  EXPECT_EQ(value("fab0", "pci.max-read-request"), "unknown");
  // The physical one is on this node.
  node.symlink(cat("sys/devices/", kEthernet, "/physfn"), "../../../0000:80:00.0/0000:81:00.0");
  EXPECT_EQ(value("fab0", "pci.link"), "full");
  EXPECT_EQ(value("fab0", "pci.max-read-request"), "4096");
}

TEST_F(FactsObserve, SmallReads) {
  file(kEthernet, "config", config(2, std::nullopt));
  EXPECT_EQ(value("fab0", "pci.max-read-request"), "512");
  EXPECT_EQ(one("fab0", "pci.max-read-request").text,
            "it reads memory in requests of at most 512 bytes (MaxReadReq of 0000:3b:00.0)");
}

TEST_F(FactsObserve, WithoutRootTheConfigurationIsUnknown) {
  for (const char* at : {kEthernet, kPort, kSwitch}) file(at, "config", config(5, 0x1d, 64));
  EXPECT_EQ(value("fab0", "pci.max-read-request"), "unknown");
  EXPECT_EQ(value("fab0", "pci.acs-redirect"), "unknown");
  EXPECT_NE(one("fab0", "pci.acs-redirect").text.find("run as root"), std::string::npos);
}

TEST_F(FactsObserve, ABridgeThatRedirectsIsNamed) {
  file(kSwitch, "config", config(2, 0x1d));
  EXPECT_EQ(value("fab0", "pci.acs-redirect"), "on");
  EXPECT_NE(one("fab0", "pci.acs-redirect").text.find("the bridge 0000:39:01.0 above it redirects"),
            std::string::npos)
      << one("fab0", "pci.acs-redirect").text;
  EXPECT_EQ(value("GPU 0000:3c:00.0", "pci.acs-redirect"), "on");
  EXPECT_EQ(value("ib0", "pci.acs-redirect"), "off");
  // One that is known to redirect is enough, whatever cannot be read.
  file(kPort, "config", config(2, 0x01, 64));
  EXPECT_EQ(value("fab0", "pci.acs-redirect"), "on");
}

TEST_F(FactsObserve, ARootPortRedirectsInAnyCase) {
  file(kPort, "config", config(2, 0x1d, 4096, kRootPort));
  EXPECT_EQ(value("fab0", "pci.acs-redirect"), "off");
}

TEST_F(FactsObserve, ABridgeThatDoesNotAnswerIsUnknown) {
  file(kSwitch, "config", std::string(4096, '\xff'));
  EXPECT_EQ(value("fab0", "pci.acs-redirect"), "unknown");
  EXPECT_NE(one("fab0", "pci.acs-redirect").text.find("reads as all ones"), std::string::npos);
  file(kEthernet, "config", std::string(4096, '\xff'));
  EXPECT_NE(one("fab0", "pci.max-read-request").text.find("reads as all ones"), std::string::npos);
}

TEST_F(FactsObserve, WithoutBridgesNothingIsKnownOfThem) {
  const auto root = kernel::Directory::open(node.root());
  ASSERT_TRUE(root);
  node.pci("pci0000:00/0000:00:05.0", "0x15b3", "0x101e", "mlx5_core", -1);
  std::optional<std::string> seen = "not told";
  observe_acs(*root, "0000:00:05.0",
              [&](const Observable&, const std::optional<std::string>& value, const std::string&) {
                seen = value;
              });
  EXPECT_EQ(seen, std::nullopt);
}

TEST_F(FactsObserve, InterruptsFarAwayAreCounted) {
  interrupt(kEthernet, 42, "2-4");
  interrupt(kEthernet, 43, "7");
  EXPECT_EQ(value("fab0", "irq.outside-node"), "2");
  EXPECT_EQ(one("fab0", "irq.outside-node").text,
            "2 of its 4 interrupts go to CPUs of another NUMA node (near: 0-3)");
  node.file("run/irqbalance/irqbalance612.sock", "");
  EXPECT_NE(one("fab0", "irq.outside-node").text.find("irqbalance is running"), std::string::npos);
}

TEST_F(FactsObserve, AnInterruptThatNobodyHandlesDoesNotCount) {
  file(kEthernet, "msi_irqs/44", "msix");
  node.file("proc/irq/44/effective_affinity_list", "7\n");
  EXPECT_EQ(value("fab0", "irq.outside-node"), "0");
}

TEST_F(FactsObserve, InterruptsOfANodeThatIsNotKnown) {
  file(kEthernet, "numa_node", "-1");
  EXPECT_EQ(value("fab0", "irq.outside-node"), "unknown");
  EXPECT_EQ(value("ib0", "irq.outside-node"), "unknown") << "it shows none";
}

TEST_F(FactsObserve, FirmwareThatWaits) {
  sources.versions = [](const std::string&) {
    return Result<kernel::DevlinkVersions>(
        {{{"fw.version", "28.39.1002"}}, {{"fw.version", "28.41.1000"}}});
  };
  EXPECT_EQ(value("fab0", "firmware.stored"), "waiting");
  EXPECT_EQ(one("fab0", "firmware.stored").text,
            "firmware 28.39.1002 runs on 0000:3b:00.0, but 28.41.1000 is stored");
}

TEST_F(FactsObserve, RoceIsTheNextStartsAndWhatIsNowShowsInTheGids) {
  sources.parameter = [](const std::string&, const std::string&) { return Result<bool>(false); };
  EXPECT_EQ(value("fab0", "firmware.roce"), "off");
  EXPECT_EQ(one("fab0", "firmware.roce").text,
            "devlink's parameter enable_roce of 0000:3b:00.0 is off for the next driver start; "
            "the port has no GID now");
  node.gid("mlx5_0", 3, "0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2", "fab0");
  EXPECT_NE(one("fab0", "firmware.roce").text.find("the port has GIDs now"), std::string::npos);
}

TEST_F(FactsObserve, NoFecIsOfALinkThatIsDownOnlyWhereItIs) {
  sources.fec = [](const std::string&) { return Result<std::optional<std::string>>(std::nullopt); };
  ethernet->carrier = false;
  EXPECT_EQ(one("fab0", "link.fec").text, "a link that is down has no FEC");
  ethernet->carrier = true;
  EXPECT_EQ(one("fab0", "link.fec").text, "the driver reports no active FEC");
}

TEST_F(FactsObserve, InfiniBandWithoutAnInterface) {
  constexpr const char* kAlone = "pci0000:80/0000:80:00.0/0000:82:00.0";
  node.pci(kAlone, "0x15b3", "0x1021", "mlx5_core", 1);
  link(kAlone, "16.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");
  node.rdma("mlx5_2", kAlone, "InfiniBand", "2: INIT", "400 Gb/sec (4X NDR)");
  const auto seen = look({"mlx5_2"});
  const auto value_of = [&](const std::string& device, const std::string& what) {
    for (const Observation& each : seen)
      if (each.device == device && each.what == what) return each.value.value_or("unknown");
    return std::string("not told");
  };
  EXPECT_EQ(value_of("mlx5_2", "pci.link"), "reduced");
  EXPECT_EQ(value_of("mlx5_2/1", "ib.state"), "INIT");
  EXPECT_EQ(value_of("mlx5_2", "firmware.roce"), "not told");
  EXPECT_EQ(value_of("GPU 0000:3c:00.0", "pci.acs-redirect"), "off");
  for (const Observation& each : look({"fab0", "ib0"}))
    EXPECT_FALSE(each.device.starts_with("mlx5_2")) << "nobody named it";
}

TEST_F(FactsObserve, WhatDriversDoNotSayIsUnknown) {
  sources.versions = [](const std::string&) {
    return Result<kernel::DevlinkVersions>(fail(Errc::unsupported, "no devlink"));
  };
  sources.parameter = nullptr;
  sources.fec = [](const std::string&) { return Result<std::optional<std::string>>(std::nullopt); };
  for (const char* what : {"firmware.stored", "firmware.roce", "link.fec"})
    EXPECT_EQ(value("fab0", what), "unknown") << what;
  EXPECT_NE(one("fab0", "firmware.stored").text.find("no devlink"), std::string::npos);
}

TEST_F(FactsObserve, APortWithoutASubnetManager) {
  file(kPortOfIb, "sm_lid", "0x0");
  file(kPortOfIb, "state", "2: INIT");
  EXPECT_EQ(value("ib0 (mlx5_1/1)", "ib.subnet-manager"), "none");
  EXPECT_EQ(value("ib0 (mlx5_1/1)", "ib.state"), "INIT");
  file(kPortOfIb, "phys_state", "2: Polling");
  EXPECT_EQ(value("ib0 (mlx5_1/1)", "ib.subnet-manager"), "unknown")
      << "without a link nothing can be said of it";
}

TEST_F(FactsObserve, PartitionKeys) {
  const std::string port = "ib0 (mlx5_1/1)";
  file(kPortOfIb, "pkeys/0", "0x7fff");
  EXPECT_EQ(value(port, "ib.pkey-first"), "limited");
  EXPECT_EQ(value(port, "ib.pkey-default"), "limited");
  file(kPortOfIb, "pkeys/1", "0xffff");
  EXPECT_EQ(value(port, "ib.pkey-default"), "full");
  file(kPortOfIb, "pkeys/0", "0x8001");
  file(kPortOfIb, "pkeys/1", "0x0000");
  EXPECT_EQ(value(port, "ib.pkey-first"), "full");
  EXPECT_EQ(value(port, "ib.pkey-default"), "absent");
  file(kPortOfIb, "pkeys/0", "nonsense");
  EXPECT_EQ(value(port, "ib.pkey-first"), "unknown");
}

TEST(FactsPciConfig, IsReadWhateverStandsThere) {
  EXPECT_EQ(parse_pci_config(config(5, 0x04)).max_read_request, 4096);
  EXPECT_EQ(parse_pci_config(config(5, 0x04)).redirects, true);
  EXPECT_EQ(parse_pci_config(config(5, 0x1b)).redirects, false);
  EXPECT_EQ(parse_pci_config(config(5, std::nullopt)).redirects, false);
  EXPECT_EQ(parse_pci_config(config(5, 0x04, 4096, kRootPort)).redirects, false);
  EXPECT_EQ(parse_pci_config(std::string(4096, '\xff')).redirects, std::nullopt);
  EXPECT_TRUE(parse_pci_config(std::string(64, '\xff')).is_silent);
  EXPECT_FALSE(parse_pci_config("").is_silent);
  EXPECT_EQ(parse_pci_config(config(5, 0x04, 256)).redirects, std::nullopt);
  EXPECT_EQ(parse_pci_config(config(5, 0x04, 256)).max_read_request, 4096);
  EXPECT_EQ(parse_pci_config(config(5, 0x04, 64)).max_read_request, std::nullopt);
  EXPECT_EQ(parse_pci_config("").max_read_request, std::nullopt);
  std::mt19937 random(20250808);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = config(3, 0x04, random() % 4097);
    for (auto i = random() % 40; i > 0 && !bytes.empty(); --i)
      bytes[random() % std::min<std::size_t>(bytes.size(), 0x180)] = static_cast<char>(random());
    bytes.shrink_to_fit();
    (void)parse_pci_config(bytes);
  }
}

}  // namespace
}  // namespace nettune::facts
