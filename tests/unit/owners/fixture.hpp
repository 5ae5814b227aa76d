// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "owners/claims.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::test {

using Texts = std::vector<std::string>;

/// A node as its files say, and what is wanted of it.
class OwnersTest : public testing::Test {
 protected:
  void want(const std::string& address, const std::string& value,
            Relation relation = Relation::exact) {
    Setting setting;
    setting.address = Address{address};
    setting.want = value;
    setting.relation = relation;
    desired.settings.push_back(std::move(setting));
  }
  std::vector<Claim> find() {
    return owners::find_claims(*disk, desired, owned, links, root.path());
  }
  /// A card, "eth0" if nothing else is said.
  owners::LinkFacts& card(const std::string& name = "eth0") {
    owners::LinkFacts facts;
    facts.name = name;
    facts.ifindex = static_cast<int>(links.size()) + 2;
    facts.mac = facts.permanent_mac = "0c:42:a1:00:00:0" + std::to_string(links.size() + 1);
    facts.driver = "mlx5_core";
    facts.link_layer = "Ethernet";
    facts.physical = true;
    links.push_back(facts);
    return links.back();
  }
  /// A unit that systemd starts at boot.
  void enable(const std::string& unit) {
    root.put("usr/lib/systemd/system/" + unit, "[Unit]\n");
    link("/usr/lib/systemd/system/" + unit, "etc/systemd/system/multi-user.target.wants/" + unit);
  }
  /// The only claim's sentence.
  std::string sentence() {
    const auto claims = find();
    return claims.size() == 1 ? claims[0].text : std::to_string(claims.size()) + " claims";
  }
  void link(const std::string& target, const std::string& name) {
    root.make(std::filesystem::path(name).parent_path());
    std::filesystem::create_symlink(target, root / name);
  }
  /// The claims as "file:line value wins|loses", sorted.
  std::vector<std::string> found() {
    std::vector<std::string> texts;
    for (const Claim& claim : find()) {
      texts.push_back(claim.file + ":" + std::to_string(claim.line) + " " + claim.value +
                      (claim.wins ? " wins" : " loses"));
      EXPECT_FALSE(claim.text.empty());
    }
    std::ranges::sort(texts);
    return texts;
  }

  Scratch root;
  Desired desired;
  std::vector<owners::LinkFacts> links;
  std::map<Address, Owned> owned;
  std::unique_ptr<Disk> disk = posix_disk();
};

/// netplan is found behind what it makes for networkd and NetworkManager.
class NetplanTest : public OwnersTest {
 protected:
  void SetUp() override {
    card();
    enable("systemd-networkd.service");
    want("link:eth0:mtu", "9000");
    made("1500");
  }
  void made(const std::string& mtu) {
    root.put("run/systemd/network/10-netplan-eth0.network",
             "[Match]\nName=eth0\n\n[Link]\nMTUBytes=" + mtu + "\n");
  }
  static constexpr const char* kYaml =
      "network:\n"
      "  version: 2\n"
      "  ethernets:\n"
      "    # the fabric\n"
      "    eth0:\n"
      "      dhcp4: false\n"
      "      routes:\n"
      "        - to: default\n"
      "          via: 192.0.2.1\n"
      "          mtu: 1400\n"
      "      mtu: 1500  # as before\n"
      "    eth1:\n"
      "      mtu: 1600\n";
};

}  // namespace nettune::test
