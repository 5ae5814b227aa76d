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
#include "node/qualify/evidence.hpp"
#include "node/recorded.hpp"
#include "tools/doctor/program/baseline_file.hpp"
#include "tools/doctor/program/print_doctor.hpp"
#include "tools/measure/evidence.hpp"
#include "tools/measure/program/mesh_leader.hpp"
#include "tools/measure/result.hpp"
#include "tools/measure/tune_evidence.hpp"
#include "tools/nccl/program/env_explain.hpp"
#include "tools/nccl/program/nccl_lint.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"
#include "tools/render/program/print_render.hpp"
#include "unit/support/schema_validator.hpp"
#include "unit/tools/doctor/node.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::cli {
namespace {

using namespace test;

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

TEST(CliPrintJson, NcclLint) {
  tools::nccl::program::Linted linted{
      {2, 21, 5}, "--nccl", {"a note"}, {}, {{"f", 3, "source \xff", "why"}}};
  for (int verdict = 0; verdict <= static_cast<int>(nccl::Verdict::unsettled); ++verdict)
    linted.findings.push_back(
        {{"NCCL_A", "\xff", "f", 1, nccl::Kind::env_file},
         {static_cast<nccl::Verdict>(verdict), nccl::Level::error, "why", "instead", ""}});
  for (const nccl::Level level : {nccl::Level::ok, nccl::Level::note, nccl::Level::warning})
    linted.findings.push_back(
        {{"NCCL_A", "1", "f", 0, nccl::Kind::environment}, {nccl::Verdict::ok, level, "", "", ""}});
  test::expect_valid("nccl-lint.schema.json", tools::nccl::program::json::lint(linted));
  test::expect_valid("nccl-lint.schema.json", tools::nccl::program::json::lint({}));
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

TEST(CliPrintJson, EnvExplain) {
  tools::nccl::program::ExplainedVariable explained;
  explained.name = "A";
  explained.nccl = {{2, 21, 5}, "--nccl", {"a note"}};
  explained.all.all = {
      {tools::nccl::scripts::Source::node_conf, {"A", "1", "/etc/nccl.conf", 2, nccl::Kind::conf}},
      {tools::nccl::scripts::Source::unit, {"A", "\xff", "/u", 1, nccl::Kind::shell}, "x.service"},
      {tools::nccl::scripts::Source::environment,
       {"A", "", "environment", 0, nccl::Kind::environment}}};
  explained.places = {2, 1, 0};
  for (const tools::nccl::scripts::Start start : tools::nccl::scripts::kStarts)
    explained.outcomes.push_back(tools::nccl::scripts::decide(explained.all, start, "A"));
  explained.of_the_name = {{nccl::Verdict::unknown_name, nccl::Level::error, "why", "B", ""}};
  explained.findings = {
      {explained.all.all[0].set, {nccl::Verdict::misread, nccl::Level::warning, "why", "", "s"}}};
  const std::string document = tools::nccl::program::json::explained(explained);
  test::expect_valid("env-explain.schema.json", document);
  const Json parsed = Json::parse(document);
  EXPECT_EQ(parsed["starts"][0]["place"], 0) << "the environment, by its place in the list";
  EXPECT_EQ(parsed["starts"][1]["place"], 2);
  EXPECT_EQ(parsed["starts"][3]["maybe"][0]["place"], 1);
  test::expect_valid("env-explain.schema.json", tools::nccl::program::json::explained(
                                                    tools::nccl::program::ExplainedVariable()));
}

TEST(CliPrintJson, Render) {
  tools::render::program::Made made{
      "torchrun", "/t/torchrun.tmpl", "00", "", {"text", {{"gpus", {"8", "--gpus", true}}}}};
  test::expect_valid("render.schema.json", tools::render::program::json::made(made));
  made.file = "/f";
  test::expect_valid("render.schema.json", tools::render::program::json::made(made));
  test::expect_valid("render.schema.json",
                     tools::render::program::json::templates(
                         {{"a", "s", false, {"--time"}}, {"b", "why", true, {}}}));
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

TEST(CliPrintJson, Evidences) {
  node::qualify::Evidence evidence;
  evidence.time_s = 1'700'000'000;
  test::expect_valid("evidence.schema.json", node::qualify::evidence_json(evidence));
  node::qualify::EvidenceSetting setting;
  setting.tried.address.text = "dcb:eth0:pfc";
  setting.tried.before = "0";
  setting.write_link = kernel::LinkLoss{true, true, 0.25};
  setting.undo_link = kernel::LinkLoss{};
  setting.along = {Address{"dcb:eth0:dcbx"}};
  evidence.set = {{"a", "b"}};
  evidence.moved = {{Address{"dcb:eth0:pfc"}, "0", "3"}};
  evidence.cut_short = "why";
  for (int result = 0; result < 8; ++result) {
    setting.tried.result = static_cast<TrialResult>(result);
    setting.tried.impact = static_cast<Impact>(result % 4);
    evidence.settings.push_back(setting);
  }
  test::expect_valid("evidence.schema.json", node::qualify::evidence_json(evidence));
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
  test::expect_valid("status.schema.json", json::status(state, {"moved"}));
  test::expect_valid("status.schema.json", json::status({}, {}));
  test::expect_valid("hold.schema.json", json::hold("hold", state.hold));
  test::expect_valid("hold.schema.json", json::hold("release", {}));
  test::expect_valid("diff.schema.json",
                     json::diff("p",
                                {{{"sysctl:a"}, {"/p.toml", 3}, "1", {}, ""},
                                 {{"file:/x"}, {}, {}, "sha256:..", "@@ -1 +1 @@\n"}},
                                checked.passages));
  const std::string between = json::diff("generation 2 (p)", {}, {}, json::Between{0, 2});
  test::expect_valid("diff.schema.json", between);
  EXPECT_EQ(Json::parse(between)["between"]["to"], 2);
}

TEST(CliPrintJson, RecordedValuesAreWhatTheReaderTakes) {
  const std::string text = R"({"schema": 1, "values": {"a:b": "1", "c:d": null,
      "e:f": {"presence": "not_permitted", "why": "locked", "text": "1"}}})";
  test::expect_valid("state.schema.json", text);
  EXPECT_TRUE(node::parse_recorded_values(text).has_value());
  EXPECT_NE(test::Validator().check("state.schema.json",
                                    Json::parse(R"({"schema": 1, "values": {"a:b": 1}})")),
            "");
}

