// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "tools/compare/findings.hpp"

namespace nettune::tools::compare {

using Json = nlohmann::ordered_json;

inline std::string shipped_rules() {
  std::ifstream file(std::string(NETTUNE_SOURCE_DIR) + "/catalog/compare.toml");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline const Rules& rules() {
  static const Rules rules = [] {
    auto parsed = parse_rules(shipped_rules(), "compare.toml");
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text);
    return parsed ? *parsed : Rules{};
  }();
  return rules;
}

/// What `nettune facts --json` prints on node `i`: two GPUs, two RoCE ports, as docs/schema/facts
/// has it.
inline Json facts(int i) {
  const std::string last = std::to_string(i);
  Json net = Json::array();
  net.push_back({{"name", "lo"},
                 {"ifindex", 1},
                 {"mtu", 65536},
                 {"mac", "00:00:00:00:00:00"},
                 {"link_layer", "Loopback"},
                 {"addresses", {"127.0.0.1/8"}}});
  net.push_back({{"name", "docker0"},
                 {"ifindex", 9 + i},
                 {"kind", "bridge"},
                 {"mac", "02:42:00:00:00:01"},
                 {"addresses", {"172.17.0.1/16"}}});
  net.push_back({{"name", "veth" + last}, {"kind", "veth"}, {"mtu", 1500}});
  Json rdma = Json::array();
  for (int port = 0; port < 2; ++port) {
    const std::string netdev = "ens" + std::to_string(port);
    const std::string address = "0000:" + std::to_string(20 + port) + ":00.0";
    net.push_back({{"name", netdev},
                   {"ifindex", 2 + port},
                   {"mtu", 9000},
                   {"mac", "b8:ce:f6:00:0" + std::to_string(port) + ":" + last},
                   {"link_layer", "Ethernet"},
                   {"carrier", true},
                   {"addresses", {"10." + std::to_string(port) + ".0." + last + "/16"}}});
    const Json gids = {{{"index", 0}, {"gid", "fe80::" + last}, {"type", "IB/RoCE v1"}},
                       {{"index", 3},
                        {"gid", "0000:0000:0000:0000:0000:ffff:0a00:000" + last},
                        {"type", "RoCE v2"}}};
    rdma.push_back({{"name", "mlx5_" + std::to_string(port)},
                    {"pci_address", address},
                    {"pci_id", "15b3:1021"},
                    {"node_guid", "b8ce:f603:0000:0" + std::to_string(port) + last},
                    {"firmware", "28.39.1002"},
                    {"ports",
                     {{{"number", 1},
                       {"link_layer", "Ethernet"},
                       {"state", "ACTIVE"},
                       {"rate", "400 Gb/sec (4X NDR)"},
                       {"rate_gbps", 400.0},
                       {"netdev", netdev},
                       {"gids", gids}}}}});
  }
  return {{"schema", 1},
          {"kind", "facts"},
          {"nettune", "0.1.0"},
          {"node",
           {{"hostname", "gpu" + last},
            {"kernel", "6.1.0-37-amd64"},
            {"architecture", "x86_64"},
            {"machine_id", "machine" + last},
            {"boot_id", "boot" + last},
            {"cpus", 192}}},
          {"net", net},
          {"rdma", rdma},
          {"gpus",
           {{{"pci_address", "0000:40:00.0"}, {"pci_id", "10de:2330"}, {"driver", "nvidia"}},
            {{"pci_address", "0000:41:00.0"}, {"pci_id", "10de:2330"}, {"driver", "nvidia"}}}},
          {"at_work", Json::array()},
          {"services", {"ssh", "chrony"}}};
}

inline void gather(Gatherer& gatherer, const Json& document, const std::string& file) {
  std::string text = document.dump(2);
  gatherer.begin_file(file);
  const auto read = json::read_in_place(text, gatherer);
  EXPECT_TRUE(read) << (read ? "" : read.error().text);
}

/// `count` nodes, each changed by `edit`.
inline Fleet fleet_of(int count, const std::function<void(int, Json&)>& edit,
                      const Rules& by = rules()) {
  Gatherer gatherer(by);
  for (int i = 0; i < count; ++i) {
    Json document = facts(i);
    edit(i, document);
    gather(gatherer, document, "node" + std::to_string(i) + ".json");
  }
  Fleet fleet = std::move(gatherer.fleet());
  fleet.finish();
  return fleet;
}

inline std::string names(const Fleet& fleet, const std::vector<std::uint32_t>& nodes) {
  std::vector<std::string> texts;
  for (const std::uint32_t node : nodes) texts.push_back(fleet.nodes()[node].name);
  return join(texts, ",");
}

/// "differs rdma[mlx5_0].firmware 28.36@gpu1 not 28.39", one a finding.
inline std::vector<std::string> said(const Fleet& fleet, const std::string& group_by = "") {
  const auto comparison = compare(fleet, group_by);
  EXPECT_TRUE(comparison) << (comparison ? "" : comparison.error().text);
  std::vector<std::string> out;
  if (!comparison) return out;
  for (const Finding& finding : comparison->findings) {
    std::string text = cat(kind_word(finding.kind), " ", join(finding.paths, "+"));
    for (const Holders& one : finding.others)
      text += cat(" ", one.value, "@", names(fleet, one.nodes));
    if (finding.majority_count > 0) text += cat(" not ", finding.majority);
    out.push_back(std::move(text));
  }
  return out;
}

}  // namespace nettune::tools::compare
