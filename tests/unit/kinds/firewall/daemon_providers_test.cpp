// SPDX-License-Identifier: Apache-2.0
// The backends that speak to firewalld and ufw, by themselves and under the real engine: these two
// write their files in words of their own, and a rollback takes our rules out of them and no other.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include "kinds/firewall/firewalld_provider.hpp"
#include "kinds/firewall/marked_rules.hpp"
#include "kinds/firewall/provider.hpp"
#include "kinds/firewall/ufw_provider.hpp"
#include "kinds/firewall/ufw_rule.hpp"
#include "unit/support/crash_world.hpp"
#include "unit/support/fake_nf_kernel.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::kinds::firewall {
namespace {

using namespace test;

using kernel::FirewalldChange;
using kernel::FirewalldLayer;

constexpr const char* kZoneFile = "/etc/firewalld/zones/public.xml";
constexpr const char* kUserRules = "/etc/ufw/user.rules";

std::string rich(const std::string& port) {
  return cat(R"(rule priority="-4791" family="ipv4" source address="10.10.0.0/16" port port=")",
             port, R"(" protocol="tcp" accept)");
}
std::string permanent(const std::string& port) {
  return cat("firewall:firewalld/permanent/public#", rich(port));
}
std::string runtime(const std::string& port) {
  return cat("firewall:firewalld/runtime/public#", rich(port));
}
std::string ufw(const std::string& port) {
  return cat("firewall:ufw#allow in on eth1 from 10.10.0.0/16 to any port ", port, " proto tcp");
}

/// Has one zone, and writes it as firewall/core/io/zone.py does: the whole file anew, in its own
/// words, the one before it beside it.
struct FakeFirewalld {
  explicit FakeFirewalld(ModelDisk& where) : disk(where) {}

  void write_zone() {
    const auto before = disk.read(kZoneFile, 100'000);
    if (before && *before) disk.put(cat(kZoneFile, ".old"), **before);
    std::string text = "<zone>\n";
    for (const std::string& rule : rules[FirewalldLayer::permanent]) text += cat(rule, "\n");
    disk.put(kZoneFile, text);
  }

  FirewalldCalls calls() {
    FirewalldCalls fake;
    fake.rules = [this](FirewalldLayer layer,
                        const std::string& zone) -> Result<std::vector<std::string>> {
      ++reads;
      if (broken) return fail(*broken);
      if (zone != "public") return fail(Errc::not_found, "no such zone");
      return rules[layer];
    };
    fake.change = [this](FirewalldLayer layer, const std::string&,
                         std::span<const FirewalldChange> changes) -> Result<> {
      ++connections;
      for (const FirewalldChange& change : changes) {
        if (fails_at && --*fails_at < 0) return fail(Errc::busy, "panic mode");
        auto& list = rules[layer];
        std::erase(list, change.rule);
        if (change.add) list.push_back(change.rule);
        if (layer == FirewalldLayer::permanent) write_zone();
      }
      return {};
    };
    return fake;
  }

  ModelDisk& disk;
  std::map<FirewalldLayer, std::vector<std::string>> rules;
  std::optional<Error> broken;
  std::optional<int> fails_at;
  int reads = 0;
  int connections = 0;
};

/// Does what the ufw command does with its file, and sorts, for once.
struct FakeUfw {
  explicit FakeUfw(ModelDisk& where) : disk(where) {}

  UfwCalls calls() {
    UfwCalls fake;
    fake.has_chain = [this](bool) -> Result<bool> { return has_chain; };
    fake.run = [this](const kernel::CommandLine& command) -> Result<kernel::Finished> {
      said.push_back(join(command.words, " "));
      if (status != 0) return kernel::Finished{status, "ERROR: problem running iptables\n"};
      const auto& word = command.words;
      const auto at = std::ranges::find(word, "/usr/sbin/ufw") - word.begin();
      const bool add = word[static_cast<std::size_t>(at) + 1] == "prepend";
      const auto rule = static_cast<std::size_t>(at) + 2;
      const std::string tuple = cat("allow ", word[rule + 11], ' ', word[rule + 9],
                                    " 0.0.0.0/0 any ", word[rule + 5], " in_", word[rule + 3]);
      if (skips) return kernel::Finished{0, "Skipping inserting existing rule\n"};
      if (add)
        tuples.insert(tuple);
      else
        tuples.erase(tuple);
      write_rules();
      return kernel::Finished{0, "Rule inserted\n"};
    };
    return fake;
  }

