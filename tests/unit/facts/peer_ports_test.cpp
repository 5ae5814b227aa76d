// SPDX-License-Identifier: Apache-2.0
#include "facts/peer_ports.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "facts/collect.hpp"
#include "kernel/pci.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::facts {
namespace {

using namespace test;

/// Configuration space with ACS at 0x100, or none.
std::string config(std::optional<int> acs) {
  std::string bytes(4096, '\0');
  bytes[0] = 0x01;
  if (!acs) return bytes;
  const std::string capability{0x0d, 0x00, 0x01, 0x00, 0x1f, 0x00, static_cast<char>(*acs), 0x00};
  return bytes.replace(0x100, capability.size(), capability);
}

/// A switch with a GPU, its sound, a card of two functions with virtual ones, and an NVMe disk; a
/// GPU and a card at root ports of their own.
class FactsPeerPorts : public ::testing::Test {
 protected:
  FactsPeerPorts() {
    for (const char* at : {kRoot, kUp, kDown1, kDown2, kDown3, kRoot2}) bridge(at);
    node.pci(cat(kDown1, "/0000:3d:00.0"), "0x10de", "0x2330", "nvidia", 0, "0x030200");
    node.pci(cat(kDown1, "/0000:3d:00.1"), "0x10de", "0x22bc", "", 0, "0x040300");
    const std::string card = cat(kDown2, "/0000:3e:00.0");
    node.pci(card, "0x15b3", "0x1021", "mlx5_core", 0);
    node.rdma("mlx5_0", card, "Ethernet", "4: ACTIVE", "200 Gb/sec (4X HDR)");
    node.pci(cat(kDown2, "/0000:3e:01.2"), "0x15b3", "0x101e", "mlx5_core", 0);
    node.symlink(cat("sys/devices/", kDown2, "/0000:3e:01.2/physfn"), "../0000:3e:00.0");
    node.pci(cat(kDown3, "/0000:3f:00.0"), "0x144d", "0xa80a", "nvme", 0, "0x010802");
    node.pci(cat(kRoot2, "/0000:40:00.0"), "0x10de", "0x2330", "nvidia", 0, "0x030200");
  }
  static constexpr const char* kRoot = "pci0000:3a/0000:3a:00.0";
  static constexpr const char* kUp = "pci0000:3a/0000:3a:00.0/0000:3b:00.0";
  static constexpr const char* kDown1 = "pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0";
  static constexpr const char* kDown2 = "pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:08.0";
  static constexpr const char* kDown3 = "pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:0c.0";
  static constexpr const char* kRoot2 = "pci0000:3a/0000:3a:01.0";

  void bridge(const char* at, std::optional<int> acs = 0x1d) {
    node.pci(at, "0x1000", "0xc030", "pcieport", 0, "0x060400");
    node.file(cat("sys/devices/", at, "/config"), config(acs));
  }
  kernel::Directory root() { return kernel::Directory::open_node(node.root()).value(); }

  FakeNode node;
};

TEST_F(FactsPeerPorts, PortsAreKnownByTheirPathAndByWhatIsBehind) {
  bridge(kUp, std::nullopt);
  const auto facts = collect(node.sources());
  ASSERT_TRUE(facts) << facts.error().text;
  std::vector<std::string> found;
  for (const PeerPort& port : facts->peer_ports)
    found.push_back(cat(port.path, " = ", port.pci_address, port.has_acs == true ? " acs" : "",
                        ": ", join(port.ends, " "), "; ", join(port.others, " ")));
  EXPECT_EQ(found, (std::vector<std::string>{
                       "0000:3a:00.0 = 0000:3a:00.0 acs: 0000:3d:00.0 0000:3e:00.0; 0000:3f:00.0",
                       "0000:3a:01.0 = 0000:3a:01.0 acs: 0000:40:00.0; ",
                       "0000:3a:00.0/00.0 = 0000:3b:00.0: 0000:3d:00.0 0000:3e:00.0; 0000:3f:00.0",
                       "0000:3a:00.0/00.0/04.0 = 0000:3c:04.0 acs: 0000:3d:00.0; ",
                       "0000:3a:00.0/00.0/08.0 = 0000:3c:08.0 acs: 0000:3e:00.0; "}));
  EXPECT_TRUE(facts->guests.empty());
}

TEST_F(FactsPeerPorts, AnUnreadableRegisterIsUnknown) {
  node.file(cat("sys/devices/", kDown1, "/config"), config(0x1d).substr(0, 64));
  const auto facts = collect(node.sources());
  ASSERT_EQ(facts->peer_ports.size(), 5U);
  EXPECT_FALSE(facts->peer_ports[3].has_acs);
  EXPECT_FALSE(kernel::read_port_acs(root(), "0000:3c:04.0").redirects);
  EXPECT_EQ(kernel::read_port_acs(root(), "0000:3c:08.0").redirects, true);
  bridge(kDown2, 0x11);  // source validation and upstream forwarding
  EXPECT_EQ(kernel::read_port_acs(root(), "0000:3c:08.0").redirects, false);
}

TEST_F(FactsPeerPorts, ThePathOfTheKernelFindsTheDevice) {
  EXPECT_EQ(kernel::find_by_pci_path(root(), "0000:3a:00.0/00.0/04.0"), "0000:3c:04.0");
  EXPECT_EQ(kernel::find_by_pci_path(root(), "3a:00.0"), "0000:3a:00.0");
  for (const char* const none : {"0000:3a:00.0/00.0/05.0", "0000:3a:02.0", "", "x", "/00.0"})
    EXPECT_FALSE(kernel::find_by_pci_path(root(), none)) << none;
}

TEST_F(FactsPeerPorts, GuestsAreSeenByTheirDriverAndTheirFiles) {
  node.directory("sys/module/vfio_pci");
  node.file("etc/libvirt/qemu/a.xml", "<domain/>");
  node.file("etc/libvirt/qemu/networks", "");
  EXPECT_EQ(read_guests(root()),
            (std::vector<std::string>{"vfio_pci is loaded", "/etc/libvirt/qemu/a.xml is a guest"}));
}

}  // namespace
}  // namespace nettune::facts