TEST(CliPrintJson, Measurements) {
  tools::measure::Measurement one;
  one.from.before = one.from.after = {{"eth1.rx_errors", 1}};
  for (const auto what :
       {tools::measure::Measurement::What::latency, tools::measure::Measurement::What::bandwidth,
        tools::measure::Measurement::What::path_mtu}) {
    one.what = what;
    one.error.reset();
    test::expect_valid("test.schema.json", tools::measure::json_line(one));
    one.error = Error{};
    test::expect_valid("test.schema.json", tools::measure::json_line(one));
  }
}

TEST(CliPrintJson, Meshes) {
  tools::measure::program::MeshReport report;
  report.names = {"n0", "n1"};
  report.rails = {"eth1", "eth2"};
  report.values = {{1, {{0, 1}, 9.0, {}}}, {2, {{0, 1}, {}, {}}}};
  report.verdict.tests = {{{0, 1}, tools::measure::PairState::good},
                          {{0, 1}, tools::measure::PairState::missing}};
  report.errors = {"", "it died"};
  report.verdict.located = {{tools::measure::Where::node, {1}, {}, {}},
                            {tools::measure::Where::cable, {1}, 1, {}}};
  report.verdict.unknown = {0};
  test::expect_valid("test-mesh.schema.json", tools::measure::program::json_line(report));
  report.verdict.groups = {{1, 9.0, 9.0, 9.0, {0}}, {1, 4.0, 4.0, 4.0, {0, 1}}};
  report.verdict.tests[0].test = tools::measure::PairState::unjudged;
  for (const auto doubt :
       {tools::measure::Doubt::alike, tools::measure::Doubt::nodes, tools::measure::Doubt::rails,
        tools::measure::Doubt::links, tools::measure::Doubt::unplaced}) {
    report.verdict.doubt = doubt;
    test::expect_valid("test-mesh.schema.json", tools::measure::program::json_line(report));
  }
  report.values[0].second.expected = 9.4;
  test::expect_valid("test-mesh.schema.json", tools::measure::program::json_line(report));
  report.expect_rate_gbps = 10;
  test::expect_valid("test-mesh.schema.json", tools::measure::program::json_line(report));
}

TEST(CliPrintJson, Comparisons) {
  tools::measure::Evidence evidence;
  test::expect_valid("ab.schema.json", tools::measure::to_json(evidence));
  evidence.planned = 8;
  evidence.a.set["x"] = evidence.b.env["Y"] = "1";
  for (std::size_t i = 0; i < 8; ++i) {
    tools::measure::EvidenceBlock block;
    block.block = block.strata["eth1"] = {false, {1, 2}, {3, 4}};
    evidence.blocks.push_back(block);
  }
  evidence.noise = evidence.blocks;
  test::expect_valid("ab.schema.json", tools::measure::to_json(evidence));
}

TEST(CliPrintJson, Searches) {
  tools::measure::TuneEvidence evidence;
  test::expect_valid("tune.schema.json", tools::measure::to_json(evidence));
  evidence.vary = {{"env.X", {"1", "2"}}};
  evidence.candidates.resize(2);
  evidence.candidates[0].failed = "exit code 1";
  evidence.search.emplace(2, 1, false).add({{1, {2, 3}}});
  evidence.winner = 1;
  evidence.written = "/x.toml";
  evidence.ended = "it was stopped";
  test::expect_valid("tune.schema.json", tools::measure::to_json(evidence));
}

TEST(CliPrintJson, NcclExplain) {
  for (const auto& [name, text] : tools::nccl::log::logs()) {
    const tools::nccl::log::Case one(text);
    std::vector<tools::nccl::log::judge::Outcome> outcomes;
    const auto expectations = tools::nccl::log::judge::parse_expectations("ib,gdr");
    ASSERT_TRUE(expectations);
    for (const auto& expectation : *expectations)
      outcomes.push_back(tools::nccl::log::judge::compare(expectation, one.log, one.verdict));
    test::expect_valid("nccl-explain.schema.json",
                       tools::nccl::program::json::nccl_explain(
                           {tools::nccl::log::causes(), one.log, one.verdict, outcomes}));
  }
}

TEST(CliPrintJson, BytesThatAreNoTextStillMakeADocument) {
  node::Planned planned = full_plan();
  planned.plan.items[0].now.text = "\xff\xfe\x80";
  planned.plan.notes = {std::string("\0\x01", 2)};
  test::expect_valid("plan.schema.json", json::plan(planned, {}, {}, ""));
}

}  // namespace
}  // namespace nettune::cli
