// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "node/qualify/evidence.hpp"
#include "unit/support/facts_tree.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::node::qualify {

inline const Hardware kCard{"mlx5_core", "6.1.0-37-amd64", "22.35.1012 (MT_0000000359)",
                            "15b3:101d", "6.1"};

inline EvidenceSetting tried(std::string address, TrialResult result) {
  EvidenceSetting setting;
  setting.tried.address.text = std::move(address);
  setting.tried.before = "0";
  setting.tried.wanted = "3";
  setting.tried.result = result;
  return setting;
}

inline Evidence sample() {
  Evidence evidence;
  evidence.time_s = 1'700'000'000;
  evidence.device = "eth0";
  evidence.hardware = kCard;
  evidence.node.kernel = "6.1.0-37-amd64";
  evidence.profile = "rocev2-100g";
  evidence.settings = {tried("dcb:eth0:pfc", TrialResult::held),
                       tried("ethtool:eth0:ring-rx", TrialResult::refused)};
  return evidence;
}

/// Two interfaces, of which one has an RDMA device.
inline facts::Facts rdma_node() {
  facts::Facts facts;
  for (const char* const name : {"eth0", "eth1"}) {
    facts::NetDevice device;
    device.name = name;
    facts.net.push_back(device);
  }
  facts.net[0].rdma_devices = {"mlx5_0"};
  facts::RdmaDevice rdma;
  rdma.name = "mlx5_0";
  facts.rdma.push_back(rdma);
  return facts;
}

inline KnownEvidence known() {
  auto parsed = parse_evidence(evidence_json(sample()));
  EXPECT_TRUE(parsed) << parsed.error().text;
  parsed->file = "/etc/nettune/evidence/e.json";
  return *parsed;
}

}  // namespace nettune::node::qualify
