// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/doctor/baseline.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/paths.hpp"
#include "tools/doctor/program/baseline_file.hpp"
#include "tools/doctor/program/doctor_command.hpp"
#include "tools/doctor/program/print_doctor.hpp"
#include "tools/doctor/ras.hpp"
#include "tools/doctor/rendezvous.hpp"
#include "tools/doctor/xid.hpp"
#include "unit/tools/doctor/node.hpp"

namespace nettune::tools::doctor {
namespace {

using checks::Cost;
using checks::Opinion;
using checks::Rule;

Lookup lookup(std::vector<std::string> addresses) {
  Lookup own;
  own.name = "gpu17";
  own.canonical = "gpu17.cluster";
  own.fqdn = "gpu17.cluster";
  own.addresses = std::move(addresses);
  return own;
}

TEST(DoctorRendezvous, TorchsRuleForEachFormOfEndpoint) {
  const Lookup debian = lookup({"127.0.1.1"});
  EXPECT_EQ(matches_this_host("localhost", {}, debian), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("127.0.0.1", {"127.0.0.1"}, debian), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("gpu17", {"127.0.1.1"}, debian), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("gpu17.cluster", {"127.0.1.1"}, debian), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("10.0.0.17", {"10.0.0.17"}, debian), HostMatch::others);
  const Lookup mended = lookup({"10.0.0.17"});
  EXPECT_EQ(matches_this_host("10.0.0.17", {"10.0.0.17"}, mended), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("alias", {"10.0.0.17"}, mended), HostMatch::hosts);
  EXPECT_EQ(matches_this_host("gpu18", {"10.0.0.18"}, mended), HostMatch::others);
  EXPECT_EQ(matches_this_host("10.0.0.17", {"10.0.0.17"}, lookup({})), HostMatch::raises);
  EXPECT_EQ(matches_this_host("gpu17", {}, lookup({})), HostMatch::hosts);
}

TEST(DoctorRendezvous, GlooTakesTheFirstAddressThatCanBeBound) {
  const std::vector<std::string> local = {"10.0.0.17"};
  EXPECT_EQ(gloo_address(lookup({"127.0.1.1", "10.0.0.17"}), local), "127.0.1.1");
  EXPECT_EQ(gloo_address(lookup({"10.9.9.9", "10.0.0.17"}), local), "10.0.0.17");
  EXPECT_EQ(gloo_address(lookup({}), local), "127.0.0.1");
}

TEST(DoctorRendezvous, NcclTakesIbThenAnyThenDockerThenLo) {
  facts::Facts facts;
  const auto add = [&](const std::string& name, const std::string& address) {
    facts.net.push_back(test::interface_of_training_node(
        name, static_cast<int>(facts.net.size()) + 1, address, 1500));
  };
  add("lo", "127.0.0.1/8");
  EXPECT_EQ(nccl_socket_interface(facts, "").name, "lo");
  add("docker0", "172.17.0.1/16");
  EXPECT_EQ(nccl_socket_interface(facts, "").name, "docker0");
  add("eth0", "10.0.0.17/24");
  EXPECT_EQ(nccl_socket_interface(facts, "").name, "eth0");
  add("ib0", "10.1.0.17/24");
  EXPECT_EQ(nccl_socket_interface(facts, "").name, "ib0");
  EXPECT_EQ(nccl_socket_interface(facts, "eth").name, "eth0");
  EXPECT_EQ(nccl_socket_interface(facts, "=eth").name, "");
  EXPECT_EQ(nccl_socket_interface(facts, "^lo,docker,ib").name, "eth0");
  facts.net[2].operstate = "down";
  EXPECT_EQ(nccl_socket_interface(facts, "eth").name, "");
}

TEST(DoctorPaths, DistancesAreThoseOfTopoM) {
  const Machine machine = test::training_node();
  const auto distance = [&](const char* from, const char* to) {
    return pci_path(machine, from, to)->distance;
  };
  EXPECT_EQ(distance("0000:19:00.0", "0000:1a:00.0"), Distance::pix);
  EXPECT_EQ(distance("0000:19:00.0", "0000:2a:00.0"), Distance::sys);
  EXPECT_FALSE(pci_path(machine, "0000:19:00.0", "0000:99:00.0"));
  const auto path = pci_path(machine, "0000:19:00.0", "0000:1a:00.0");
  ASSERT_EQ(path->switch_ports.size(), 2U);
  EXPECT_EQ(path->switch_ports[0]->address, "0000:17:00.0");
}

std::vector<std::string> ras_troubles(std::string_view answer) {
  return judge_ras(answer).troubles;
}

TEST(DoctorRas, TroubleOfTextAndOfJson) {
  EXPECT_TRUE(
      ras_troubles("Job summary\n===========\n\nErrors\n======\n\nWarnings\n========\n").empty());
  const auto dead = ras_troubles(
      "Errors\n======\n\nDEAD\n  1 job process is considered dead\n  Process 7 on node 10.0.0.9\n");
  ASSERT_EQ(dead.size(), 3U);
  EXPECT_EQ(dead[2], "Process 7 on node 10.0.0.9");
  const auto missing = ras_troubles(
      R"({"communicators":[{"hash":"0xae","missing_ranks":[{"rank":1,"host":"10.0.0.9","pid":7,)"
      R"("cuda_dev":1,"status":{"unresponsive":true,"considered_dead":false}}]}]})");
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0],
            "rank 1 of communicator 0xae is unresponsive: process 7 on 10.0.0.9, GPU 1");
  EXPECT_TRUE(ras_troubles("{\"communicators\": 7}").empty());
  // Events of the monitor mode.
  EXPECT_EQ(
      ras_troubles("[2025-12-19 13:07:07] PEER_DEAD: Process 7 on node 10.0.0.9 managing GPU 1\n")
          .size(),
      1U);
  EXPECT_EQ(
      ras_troubles(R"({"event": "PEER_DEAD", "peer": {"host": "10.0.0.9", "pid": 7}})").size(), 1U);
  EXPECT_TRUE(ras_troubles(R"({"event": "PEER_DEAD", "peer": 7})").empty());
  EXPECT_TRUE(ras_troubles(R"({"event": "PEER_BACK", "peer": {}})").empty());
}

