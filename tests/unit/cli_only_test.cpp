// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "facts/facts.hpp"
#include "fake_provider.hpp"
#include "node/devices.hpp"
#include "node/only.hpp"

namespace nettune::cli {
namespace {

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
  const auto kept = keep_only(desired, {asked}, std::nullopt, DeviceNames(facts), providers);
  EXPECT_TRUE(kept) << kept.error().text;
  std::vector<std::string> sets;
  for (const Member& member : desired.members) sets.push_back(member.set);
  return sets;
}

// A device of a set of which nothing was applied must not be missed later.
TEST(CliOnly, MembersAreOfTheSetsThatItConcerns) {
  using Sets = std::vector<std::string>;
  EXPECT_EQ(sets_of("link:e0:mtu"), (Sets{"fabric"}));
  EXPECT_EQ(sets_of("rdma:m1/1:cma-roce-tos"), (Sets{"ports"}));
  EXPECT_EQ(sets_of("firewall:nft/inet/f/input#storage-tcp4"), (Sets{"storage"}));
  EXPECT_EQ(sets_of("sysctl:a.b"), Sets{});
  EXPECT_EQ(sets_of("nccl.conf:NCCL_IB_HCA"), (Sets{"fabric", "storage", "ports"}))
      << "a variable does not say of which";
}

TEST(CliOnly, WhatMustBeWrittenFirstIsIncluded) {
  test::FakeKernel kernel;
  kernel.appears_after = {{"fake:late", "fake:first"}};
  Providers providers;
  providers.add(std::make_unique<test::FakeProvider>("fake", kernel));
  Desired desired;
  desired.profile = "p";
  for (const char* const address : {"fake:first", "fake:late", "fake:other"})
    desired.settings.push_back(of_device(address, ""));
  const facts::Facts facts;
  const auto kept = keep_only(desired, {"fake:late"}, std::nullopt, DeviceNames(facts), providers);
  ASSERT_TRUE(kept) << kept.error().text;
  EXPECT_EQ(*kept, (std::vector<std::string>{"fake:first", "fake:late"}));
  EXPECT_EQ(desired.settings.size(), 2U);
}

}  // namespace
}  // namespace nettune::cli
