// SPDX-License-Identifier: Apache-2.0
#include "node/setting_selection.hpp"

#include <gtest/gtest.h>

#include "base/disk.hpp"
#include "core/state.hpp"
#include "facts/facts.hpp"
#include "node/devices.hpp"
#include "unit/support/fake_provider.hpp"

namespace nettune::node {
namespace {

using namespace test;

Setting of_device(const std::string& address, const std::string& device) {
  Setting setting;
  setting.address = Address{address};
  setting.want = "1";
  setting.device = device;
  return setting;
}

/// The sets whose members are recorded for what was asked for.
std::vector<std::string> sets_of(const std::string& asked) {
  Desired desired;
  desired.profile = "p";
  desired.settings = {of_device("link:e0:mtu", "pci a port 0"),
                      of_device("link:e1:mtu", "pci b port 0"),
                      of_device("rdma:m1/1:cma-roce-tos", "pci c port 1"),
                      of_device("nccl.conf:NCCL_IB_HCA", ""),
                      of_device("sysctl:a.b", ""),
                      of_device("firewall:nft/inet/f/input#storage-tcp4", "")};
  desired.variables = {{"NCCL_IB_HCA", "m0,m1", true, false, {}}};
  desired.admissions = {{"storage-tcp4", "accept tcp 1 from 10.0.0.0/8 in e1", {}}};
  desired.members = {{"fabric", "e0", "pci a port 0"},
                     {"storage", "e1", "pci b port 0"},
                     {"ports", "m1/1", "pci c port 1"}};
  const facts::Facts facts;
  const Providers providers;
  const auto disk = posix_disk();
  State state(*disk, "/nonexistent");
  const auto kept =
      keep_selected(state, desired, {asked}, std::nullopt, DeviceNames(facts), providers);
  EXPECT_TRUE(kept) << kept.error().text;
  std::vector<std::string> sets;
  for (const Member& member : desired.members) sets.push_back(member.set);
  return sets;
}

// A device of a set of which nothing was applied must not be missed later.
TEST(NodeSettingSelection, MembersAreOfTheSetsThatItConcerns) {
  using Sets = std::vector<std::string>;
  EXPECT_EQ(sets_of("link:e0:mtu"), (Sets{"fabric"}));
  EXPECT_EQ(sets_of("rdma:m1/1:cma-roce-tos"), (Sets{"ports"}));
  EXPECT_EQ(sets_of("firewall:nft/inet/f/input#storage-tcp4"), (Sets{"storage"}));
  EXPECT_EQ(sets_of("sysctl:a.b"), Sets{});
  EXPECT_EQ(sets_of("nccl.conf:NCCL_IB_HCA"), (Sets{"fabric", "storage", "ports"}))
      << "a variable does not say of which";
}

TEST(NodeSettingSelection, WhatMustBeWrittenFirstIsIncluded) {
  test::FakeKernel kernel;
  kernel.appears_after = {{"fake:late", "fake:first"}};
  Providers providers;
  providers.add(std::make_unique<test::FakeProvider>("fake", kernel));
  Desired desired;
  desired.profile = "p";
  for (const char* const address : {"fake:first", "fake:late", "fake:other"})
    desired.settings.push_back(of_device(address, ""));
  const facts::Facts facts;
  const auto disk = posix_disk();
  State state(*disk, "/nonexistent");
  const auto kept =
      keep_selected(state, desired, {"fake:late"}, std::nullopt, DeviceNames(facts), providers);
  ASSERT_TRUE(kept) << kept.error().text;
  EXPECT_EQ(*kept, (std::vector<std::string>{"fake:first", "fake:late"}));
  EXPECT_EQ(desired.settings.size(), 2U);
}

facts::Facts with_card() {
  facts::Facts facts;
  facts.net.emplace_back().name = "e0";
  facts.net[0].identity = "pci a port 0";
  return facts;
}

Desired keys_of_e0() {
  Desired desired;
  desired.profile = "p";
  desired.settings = {of_device("link:e0:mtu", "pci a port 0"),
                      of_device("sysctl:net.ipv4.conf.e0.rp_filter", ""),
                      of_device("sysctl:net.ipv4.conf.e1.rp_filter", ""),
                      of_device("sysctl:net.ipv4.tcp_sack", "")};
  return desired;
}

// A key may name the interface itself: it is as much of that interface as its MTU.
TEST(NodeSettingSelection, AnInterfaceHasTheKeysThatNameIt) {
  const auto disk = posix_disk();
  State state(*disk, "/nonexistent");
  const Providers providers;
  Desired desired = keys_of_e0();
  const facts::Facts facts = with_card();
  const auto kept =
      keep_selected(state, desired, {"e0"}, std::nullopt, DeviceNames(facts), providers);
  ASSERT_TRUE(kept) << kept.error().text;
  EXPECT_EQ(*kept, (std::vector<std::string>{"link:e0:mtu", "sysctl:net.ipv4.conf.e0.rp_filter"}));
  EXPECT_EQ(desired.settings.size(), 2U);
}

TEST(NodeSettingSelection, WhatNamesNothingIsAMistake) {
  const auto disk = posix_disk();
  State state(*disk, "/nonexistent");
  const Providers providers;
  const facts::Facts facts = with_card();
  for (const std::string word : {"e2", "tcp_sack", "sysctl:net.ipv4.tcp_sacks"}) {
    Desired desired = keys_of_e0();
    const auto kept =
        keep_selected(state, desired, {word}, std::nullopt, DeviceNames(facts), providers);
    ASSERT_FALSE(kept) << word;
    EXPECT_EQ(kept.error().code, Errc::invalid) << kept.error().text;
  }
}

TEST(NodeSettingSelection, AReapplyTakesInterfacesAndAddresses) {
  const Providers providers;
  const facts::Facts facts = with_card();
  const DeviceNames names(facts);
  Transaction active;
  active.settings = keys_of_e0().settings;
  using Words = std::vector<std::string>;
  const auto interface =
      select_of_generation(parse_selection({"e0"}), active, {}, names, providers);
  ASSERT_TRUE(interface) << interface.error().text;
  EXPECT_EQ(interface->devices, std::set<std::string>{"pci a port 0"});
  EXPECT_EQ(interface->addresses, Words{"sysctl:net.ipv4.conf.e0.rp_filter"});
  const auto both = select_of_generation(parse_selection({"e1", "sysctl:net.ipv4.tcp_sack"}),
                                         active, {}, names, providers);
  ASSERT_TRUE(both) << both.error().text;
  EXPECT_TRUE(both->devices.empty());
  EXPECT_EQ(both->addresses,
            (Words{"sysctl:net.ipv4.conf.e1.rp_filter", "sysctl:net.ipv4.tcp_sack"}));
  EXPECT_FALSE(select_of_generation(parse_selection({"sysctl:net.ipv4.tcp_sacks"}), active, {},
                                    names, providers));
  const auto nothing = select_of_generation(parse_selection({"lo"}), active, {}, names, providers);
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(nothing->devices.empty() && nothing->addresses.empty());
}

}  // namespace
}  // namespace nettune::node
