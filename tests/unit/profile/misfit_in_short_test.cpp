// SPDX-License-Identifier: Apache-2.0
#include "profile/misfit_in_short.hpp"

#include <gtest/gtest.h>

#include "toml/load.hpp"

namespace nettune::profile {
namespace {

/// The words for a set of which devices pass only the first `passing` keys of the match, with
/// link_layer and rdma before all others.
std::string words(const std::string& match, std::size_t passing, std::size_t found = 0) {
  const auto root = toml::parse_toml("require = '>= 2'\nmatch = {" + match + "}\n", "p.toml");
  if (!root) return root.error().text;
  return misfit_in_short(
      *root, [&](const toml::Node& part) { return part.entries.size() <= passing; }, found);
}

TEST(ProfileMisfitInShort, NamesTheFirstThingThatNoDeviceIs) {
  const std::string roce = "rdma = true, link_layer = 'Ethernet', max_speed_gbps = 400";
  EXPECT_EQ(words(roce, 0), "no Ethernet port");
  EXPECT_EQ(words(roce, 1), "no Ethernet port has RDMA");
  EXPECT_EQ(words(roce, 2), "no such Ethernet port of 400 Gb/s");
  EXPECT_EQ(words(roce, 3, 1), "1 device matches, but it needs >= 2");
  EXPECT_EQ(words("addressed = true, protected = false", 0), "no port has an address");
  EXPECT_EQ(words("addressed = true, protected = false", 1), "every such port is protected");
  EXPECT_EQ(words("name = ['eth*', 'ib*']", 0), "no port is named eth* or ib*");
  EXPECT_EQ(words("driver = 'ice'", 0), "no port with driver ice");
}

}  // namespace
}  // namespace nettune::profile
