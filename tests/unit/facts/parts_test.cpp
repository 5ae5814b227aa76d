// SPDX-License-Identifier: Apache-2.0
#include "facts/parts.hpp"

#include <gtest/gtest.h>
#include <string>

namespace nettune::facts {
namespace {

using Texts = std::vector<std::string>;

TEST(FactsPartsPciAddress, IsRecognised) {
  EXPECT_TRUE(is_pci_address("0000:3b:00.0"));
  EXPECT_TRUE(is_pci_address("10000:e1:00.7"));
  for (const char* text : {"", "pci0000:3b", "0000:3b:00", "0000:3b:00.8", "0000:3B:00.0",
                           "0000:3b:00.0x", "virtio0", "../:..:...0", "0000:3b.00:0"}) {
    EXPECT_FALSE(is_pci_address(text)) << text;
  }
}

TEST(FactsPartsTcpTable, EstablishedConnectionsOnly) {
  const std::string text =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode\n"
      "   0: 0100000A:0016 0500000A:C350 01 00000000:00000000 02:000A 00000000     0        0 4242 "
      "2 0000000000000000 20 4 30 10 -1\n"
      "   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
      "99 1\n"
      "   2: XYZ:0016 0500000A:C350 01 0:0 0:0 0 0 0 7 1\n"
      "   3: 0100000A 0500000A 01 0:0 0:0 0 0 0 7 1\n"
      "   4: 0100000A:0016 0500000A:C350 01";
  const auto connections = parse_tcp_table(text);
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].local, "10.0.0.1");
  EXPECT_EQ(connections[0].local_port, 22);
  EXPECT_EQ(connections[0].remote, "10.0.0.5");
  EXPECT_EQ(connections[0].inode, 4242U);
}

TEST(FactsPartsTcpTable, MappedAddressesAreIpv4) {
  const auto connections = parse_tcp_table(
      "0: 0000000000000000FFFF00000100000A:0016 0000000000000000FFFF00000500000A:1234 01 0:0 0:0 0 "
      "0 0 7 1\n"
      "1: 000080FE00000000FF005450000001FE:0016 B80D0120000000000000000001000000:1234 01 0:0 0:0 0 "
      "0 0 8 1\n");
  ASSERT_EQ(connections.size(), 2U);
  EXPECT_EQ(connections[0].local, "10.0.0.1");
  EXPECT_EQ(connections[0].remote, "10.0.0.5");
  EXPECT_EQ(connections[1].local, "fe80::5054:ff:fe01:0");
  EXPECT_EQ(connections[1].remote, "2001:db8::1");
}

TEST(FactsPartsAddresses, AreFoundInSources) {
  EXPECT_EQ(find_addresses("10.0.0.1@tcp:10.0.0.2@tcp"), (Texts{"10.0.0.1", "10.0.0.2"}));
  EXPECT_EQ(find_addresses("[fd00::9]"), Texts{"fd00::9"});
  EXPECT_EQ(find_addresses("[v2:10.0.0.1:3300/0,v1:10.0.0.1:6789/0]"), Texts{"10.0.0.1"});
  EXPECT_EQ(find_addresses("fd00::9"), Texts{"fd00::9"});
  EXPECT_EQ(find_addresses("10.0.0.1:3300/10.0.0.2:3300"), (Texts{"10.0.0.1", "10.0.0.2"}));
  EXPECT_TRUE(find_addresses("server.example").empty());
  EXPECT_TRUE(find_addresses("999.1.1.1 1.2.3 ... [ [] [[").empty());
}

TEST(FactsPartsMounts, NetworkFileSystemsWithTheirServers) {
  const auto mounts = parse_network_mounts(
      "25 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 25 0:40 / /home rw shared:1 - nfs4 nas.example:/home "
      "rw,vers=4.2,clientaddr=10.0.0.1,addr=10.0.0.9\n"
      "31 25 0:41 / /home/b rw shared:1 - nfs4 nas.example:/home/b rw,addr=10.0.0.9\n"
      "32 25 0:42 / /my\\040data rw - lustre 10.1.0.1@o2ib:10.1.0.2@o2ib:/scratch rw,flock\n"
      "33 25 0:43 / /c rw - ceph admin@1234.fs=/ rw,mon_addr=10.2.0.1:3300/10.2.0.2:3300\n"
      "34 25 0:44 / /g rw - fuse.glusterfs store.example:/vol rw\n"
      "35 25 0:45 / /x rw - nfs\n"
      "rubbish\n");
  ASSERT_EQ(mounts.size(), 4U);
  EXPECT_EQ(mounts[0].what, "the nfs4 mount /home from nas.example");
  EXPECT_EQ(mounts[0].addresses, Texts{"10.0.0.9"});
  EXPECT_EQ(mounts[1].what, "the lustre mount /my data from 10.1.0.1@o2ib:10.1.0.2@o2ib");
  EXPECT_EQ(mounts[1].addresses, (Texts{"10.1.0.1", "10.1.0.2"}));
  EXPECT_EQ(mounts[2].addresses, (Texts{"10.2.0.1", "10.2.0.2"}));
  EXPECT_TRUE(mounts[3].addresses.empty());
}

}  // namespace
}  // namespace nettune::facts