TEST(DoctorXid, ClassesAreThoseOfTheCatalogue) {
  EXPECT_GE(built_in_xids().size(), 100U);
  EXPECT_EQ(built_in_xids().at(79).kind, XidEntry::Class::hardware);
  EXPECT_EQ(built_in_xids().at(13).kind, XidEntry::Class::application);
  EXPECT_EQ(built_in_xids().at(63).kind, XidEntry::Class::none) << "a remapping is no fault";
  EXPECT_EQ(built_in_xids().at(92).kind, XidEntry::Class::none);
  EXPECT_EQ(built_in_xids().at(154).kind, XidEntry::Class::hardware);
  const auto xid = parse_xid("NVRM: Xid (PCI:0000:38:00): 119, pid=1, Timeout");
  ASSERT_TRUE(xid);
  EXPECT_EQ(xid->number, 119);
  EXPECT_EQ(xid->pci_address, "0000:38:00");
  EXPECT_FALSE(parse_xid("NVRM: Xid"));
  EXPECT_FALSE(parse_xid("NVRM: Xid (PCI:0000:38:00): x"));
  EXPECT_FALSE(parse_xid_catalogue("[xid.x]\nclass = \"none\"\n"));
}

Rule rule(const std::string& id, const std::string& what, Cost cost, bool is_fault,
          std::vector<std::string> explains = {}) {
  Rule one;
  one.id = id;
  one.looks_at = what;
  one.want = {"good"};
  one.is_fault = is_fault;
  one.cost = cost;
  one.explains = std::move(explains);
  one.remedy.any = cat("mend ", id);
  return one;
}

facts::Observation bad(const std::string& what, const std::string& device,
                       std::vector<std::string> concerns = {}) {
  facts::Observation seen;
  seen.device = device;
  seen.what = what;
  seen.value = "bad";
  seen.text = cat(what, " of ", device);
  seen.concerns = std::move(concerns);
  return seen;
}

std::vector<std::string> order(const Judged& judged) {
  std::vector<std::string> ids;
  for (const Finding& finding : judged.findings) ids.push_back(finding.rule->id);
  return ids;
}

