// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/fix.hpp"

#include <gtest/gtest.h>
#include <set>

#include "base/text.hpp"
#include "node/profile_overlay.hpp"
#include "profile/profile.hpp"
#include "tools/doctor/observe.hpp"
#include "unit/tools/doctor/node.hpp"
#include "unit/tools/doctor/shipped_rules.hpp"

namespace nettune::tools::doctor {
namespace {

Fix fix_for(const Machine& machine, const std::vector<Ignore>& ignores = {},
            const std::string& parent = "") {
  const std::vector<checks::Rule>& rules = test::shipped_rules();
  const Judged judged = judge(rules, machine, observe(machine), {ignores, "2026-11-24"});
  return fix_of(judged, machine, "doctor-fix", parent);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(DoctorFix, AHealthyNodeNeedsNone) {
  const Fix fix = fix_for(test::training_node());
  EXPECT_EQ(fix.profile, "");
  EXPECT_TRUE(fix.mends.empty());
  EXPECT_TRUE(fix.leaves.empty());
}

TEST(DoctorFix, ExactlyTheFindingsThatAreSettings) {
  Machine machine = test::training_node();
  machine.numa_balancing = std::string("1");
  machine.own_name.value->addresses = {"127.0.1.1"};
  machine.ports[0].active_mtu = 1024;
  const Fix fix = fix_for(machine, {}, "rocev2-200g");
  EXPECT_TRUE(has(fix.profile, "extends = [\"rocev2-200g\"]\n"));
  EXPECT_TRUE(has(fix.profile, "sysctl.\"kernel.numa_balancing\" = 0\n"));
  EXPECT_TRUE(has(fix.profile, "devices.if10.match.name = \"fab0\"\nlink.if10.mtu = 9000\n"));
  EXPECT_FALSE(has(fix.profile, "fab1"));
  EXPECT_FALSE(has(fix.profile, "memlock"));
  EXPECT_EQ(std::set<std::string>(fix.mends.begin(), fix.mends.end()),
            (std::set<std::string>{"numa-balancing", "roce-mtu"}));
  EXPECT_TRUE(has(join(fix.leaves, " "), "name-own"));
}

TEST(DoctorFix, WhatTheSiteIgnoresIsLeftAlone) {
  Machine machine = test::training_node();
  machine.numa_balancing = std::string("1");
  EXPECT_EQ(fix_for(machine, {{"numa-balancing", "", "", "it is meant so"}}).profile, "");
}

TEST(DoctorFix, AnInterfaceThatIsNoNameForASetIsLeftToAPerson) {
  Machine machine = test::training_node();
  machine.ports[0].active_mtu = 1024;
  for (facts::NetDevice& device : machine.facts.net)
    if (device.name == "fab0") device.name = "fab\"*";
  machine.facts.rdma[0].ports[0].netdev = "fab\"*";
  const Fix fix = fix_for(machine);
  EXPECT_EQ(fix.profile, "");
  EXPECT_TRUE(has(join(fix.leaves, " "), "roce-mtu"));
}

/// Rules and profiles are data of the same package: a setting that is none would be found by a
/// user.
TEST(DoctorFix, EverySettingIsOfAProfile) {
  Machine machine = test::training_node();
  facts::Observation seen;
  seen.device = "fab0";
  Judged judged;
  const std::vector<checks::Rule> rules = test::shipped_rules();
  for (const checks::Rule& rule : rules)
    if (!rule.setting.empty())
      judged.findings.push_back({&rule, checks::Opinion::fault, seen, "", std::nullopt, ""});
  ASSERT_GE(judged.findings.size(), 5U);
  const Fix fix = fix_of(judged, machine, "doctor-fix", "");
  EXPECT_EQ(fix.mends.size(), judged.findings.size());
  const auto below = posix_disk();
  node::ProfileOverlay disk(*below, "/doctor", "doctor-fix", fix.profile);
  profile::Sources sources;
  sources.directories = {"/doctor"};
  sources.site_file = "/nonexistent/site.toml";
  const auto resolved = profile::resolve(disk, sources, "doctor-fix", machine.facts);
  ASSERT_TRUE(resolved) << resolved.error().file << ":" << resolved.error().line << ": "
                        << resolved.error().text << "\n"
                        << fix.profile;
  EXPECT_TRUE(resolved->misfits.empty()) << join(resolved->misfits, "; ");
  EXPECT_GE(resolved->desired.settings.size(), fix.mends.size());
}

}  // namespace
}  // namespace nettune::tools::doctor
