// SPDX-License-Identifier: Apache-2.0
#include "facts/json.hpp"

#include <gtest/gtest.h>
#include <string>

#include "base/text.hpp"

namespace nettune::facts {
namespace {

Facts full() {
  Facts facts;
  facts.node = {"gpu17", "debian", "12", "6.1.0-37-amd64", "x86_64", "0123", "4567", "docker", 128};
  NetDevice device;
  device.name = "ens1f0np0";
  device.ifindex = 4;
  device.identity = "pci 0000:3b:00.0 port 0";
  device.kind = "bond";
  device.physical = true;
  device.driver = "mlx5_core";
  device.pci_address = "0000:3b:00.0";
  device.pci_id = "15b3:1021";
  device.numa_node = 0;
  device.near_cpus = "0-31,64-95";
  device.interrupts = 65;
  device.speed_mbps = 100000;
  device.max_speed_mbps = 200000;
  device.mtu = 9000;
  device.min_mtu = 68;
  device.max_mtu = 9978;
  device.txqueuelen = 0;
  device.mac = "0c:42:a1:00:00:01";
  device.permanent_mac = "0c:42:a1:00:00:02";
  device.operstate = "up";
  device.carrier = false;
  device.link_layer = "Ethernet";
  device.addresses = {"10.0.0.1/24"};
  device.lowers = {"eth1"};
  device.uppers = {"bond0", "vlan\"7\n"};
  device.master = "bond0";
  device.rdma_devices = {"mlx5_0"};
  device.default_route = true;
  device.protected_by = {"carries the default route (IPv4, table main)"};
  facts.net = {device, NetDevice{}};
  facts.net[1].name = "lo";
  RdmaPort port;
  port.link_layer = "Ethernet";
  port.state = "ACTIVE";
  port.physical_state = "LinkUp";
  port.rate = "200 Gb/sec (4X HDR)";
  port.rate_gbps = 200;
  port.netdev = "ens1f0np0";
  port.gids = {{3, "0000::1", "RoCE v2", "ens1f0np0"}};
  facts.rdma = {{"mlx5_0",
                 "rdma pci 0000:3b:00.0",
                 "mlx5_core",
                 "0000:3b:00.0",
                 "15b3:101e",
                 true,
                 "9803:9b03",
                 "28.39",
                 1,
                 {port}}};
  facts.gpus = {{"0000:1b:00.0", "10de:2330", "nvidia", 0}};
  facts.at_work = {{"slurmd", 77, "runs"}};
  facts.firewall = {"firewalld",
                    "it is on the bus",
                    {{"inet", "filter", "input", "input", -5, "drop", "firewalld", true}},
                    "public",
                    {{"trusted", "default", {"ens1f0np0"}, {"10.9.0.0/16"}}},
                    false,
                    true};
  facts.ssh = {{"10.0.0.1", 22, "10.0.0.9", "mgmt0", "ens1f0np0"}};
  facts.services = {"slurmd"};
  facts.notes = {"a note"};
  return facts;
}

TEST(FactsJson, RoundTrip) {
  const std::string text = to_json(full());
  const auto read = from_json(text);
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(read->firewall.chains.at(0).priority, -5);
  EXPECT_TRUE(read->firewall.chains.at(0).can_drop);
  EXPECT_EQ(read->firewall.zones.at(0).interfaces.at(0), "ens1f0np0");
  EXPECT_EQ(read->ssh.at(0).local_port, 22);
  EXPECT_EQ(read->ssh.at(0).leaves_by, "ens1f0np0");
  EXPECT_EQ(read->net.at(0).master, "bond0");
  const NetDevice& device = read->net.at(0);
  EXPECT_EQ(device.numa_node, 0);
  EXPECT_EQ(device.near_cpus, "0-31,64-95");
  EXPECT_EQ(device.interrupts, 65);
  EXPECT_EQ(device.txqueuelen, 0);
  EXPECT_EQ(device.carrier, false);
  EXPECT_TRUE(device.physical);
  EXPECT_TRUE(device.default_route);
  EXPECT_EQ(device.uppers.at(1), "vlan\"7\n");
  EXPECT_EQ(read->rdma.at(0).ports.at(0).rate_gbps, 200);
  EXPECT_EQ(read->rdma.at(0).ports.at(0).gids.at(0).index, 3);
  EXPECT_EQ(read->node.cpus, 128);
  EXPECT_EQ(read->find_net("lo"), &read->net[1]);
  EXPECT_EQ(read->find_net("none"), nullptr);
}

TEST(FactsJson, SchemaComesFirstAndTheUnknownIsLeftOut) {
  Facts facts;
  facts.net.emplace_back();
  facts.net[0].name = "lo";
  const std::string text = to_json(facts);
  EXPECT_TRUE(text.starts_with("{\n  \"schema\": 1,\n"));
  EXPECT_TRUE(text.ends_with("}\n"));
  for (const char* word : {"mtu", "speed", "numa", "addresses", "rdma", "hostname", "null"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  }
}

TEST(FactsJson, BytesThatAreNoUtf8DoNotBreakTheDocument) {
  Facts facts;
  facts.net.emplace_back();
  facts.net[0].name = "eth\xff";
  EXPECT_TRUE(from_json(to_json(facts)));
}

std::string problem(const std::string& text) {
  const auto read = from_json(text);
  if (read) return "";
  EXPECT_EQ(read.error().code, Errc::invalid);
  return read.error().text;
}

TEST(FactsJson, ErrorsNameThePlace) {
  const auto in_net = [](const std::string& member) {
    return problem(cat(R"({"schema":1,"node":{},"net":[{"name":"a"},{"name":"b",)", member, "}]}"));
  };
  EXPECT_NE(in_net(R"("mtu":"9000")").find("net[1].mtu: expected an integer, found string"),
            std::string::npos);
  EXPECT_NE(in_net(R"("mtu":9000.5)").find("net[1].mtu"), std::string::npos);
  EXPECT_NE(in_net(R"("mtu":99999999999)").find("net[1].mtu: is out of range"), std::string::npos);
  EXPECT_NE(in_net(R"("mtu":18446744073709551615)").find("out of range"), std::string::npos);
  EXPECT_NE(in_net(R"("mtu":-99999999999)").find("out of range"), std::string::npos);
  EXPECT_NE(in_net(R"("carrier":1)").find("net[1].carrier"), std::string::npos);
  EXPECT_NE(in_net(R"("lowers":["x",3])").find("net[1].lowers[1]: expected a string"),
            std::string::npos);
  EXPECT_NE(problem(R"({"schema":1,"node":{},"net":[{}]})").find("net[0].name: is missing"),
            std::string::npos);
  EXPECT_NE(problem(R"({"schema":1,"node":[]})").find("node: expected an object, found array"),
            std::string::npos);
  EXPECT_NE(problem(R"({"node":{}})").find("schema: is missing"), std::string::npos);
  EXPECT_NE(problem("[]").find("the document: expected an object"), std::string::npos);
}

TEST(FactsJson, AnotherSchemaIsSaid) {
  EXPECT_NE(problem(R"({"schema":2,"other":true})").find("schema: is 2, but this nettune reads 1"),
            std::string::npos);
  EXPECT_NE(problem(R"({"schema":"1"})").find("schema"), std::string::npos);
}

TEST(FactsJson, BombsAndRubbishAreOneError) {
  EXPECT_NE(problem(std::string(2000000, '[')).find("nested deeper"), std::string::npos);
  EXPECT_NE(problem(""), "");
  EXPECT_NE(problem("{\"schema\":1"), "");
  EXPECT_NE(problem(std::string("{\"schema\":1,\"node\":{\"hostname\":\"\x01\xff\"}}")), "");
  EXPECT_NE(problem(R"({"schema":1e400})"), "");
  // Brackets in a string are none.
  EXPECT_TRUE(from_json(cat(R"({"schema":1,"node":{"hostname":")", std::string(100, '['), "\"}}")));
  EXPECT_TRUE(from_json(R"({"schema":1,"node":{"hostname":"\"[[[[[[[[[[[[[[[[[[[[["}})"));
}

TEST(FactsJson, MembersOfALaterVersionAreSkipped) {
  EXPECT_TRUE(from_json(R"({"schema":1,"node":{"color":[1,{}]},"more":null})"));
}

}  // namespace
}  // namespace nettune::facts