TEST(DoctorFindings, OrderIsCostThenSureness) {
  const std::vector<Rule> rules = {
      rule("slow", "a", Cost::percent, true), rule("hint", "b", Cost::fails, false),
      rule("dead", "c", Cost::fails, true), rule("half", "d", Cost::halves, true)};
  const Judged judged =
      judge(rules, {}, {bad("a", "x"), bad("b", "x"), bad("c", "x"), bad("d", "x")}, {});
  EXPECT_EQ(order(judged), (std::vector<std::string>{"dead", "half", "slow", "hint"}));
  facts::Observation measured = bad("a", "x");
  measured.sureness = facts::Sureness::measured;
  const std::vector<Rule> same = {rule("read", "b", Cost::percent, true),
                                  rule("measured", "a", Cost::percent, true)};
  EXPECT_EQ(order(judge(same, {}, {bad("b", "x"), measured}, {})).front(), "measured");
}

TEST(DoctorFindings, ACauseStandsAboveWhatItExplainsOnTheSameDevice) {
  const std::vector<Rule> rules = {rule("symptom", "s", Cost::fails, true),
                                   rule("cause", "c", Cost::risk, false, {"symptom"})};
  const Judged judged =
      judge(rules, {}, {bad("s", "mlx5_0"), bad("s", "mlx5_1"), bad("c", "port", {"mlx5_0"})}, {});
  ASSERT_EQ(judged.findings.size(), 3U);
  std::size_t explained = 0;
  for (const Finding& finding : judged.findings) {
    if (!finding.explained_by) continue;
    ++explained;
    EXPECT_EQ(finding.seen.device, "mlx5_0");
    EXPECT_EQ(judged.findings[*finding.explained_by].rule->id, "cause");
  }
  EXPECT_EQ(explained, 1U);
  // Both stand as high as the symptom that is nobody's.
  const auto groups = program::groups_of(judged);
  ASSERT_EQ(groups.size(), 2U);
}

TEST(DoctorFindings, TwoThatExplainEachOtherDoNotVanish) {
  const std::vector<Rule> rules = {rule("a", "a", Cost::fails, true, {"b"}),
                                   rule("b", "b", Cost::fails, true, {"a"})};
  const Judged judged = judge(rules, {}, {bad("a", ""), bad("b", "")}, {});
  EXPECT_EQ(program::groups_of(judged).size(), 1U);
  EXPECT_EQ(program::groups_of(judged)[0].effects.size(), 1U);
}

TEST(DoctorFindings, IgnoredOnesAreShownAndCountForNothing) {
  const std::vector<Rule> rules = {rule("r", "a", Cost::fails, true)};
  JudgeRequest request{{{"r", "mlx5_1*", "2026-12-31", "no cable"}}, "2026-11-24"};
  Judged judged = judge(rules, {}, {bad("a", "mlx5_10/1")}, request);
  EXPECT_FALSE(judged.has_fault());
  EXPECT_EQ(judged.ignored(), 1U);
  EXPECT_EQ(judged.findings[0].ignored, "no cable (until 2026-12-31)");
  EXPECT_TRUE(judge(rules, {}, {bad("a", "mlx5_2/1")}, request).has_fault());
  request.today = "2027-01-01";
  judged = judge(rules, {}, {bad("a", "mlx5_10/1")}, request);
  EXPECT_TRUE(judged.has_fault());
  EXPECT_EQ(judged.notes, std::vector<std::string>{"site file: ignore of r ended on 2026-12-31"});
  request.ignores[0].id = "nosuch";
  EXPECT_EQ(judge(rules, {}, {}, request).notes,
            std::vector<std::string>{"site file: ignore names an unknown rule: nosuch"});
}

TEST(DoctorBaseline, SaysWhatIsGoneWhatChangedAndWhichCountersGrew) {
  Machine machine = test::training_node();
  const auto again =
      program::parse_baseline(program::baseline_text(baseline_of(machine), "gpu17"), "gpu17.json");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->things, baseline_of(machine).things);
  EXPECT_EQ(again->identities, baseline_of(machine).identities);
  machine.facts.rdma.pop_back();
  machine.facts.net[1].mtu = 1500;
  machine.ports[0].counters["symbol_error"] = 9;
  machine.ports[0].counters["link_downed"] = 0;
  Sightings sightings;
  observe_baseline(*again, machine, sightings);
  std::map<std::string, std::string> bad;
  for (const facts::Observation& seen : sightings.take())
    if (seen.value == "gone" || seen.value == "worse" || seen.value == "grown")
      bad[seen.device] = seen.text;
  EXPECT_TRUE(bad.contains("mlx5_1/1"));
  EXPECT_EQ(bad["fab0"], "its MTU was 9000, it is 1500");
  EXPECT_EQ(bad[""], "mlx5_0/1 link_downed was reset, and is 0, mlx5_0/1 symbol_error grew by 9");
  EXPECT_FALSE(program::parse_baseline("{}", "x"));
  EXPECT_FALSE(program::parse_baseline("[", "x"));
}

