// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "firewall/rules/opening.hpp"

namespace nettune::kinds::firewall {

inline nettune::firewall::rules::Network network(const std::string& text) {
  const auto parsed = nettune::firewall::rules::parse_network(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : nettune::firewall::rules::Network();
}

inline nettune::firewall::rules::Opening tcp(const std::vector<std::string>& peers) {
  nettune::firewall::rules::Opening opening;
  for (const std::string& peer : peers) opening.peers.push_back(network(peer));
  opening.ipv6 = !opening.peers.empty() && opening.peers.front().ipv6;
  opening.ports = {{29400, 29400}, {32768, 60999}};
  opening.interfaces = {"eth1", "eth2"};
  return opening;
}

}  // namespace nettune::kinds::firewall
