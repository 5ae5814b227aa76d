// SPDX-License-Identifier: Apache-2.0
// Every JSON document is what docs/schema says, and docs/schema says all of it: a member that is in
// no schema fails here, although the schemas let readers pass over what they do not know.
#include "cli/print_json.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.hpp"
#include "intents/job_files.hpp"
#include "node/recorded.hpp"
#include "unit/support/schema_validator.hpp"

namespace nettune::cli {
namespace {

using Json = nlohmann::json;

node::Planned full_plan() {
  node::Planned planned;
  planned.plan.profile = "p";
  PlanItem item;
  item.setting.address.text = "sysctl:a";
  item.setting.relation = Relation::at_least;
  item.setting.want = "2";
  item.setting.device = "pci 0000:3b:00.0 port 0";
  item.setting.origin = {"/p/a.toml", 3};
  item.verdict = Verdict::different;
  item.now = {Presence::present, "1", {}, {}};
  item.after = "2";
  item.effects.impact = Impact::link_bounce;
  item.effects.undo = Undo::residue;
  item.effects.residue = "something";
  item.effects.note = "new sessions";
  item.effects.touches = {{{"sysctl:b"}, {}, "0", "because"}};
  item.refused = "eth0 is protected";
  planned.plan.items.push_back(item);
  for (const Presence presence :
       {Presence::absent, Presence::missing, Presence::not_yet, Presence::not_applicable,
        Presence::not_permitted, Presence::unknown}) {
    PlanItem other;
    other.role = PlanItem::Role::give_back;
    other.setting.address.text = "file:/x";
    other.now.presence = presence;
    other.verdict = presence == Presence::absent ? Verdict::left : Verdict::not_applicable;
    planned.plan.items.push_back(other);
  }
  planned.plan.units = {{0}};
  planned.plan.claims = {{{"sysctl:a"}, "sysctl.d", "/etc/sysctl.conf", 12, "4", true, "wins"}};
  planned.plan.notes = {"note"};
  planned.resolved.sets["fabric"] = {"eth0", "eth1"};
  planned.resolved.misfits = {"misfit"};
  planned.taken_over = {{"file:/etc/nettune/nccl.env"}};
  planned.resolved.cautions = {"caution"};
  return planned;
}

Transaction full_transaction() {
  Transaction transaction;
  transaction.number = 3;
  transaction.id = "0123456789abcdef";
  transaction.action = "apply";
  transaction.identity.time_s = 1'700'000'000;
  transaction.profile = "p";
  transaction.vars["a"] = "b";
  transaction.records.resize(2);
  transaction.records[0].address.text = "sysctl:a";
  transaction.records[0].before = "1";
  transaction.records[1].cause.text = "sysctl:a";
  transaction.aborted = true;
  transaction.reason = "why";
  return transaction;
}

Debts full_debts() {
  Debt debt;
  debt.owed.address.text = "link:eth1:mtu";
  debt.owed.device = "name eth1";
  debt.owed.baseline = "1500";
  debt.reason = "it is away";
  Debt other = debt;
  other.owed.address.text = "link:eth2:mtu";
  other.owed.baseline = std::nullopt;
  other.to_set = true;
  return {debt, other};
}

node::StateView full_state() {
  node::StateView state;
  state.directory = "/var/lib/nettune";
  state.exists = true;
  state.unreadable = "no";
  state.volatile_reason = "tmpfs";
  state.foreign = "other";
  state.journal.kind = JournalStatus::Kind::open;
  state.journal.transaction = full_transaction();
  state.active = full_transaction();
  state.hold = Hold{"root", 1'700'000'000, "why"};
  state.debts = full_debts();
  state.at_work = "pid 7";
  state.unrecorded = {{{"file:/etc/nettune/nccl.env"}, "p"}, {{"firewall:restrict#a-tcp4"}, ""}};
  state.signs = {"/etc/nettune/site.toml"};
  return state;
}

Report full_report() {
  Report report;
  report.outcome = Outcome::incomplete;
  report.generation = 4;
  report.written = report.restored = report.not_restored =
      report.left = {{{"sysctl:a"}, "1", "2", {}, "came back"}};
  report.error = Error{Errc::conflict, "text", 5, "/f", 7};
  report.debts = full_debts();
  report.notes = {"note"};
  return report;
}

TEST(CliPrintJson, Errors) {
  test::expect_valid("error.schema.json", json::error(*full_report().error, node::Exit::failed));
  test::expect_valid("error.schema.json", json::error(Error{}, node::Exit::usage));
}

TEST(CliPrintJson, Env) {
  const std::vector<JobVariable> variables = {{"A", "1", true, false, {"/p.toml", 3}},
                                              {"B", "2", false, true, {"--set", 0}}};
  test::expect_valid("env.schema.json", json::env({"p", variables, {"note"}}));
  test::expect_valid("env.schema.json", json::env({}));
  // The file on the node.
  test::expect_valid("env.schema.json",
                     intents::job_text(intents::JobFormat::json, "p", variables, "").value_or(""));
}

TEST(CliPrintJson, Profiles) {
  node::Match good;
  good.listed = {"p", "s", "/p.toml", "", ""};
  good.matches = true;
  good.cautions = {"why"};
  good.sets["fabric"] = {"eth0"};
  node::Match broken;
  broken.listed = {"q", "s", "/q.toml", "/r/q.toml", "broken"};
  broken.misfits = {"broken"};
  test::expect_valid("list.schema.json", json::list({good, broken}, true));
  test::expect_valid("list.schema.json", json::list({good}, false));
  test::expect_valid("recommend.schema.json", json::recommend({good, broken}));
  test::expect_valid("recommend.schema.json", json::recommend({}));
  profile::Resolved resolved;
  resolved.desired.profile = "p";
  resolved.desired.settings = {full_plan().plan.items[0].setting};
  resolved.desired.sources = {{"/p.toml", "abc", 1, 2}};
  resolved.desired.notes = {"note"};
  resolved.sets["fabric"] = {"eth0"};
  resolved.shown = {{"sysctl", "a", "2", {"/p.toml", 3}}, {"env", "b", "2", {"--set", 0}, "why"}};
  test::expect_valid("show.schema.json", json::show(resolved));
}

TEST(CliPrintJson, Facts) {
  facts::Facts facts;
  test::expect_valid("facts.schema.json", json::facts(facts));
  facts.node = {"h", "debian", "12", "6.1", "x86_64", "m", "b", "docker", 8};
  facts::NetDevice device;
  device.name = "eth0";
  device.speed_mbps = 100000;
  device.carrier = true;
  device.protected_by = {"why"};
  facts.net = {device};
  facts.rdma = {
      {"mlx5_0",
       "rdma pci p",
       "d",
       "p",
       "i",
       true,
       "g",
       "f",
       1,
       {{1, "Ethernet", "ACTIVE", "LinkUp", "r", 200.0, "eth0", {{3, "::", "RoCE v2", "eth0"}}}}}};
  facts.gpus = {{"p", "i", "nvidia", 0}};
  facts.at_work = {{"slurmd", 7, "d"}, {"RDMA user", 9, "d", "mlx5_0"}};
  facts.services = {"ssh"};
  facts.notes = {"n"};
  test::expect_valid("facts.schema.json", json::facts(facts));
  node::RecordedValues values;
  values[Address{"sysctl:a"}] = {Presence::present, "1", {}};
  values[Address{"file:/b"}] = {Presence::absent, {}, {}};
  values[Address{"sysctl:c"}] = {Presence::not_applicable, {}, "why"};
  values[Address{"sysctl:d"}] = {Presence::not_permitted, "2", "why"};
  const std::string recorded = json::facts(facts, values);
  test::expect_valid("facts.schema.json", recorded);
  const auto read = node::values_in_facts(recorded);
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_EQ(read->size(), 4U);
  EXPECT_EQ(read->at(Address{"sysctl:a"}).text, "1");
  EXPECT_EQ(read->at(Address{"file:/b"}).presence, Presence::absent);
  EXPECT_EQ(read->at(Address{"sysctl:c"}).why, "why");
  EXPECT_EQ(read->at(Address{"sysctl:d"}).presence, Presence::not_permitted);
  EXPECT_TRUE(node::values_in_facts(json::facts(facts))->empty());
}

TEST(CliPrintJson, Plans) {
  test::expect_valid("plan.schema.json",
                     json::plan(full_plan(), {{"a", "b"}}, full_state(), "why"));
  test::expect_valid("plan.schema.json", json::plan({}, {}, {}, ""));
}

TEST(CliPrintJson, Runs) {
  const node::Planned planned = full_plan();
  node::Changed changed;
  changed.state = full_state();
  changed.planned = planned;
  changed.report = changed.recovered = full_report();
  changed.refused = "refused";
  changed.notes = {"note"};
  test::expect_valid("apply.schema.json", json::changed("apply", changed, {}));
  test::expect_valid("apply.schema.json", json::changed("rollback", {}, {}));
  test::expect_valid("recover.schema.json", json::outcome("recover", full_report()));
  test::expect_valid("recover.schema.json", json::outcome("recover", {}));
  node::check::Checked checked;
  checked.held = node::Held{planned.plan, {}};
  checked.passages = {{"fabric-tcp4",
                       "tcp 1 from ::/0 in eth1",
                       {firewall::walk::Passage::dropped, "w", "", "o", "p"},
                       {}}};
  test::expect_valid("confirm.schema.json", json::confirmed(full_report(), checked));
  test::expect_valid("confirm.schema.json", json::confirmed(full_report(), {}));
}

TEST(CliPrintJson, Watching) {
  const node::StateView state = full_state();
  node::Held held{full_plan().plan, {full_plan().plan.items[0].setting}};
  const checks::Chain chain{"fab0", "text", {{"dcb:fab0:pfc", "problem", "remedy"}}};
  test::expect_valid("check.schema.json",
                     json::check({state, held, {chain}, {"moved"}, "", node::Exit::drift}));
  const checks::SwitchHalf half{"fab0", true, "text", {{"dcb:fab0:pfc", "problem", "remedy"}}};
  const checks::Advice advice{
      checks::Opinion::advice, "fab0", "rule", "seen", "why", "do", "where"};
  test::expect_valid(
      "check.schema.json",
      json::check({state, held, {}, {}, "", node::Exit::drift, {half}, {advice}, {"note"}}));
  test::expect_valid("check.schema.json",
                     json::check({state, {}, {}, {}, "on hold", node::Exit::done}));
  node::check::Checked checked;
  checked.passages = {{"fabric-tcp4",
                       "tcp 1 from ::/0 in eth1",
                       {firewall::walk::Passage::dropped, "w", "", "o", "p", "inet t c", 7},
                       {}}};
  test::expect_valid("history.schema.json", json::history({full_transaction()}, state));
  const node::OwnUnits units{true, false, {true, "active"}, {}, {}};
  test::expect_valid("status.schema.json", json::status(state, {"moved"},
                                                        {{Address{"modprobe:a:b"},
                                                          Value("1"),
                                                          {},
                                                          node::Awaited::State::refused,
                                                          "later",
                                                          "is 0",
                                                          5}},
                                                        units));
  test::expect_valid("status.schema.json", json::status({}, {}, {}, {}));
  node::Summary summary = node::summarize(state, "boot");
  test::expect_valid("summary.schema.json", node::summary_text(summary));
  summary.check.emplace();
  summary.check->apart = {{"sysctl:a", "p.toml:3", 7}};
  summary.check->waits = {{"modprobe:a:b", node::Awaited::State::pending, "later"}};
  summary.lasting.history = {node::past_of(full_transaction())};
  test::expect_valid("summary.schema.json", json::cached(summary, "it is older than 2 hours"));
  test::expect_valid("status.schema.json", json::status({}, {}, {}, units, &summary, ""));
  test::expect_valid("history.schema.json", json::history({}, {}, &summary, ""));
  test::expect_valid("hold.schema.json", json::hold("hold", state.hold));
  test::expect_valid("hold.schema.json", json::hold("release", {}));
  test::expect_valid("explain.schema.json",
                     json::messages({{"drift", MessageGroup::answer, {"apart"}, "m", {"d"}, "p"}}));
  test::expect_valid("explain.schema.json", json::messages({}));
  test::expect_valid("diff.schema.json",
                     json::diff("p",
                                {{{"sysctl:a"}, {"/p.toml", 3}, "1", {}, ""},
                                 {{"file:/x"}, {}, {}, "sha256:..", "@@ -1 +1 @@\n"}},
                                checked.passages));
  const std::string between = json::diff("generation 2 (p)", {}, {}, json::Between{0, 2});
  test::expect_valid("diff.schema.json", between);
  EXPECT_EQ(Json::parse(between)["between"]["to"], 2);
}

TEST(CliPrintJson, BytesThatAreNoTextStillMakeADocument) {
  node::Planned planned = full_plan();
  planned.plan.items[0].now.text = "\xff\xfe\x80";
  planned.plan.notes = {std::string("\0\x01", 2)};
  test::expect_valid("plan.schema.json", json::plan(planned, {}, {}, ""));
}

}  // namespace
}  // namespace nettune::cli