TEST(DoctorExit, OnlyWhatIsDemandedMayBeUnknown) {
  std::vector<Rule> rules = {rule("r", "a", Cost::fails, true)};
  rules[0].demanded_by = {"nccl"};
  facts::Observation seen = bad("a", "x");
  const auto exit = [&](const char* demand) {
    return program::exit_of(decide(judge(rules, {}, {seen}, {}), {demand}, false));
  };
  EXPECT_EQ(exit(""), node::Exit::drift);
  seen.value.reset();
  EXPECT_EQ(exit(""), node::Exit::done);
  EXPECT_EQ(exit("nccl"), node::Exit::unknown);
  EXPECT_EQ(exit("ib"), node::Exit::done);
  seen.blank = facts::Blank::not_permitted;
  EXPECT_EQ(exit("nccl"), node::Exit::not_permitted);
  seen.blank = facts::Blank::not_applicable;
  EXPECT_EQ(exit("nccl"), node::Exit::done);
}

TEST(DoctorPrint, TheFirstLinesSayWhatToDoFirst) {
  const std::vector<Rule> rules = {rule("first", "a", Cost::fails, true, {"then"}),
                                   rule("then", "b", Cost::halves, true)};
  program::Diagnosis diagnosis;
  diagnosis.machine.facts.node.hostname = "gpu17";
  diagnosis.judged = judge(rules, {}, {bad("a", ""), bad("b", "x\x1b[31m")}, {});
  diagnosis.decision = decide(diagnosis.judged, {}, false);
  const std::string text = program::text::doctor(diagnosis, false, cli::Style{});
  EXPECT_TRUE(text.starts_with("gpu17: not ready: 2 faults, 0 advice;")) << text;
  EXPECT_NE(text.find("\nfirst:  mend first [first]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  so    then: "), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "what comes from outside is made printable";
}

TEST(DoctorPrint, TheRemedyOfOneDeviceNamesItsInterface) {
  std::vector<Rule> rules = {rule("down", "rdma.interface", Cost::fails, true)};
  rules[0].remedy.any = "DEVICE: ip link set INTERFACE up";
  program::Diagnosis diagnosis;
  diagnosis.machine = test::training_node();
  facts::Observation seen = bad("rdma.interface", "mlx5_0/1");
  seen.concerns = {"fab0"};
  diagnosis.judged = judge(rules, diagnosis.machine, {seen}, {});
  const auto groups = program::groups_of(diagnosis.judged);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(program::remedy_of(diagnosis, *groups[0].findings[0]), "mlx5_0/1: ip link set fab0 up");
}

TEST(DoctorPrint, AContainerIsSaidToBeOne) {
  const std::vector<Rule> rules = {rule("log", "log.kernel", Cost::risk, true)};
  program::Diagnosis diagnosis;
  facts::Observation closed;
  closed.what = "log.kernel";
  closed.text = "cannot be read in here";
  closed.blank = facts::Blank::not_permitted;
  diagnosis.judged = judge(rules, {}, {closed}, {});
  const std::string host = program::text::doctor(diagnosis, false, cli::Style{});
  EXPECT_NE(host.find("1 for root only (sudo)"), std::string::npos) << host;
  EXPECT_EQ(host.find("container"), std::string::npos) << host;
  diagnosis.machine.facts.node.container = "docker";
  const std::string inside = program::text::doctor(diagnosis, false, cli::Style{});
  EXPECT_EQ(inside.find("sudo"), std::string::npos) << inside;
  EXPECT_NE(inside.find("note: this is a container"), std::string::npos) << inside;
}

}  // namespace
}  // namespace nettune::tools::doctor