  void add(const std::string& tuple) {
    tuples.insert(tuple);
    write_rules();
  }

  void write_rules() {
    std::string text = "*filter\n### RULES ###\n";
    for (const std::string& each : tuples)
      text += cat("\n### tuple ### ", each, " comment=6e657474756e65\n-A ufw-user-input\n");
    disk.put(kUserRules, text, 0640);
  }

  ModelDisk& disk;
  std::set<std::string> tuples;
  std::vector<std::string> said;
  int status = 0;
  bool skips = false;
  bool has_chain = true;
};

/// A node with both, which no real one has.
struct Node {
  Node() {
    for (const char* const path :
         {"/var", "/var/lib", "/etc", "/etc/firewalld", "/etc/firewalld/zones", "/etc/ufw"})
      world.disk->put_directory(path);
    world.disk->put(kUserRules, "*filter\n# by hand\n", 0640);
  }
  std::unique_ptr<Session> session() {
    auto made = std::make_unique<Session>(world);
    FirewallProvider::Backends backends;
    backends.firewalld = std::make_unique<FirewalldFirewall>(*world.disk, firewalld.calls());
    backends.ufw = std::make_unique<UfwFirewall>(*world.disk, ufw.calls());
    made->providers.add(std::make_unique<FirewallProvider>(std::move(backends)));
    return made;
  }
  World world;
  FakeFirewalld firewalld{*world.disk};
  FakeUfw ufw{*world.disk};
};

Desired profile(const std::vector<std::string>& addresses) {
  Desired desired;
  desired.profile = "test";
  for (const std::string& address : addresses)
    desired.settings.push_back(setting(address, "present"));
  test::sort_settings(desired);
  return desired;
}

std::string canonical(const Provider& provider, const std::string& address, Value want) {
  const auto value = provider.canonical(Address{address}, want);
  return !value ? "refused" : value->value_or("absent");
}

// --- by themselves -------------------------------------------------------------------------------

TEST(KindsFirewallFirewalldProvider, Canonical) {
  ModelDisk disk;
  const FirewalldFirewall provider(disk);
  EXPECT_EQ(canonical(provider, permanent("29500"), "present"), "present");
  EXPECT_EQ(canonical(provider, runtime("29500"), " present\n"), "present");
  EXPECT_EQ(canonical(provider, runtime("29500"), {}), "absent");
  EXPECT_EQ(canonical(provider, permanent("29500"), "accept"), "refused");
  for (const std::string& bad : {permanent("0"), permanent("29500\" x=\""),
                                 std::string("firewall:firewalld/permanent/public"),
                                 cat("firewall:firewalld/permanent/#", rich("1")),
                                 cat("firewall:firewalld/permanent/../../x#", rich("1")),
                                 cat("firewall:firewalld/other/public#", rich("1")),
                                 std::string("firewall:firewalld/runtime/public#rule accept")})
    EXPECT_EQ(canonical(provider, bad, "present"), "refused") << bad;
}

TEST(KindsFirewallFirewalldProvider, OneCallAZoneAndWhatItAnswers) {
  ModelDisk disk;
  FakeFirewalld daemon(disk);
  daemon.rules[FirewalldLayer::runtime] = {rich("29500")};
  FirewalldFirewall provider(disk, daemon.calls());
  const std::vector<Address> addresses = {
      Address{runtime("29500")}, Address{runtime("29501")}, Address{permanent("29500")},
      Address{cat("firewall:firewalld/runtime/gone#", rich("1"))}};
  const auto readings = provider.read(addresses);
  ASSERT_EQ(readings.size(), 4U);
  EXPECT_EQ(readings[0].value(), "present");
  EXPECT_EQ(readings[1].presence, Presence::absent);
  EXPECT_EQ(readings[2].presence, Presence::absent);
  EXPECT_EQ(readings[3].presence, Presence::missing);
  EXPECT_EQ(daemon.reads, 3);
  daemon.broken = Error{Errc::not_found, "firewalld is not running", 0, {}, 0};
  EXPECT_EQ(read_one(provider, runtime("1")).presence, Presence::missing);
  EXPECT_EQ(read_one(provider, permanent("1")).presence, Presence::missing);
  EXPECT_EQ(read_one(provider, permanent("1")).why, "firewalld is not running");
  for (const char* const path : {"/etc", "/etc/firewalld", "/etc/firewalld/zones"})
    disk.put_directory(path);
  disk.put(kZoneFile, R"(<zone><rule family="ipv4" priority="-4791">
    <source address="10.10.0.0/16"/><port port="1" protocol="tcp"/><accept/></rule></zone>)");
  EXPECT_EQ(read_one(provider, permanent("1")).value(), "present") << "it will be there again";
  EXPECT_EQ(read_one(provider, runtime("1")).presence, Presence::missing);
  daemon.broken = Error{Errc::denied, "it refuses this user", 0, {}, 0};
  EXPECT_EQ(read_one(provider, permanent("1")).presence, Presence::not_permitted);
  EXPECT_EQ(provider.unit(addresses[0]), "firewall:firewalld/runtime/public");
}

TEST(KindsFirewallUfwProvider, Canonical) {
  ModelDisk disk;
  const UfwFirewall provider(disk);
  EXPECT_EQ(canonical(provider, ufw("29500"), "present"), "present");
  EXPECT_EQ(canonical(provider, ufw("29500"), {}), "absent");
  EXPECT_EQ(canonical(provider, ufw("29500"), "yes"), "refused");
  for (const std::string& bad :
       {ufw("0"), ufw("1 proto tcp; reboot"), std::string("firewall:ufw"),
        std::string("firewall:ufw#disable"), std::string("firewall:ufw/x#allow")})
    EXPECT_EQ(canonical(provider, bad, "present"), "refused") << bad;
}

TEST(KindsFirewallUfwProvider, ReadsItsFileAndSaysWhenItIsNotAtWork) {
  ModelDisk disk;
  for (const char* const path : {"/etc", "/etc/ufw"}) disk.put_directory(path);
  FakeUfw command(disk);
  UfwFirewall provider(disk, command.calls());
  EXPECT_EQ(read_one(provider, ufw("29500")).presence, Presence::missing) << "no file";
  disk.put(kUserRules, "### tuple ### allow tcp 29500 0.0.0.0/0 any 10.10.0.0/16 in_eth1\n");
  EXPECT_EQ(read_one(provider, ufw("29500")).value(), "present") << "whatever its comment";
  EXPECT_EQ(read_one(provider, ufw("29501")).presence, Presence::absent);
  disk.put(kUserRules, "### tuple ### deny_log tcp 29500 0.0.0.0/0 any 10.10.0.0/16 in_eth1\n");
  EXPECT_EQ(read_one(provider, ufw("29500")).value(), "deny_log") << "what the site says there";
  EXPECT_NE(
      provider.effects(Address{ufw("29500")}, "deny_log", "present").not_permitted.find("deny_log"),
      std::string::npos);
  command.has_chain = false;
  EXPECT_EQ(read_one(provider, ufw("29500")).presence, Presence::missing);
  EXPECT_NE(read_one(provider, ufw("29500")).why.find("ufw reload"), std::string::npos);
}

TEST(KindsFirewallUfwProvider, ItsCommandAndItsErrors) {
  ModelDisk disk;
  for (const char* const path : {"/etc", "/etc/ufw"}) disk.put_directory(path);
  FakeUfw command(disk);
  UfwFirewall provider(disk, command.calls());
  ASSERT_TRUE(write_one(provider, ufw("29500"), {}, "present"));
  ASSERT_TRUE(write_one(provider, ufw("29500"), "present", {}));
  EXPECT_EQ(command.said,
            (std::vector<std::string>{
                "/usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 /usr/sbin/ufw "
                "prepend allow in on eth1 from 10.10.0.0/16 to any port 29500 proto tcp comment "
                "nettune",
                "/usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 /usr/sbin/ufw "
                "delete allow in on eth1 from 10.10.0.0/16 to any port 29500 proto tcp"}));
  command.status = 1;
  const auto failed = write_one(provider, ufw("29500"), {}, "present");
  ASSERT_FALSE(failed);
  EXPECT_NE(
      failed.error().text.find("port 29500 proto tcp\": ufw exited with status 1: ERROR: problem"),
      std::string::npos)
      << failed.error().text;
  EXPECT_FALSE(write_one(provider, "firewall:ufw#disable", {}, "present"));
  EXPECT_EQ(command.said.size(), 3U) << "what is no rule of ours never gets to ufw";
  command.status = 0;
  command.skips = true;
  const auto skipped = write_one(provider, ufw("29500"), {}, "present");
  ASSERT_FALSE(skipped) << "ufw says so with status 0";
  EXPECT_NE(skipped.error().text.find("Skipping inserting existing rule"), std::string::npos);
  EXPECT_NE(skipped.error().text.find("tcp 29500 0.0.0.0/0 any 10.10.0.0/16 in_eth1"),
            std::string::npos);
}

// --- under the engine ----------------------------------------------------------------------------

const std::vector<std::string>& everything() {
  static const std::vector<std::string> all = {permanent("29500"), permanent("32768-60999"),
                                               runtime("29500"),   runtime("32768-60999"),
                                               ufw("29500"),       ufw("32768:60999")};
  return all;
}

void expect_all(Provider& provider, const Value& value) {
  for (const std::string& address : everything())
    EXPECT_EQ(read_one(provider, address).value(), value) << address;
}

// Without a record, this is all that shows which rules are ours.
TEST(KindsFirewallMarkedRules, OursAreFoundAndOthersAreNot) {
  ModelDisk disk;
  for (const char* const path : {"/etc", "/etc/ufw", "/etc/firewalld", "/etc/firewalld/zones"})
    disk.put_directory(path);
  FakeUfw fake_ufw(disk);
  fake_ufw.add("allow tcp 29500 0.0.0.0/0 any 10.10.0.0/16 in_eth1");
  fake_ufw.add("allow tcp 29501 10.10.0.0/16 any 0.0.0.0/0 out_eth1");
  fake_ufw.add("deny tcp 29502 0.0.0.0/0 any 10.10.0.0/16 in_eth1");
  fake_ufw.add("allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 in");
  FakeFirewalld fake_firewalld(disk);
  fake_firewalld.rules[FirewalldLayer::permanent] = {rich("29500"), "rule family=\"ipv4\" accept"};
  fake_firewalld.rules[FirewalldLayer::runtime] = {rich("29501")};
  fake_firewalld.write_zone();
  test::FakeNfKernel kernel;
  kernel.chain(NFPROTO_INET, "nettune", "input", NF_ACCEPT, -5);
  kernel.chain(NFPROTO_INET, "filter", "input", NF_DROP);
  kernel.verdict_rule(NFPROTO_INET, "nettune", "input", NF_DROP, "nettune:a-tcp4");
  kernel.verdict_rule(NFPROTO_INET, "filter", "input", NF_ACCEPT, "nettune:a-tcp4");
  kernel.verdict_rule(NFPROTO_INET, "filter", "input", NF_ACCEPT, "nettune: a person");
  kernel.verdict_rule(NFPROTO_INET, "filter", "input", NF_ACCEPT, "somebody");
  nettune::firewall::LiveRuleset ruleset(kernel.calls());
  std::vector<std::string> found;
  for (const Address& address : marked_rules(disk, ruleset, fake_firewalld.calls()))
    found.push_back(address.text);
  EXPECT_EQ(found,
            (std::vector<std::string>{
                permanent("29500"), runtime("29501"), "firewall:nft/inet/filter/input#a-tcp4",
                "firewall:restrict#a-tcp4", ufw("29500"),
                "firewall:ufw#allow out on eth1 from any to 10.10.0.0/16 port 29501 proto "
                "tcp"}));
}

TEST(KindsFirewallDaemonsUnderEngine, UndoTakesOursAndSaysWhatStays) {
  Node node;
  auto session = node.session();
  ASSERT_EQ(session->apply(profile(everything())).outcome, Outcome::committed);
  Provider& provider = *session->providers.find("firewall");
  expect_all(provider, "present");
  EXPECT_EQ(node.firewalld.connections, 2) << "one for each layer";
  EXPECT_EQ(session->apply(profile(everything())).outcome, Outcome::unchanged);
  for (const auto& [address, file] :
       {std::pair(permanent("29500"), kZoneFile), {ufw("29500"), kUserRules}}) {
    const Effects effects = provider.effects(Address{address}, {}, "present");
    EXPECT_EQ(effects.undo, Undo::residue) << address;
    EXPECT_NE(effects.residue.find(file), std::string::npos) << effects.residue;
    EXPECT_TRUE(effects.touches.empty()) << address;
  }
  EXPECT_EQ(provider.effects(Address{runtime("29500")}, {}, "present").undo, Undo::exact);
  const Report report = session->rollback(0);
  EXPECT_EQ(report.outcome, Outcome::committed) << (report.error ? report.error->text : "");
  expect_all(provider, {});
}

TEST(KindsFirewallDaemonsUnderEngine, WhatTheSiteAddsBetweenTwoProfilesStays) {
  Node node;
  auto session = node.session();
  ASSERT_EQ(session->apply(profile(everything())).outcome, Outcome::committed);
  const std::string theirs = R"(rule service name="http" accept)";
  node.firewalld.rules[FirewalldLayer::permanent].push_back(theirs);
  node.firewalld.write_zone();
  node.ufw.add("allow tcp 80 0.0.0.0/0 any 0.0.0.0/0 in");
  ASSERT_EQ(session->apply(profile({permanent("1"), runtime("1"), ufw("1")})).outcome,
            Outcome::committed);
  EXPECT_EQ(node.firewalld.rules[FirewalldLayer::permanent],
            (std::vector<std::string>{theirs, rich("1")}));
  const Report report = session->rollback(0);
  EXPECT_EQ(report.outcome, Outcome::committed) << (report.error ? report.error->text : "");
  EXPECT_EQ(node.firewalld.rules[FirewalldLayer::permanent], std::vector<std::string>{theirs});
  EXPECT_EQ(node.world.disk->read(kZoneFile, 1000).value(), cat("<zone>\n", theirs, "\n"));
  EXPECT_TRUE(node.firewalld.rules[FirewalldLayer::runtime].empty());
  EXPECT_EQ(firewall::ufw_actions(node.world.disk->read(kUserRules, 10'000).value().value()).size(),
            1U);
}

TEST(KindsFirewallDaemonsUnderEngine, AFailureIsTakenBackWhole) {
  for (int at = 0; at < 4; ++at) {
    Node node;
    auto session = node.session();
    node.firewalld.fails_at = at;
    const Report report = session->apply(profile(everything()));
    // It is still failing while it is undone; only what it takes counts.
    if (report.outcome != Outcome::rolled_back) {
      node.firewalld.fails_at.reset();
      EXPECT_EQ(session->engine->recover({}).outcome, Outcome::rolled_back) << at;
    }
    node.firewalld.fails_at.reset();
    expect_all(*session->providers.find("firewall"), {});
  }
}

TEST(KindsFirewallDaemonsUnderEngine, ACrashAtAnyOperation) {
  int survived = 0;
  for (int at = 0; survived < 1; ++at) {
    ASSERT_LT(at, 500);
    Node node;
    int left = at;
    node.world.disk->before_operation = [&](const std::string&) {
      if (left-- == 0) throw test::Crash();
      return 0;
    };
    try {
      (void)node.session()->apply(profile(everything()));
      ++survived;
    } catch (const test::Crash&) {
    }
    node.world.disk->before_operation = [](const std::string&) { return 0; };
    auto after = node.session();
    (void)after->engine->recover({});
    const bool made =
        read_one(*after->providers.find("firewall"), ufw("29500")).value().has_value();
    expect_all(*after->providers.find("firewall"), made ? Value("present") : Value());
    if (made) {
      EXPECT_EQ(after->rollback(0).outcome, Outcome::committed) << at;
    }
    expect_all(*after->providers.find("firewall"), {});
  }
}

}  // namespace
}  // namespace nettune::kinds::firewall
