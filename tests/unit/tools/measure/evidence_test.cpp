// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/evidence.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/measure/guards.hpp"
#include "tools/measure/metric.hpp"
#include "tools/measure/program/ab_options.hpp"
#include "tools/measure/program/print_ab.hpp"
#include "tools/measure/program/test_options.hpp"

namespace nettune::tools::measure {
namespace {

double value_of(const std::string& metric, const std::string& output) {
  const auto parsed = Metric::parse(metric);
  if (!parsed) return -1;
  const auto reading = parsed->read(output);
  return reading ? reading->value : -2;
}

TEST(MeasureMetric, ARegularExpressionTakesItsGroupOfTheLastMatch) {
  EXPECT_EQ(value_of("rate: ([0-9.]+)", "rate: 1.5\nrate: 2.5 GB/s\n"), 2.5);
  EXPECT_EQ(value_of("[0-9]+", "a 7 b 12"), 12);
  EXPECT_EQ(value_of("^Avg bus bandwidth *: *([0-9.]+)", "# x\nAvg bus bandwidth    : 41.9\n"),
            41.9);
  EXPECT_EQ(value_of("x", ""), -2);
  EXPECT_EQ(value_of("([a-z]+)", "abc"), -2);  // not a number
  EXPECT_EQ(value_of("rate ([0-9-]+)", "rate -3"), -2);
  EXPECT_EQ(value_of("rate ([0-9-]+)", "rate 0"), -2);
  EXPECT_EQ(value_of("(", "x"), -1);
  EXPECT_EQ(value_of("(x*)", "aaa"), -2);  // matches nothing, everywhere, and ends
}

TEST(MeasureMetric, APathInJsonTakesTheDocumentOrItsLastLine) {
  EXPECT_EQ(value_of("$.end.sum.bps", R"({"end": {"sum": {"bps": 9.5e9}}})"), 9.5e9);
  EXPECT_EQ(value_of("$.a[1].b", "log line\n{\"a\": [0, {\"b\": \"3.5\"}]}\nbye\n"), 3.5);
  EXPECT_EQ(value_of("$.a", "no json"), -2);
  EXPECT_EQ(value_of("$.a", R"({"b": 1})"), -2);
  EXPECT_EQ(value_of("$.a", R"({"a": {"b": 1}})"), -2);
  EXPECT_EQ(value_of("$.a[9].b", R"({"a": [1]})"), -2);
  EXPECT_EQ(value_of("$.a[01]", R"({"a": [1, 2]})"), -2);
  for (const char* const bad : {"$", "$a", "$.", "$.a[", "$.a[x]", "$..a", "$.a["})
    EXPECT_EQ(value_of(bad, "{}"), -1) << bad;
  EXPECT_EQ(value_of("$.a/b~c", R"({"a/b~c": 4})"), 4);
}

TEST(MeasureMetric, AFailureNamesTheLastLine) {
  const auto reading = Metric::parse("rate ([0-9]+)")->read("one\nSegmentation fault\n\n");
  ASSERT_FALSE(reading);
  EXPECT_NE(reading.error().text.find("Segmentation fault"), std::string::npos);
}

TEST(MeasureMetric, TheLinesOfTestAreAveragedAndKeptApart) {
  const auto line = [](const char* direction, double gbps) {
    return nlohmann::json{{"test", "bandwidth"},
                          {"direction", direction},
                          {"gbps", gbps},
                          {"error", nullptr},
                          {"from", {{"interface", "eth1"}}},
                          {"to", {{"interface", "eth2"}}}}
               .dump() +
           "\n";
  };
  const std::string latency = R"({"test":"latency","error":null})";
  const auto reading =
      Metric::of_test().read(latency + "\n" + line("to-peer", 4) + line("from-peer", 9));
  ASSERT_TRUE(reading) << reading.error().text;
  EXPECT_NEAR(reading->value, 6, 1e-9);
  EXPECT_EQ(reading->strata.size(), 2U);
  EXPECT_FALSE(Metric::of_test().read(latency));
  EXPECT_FALSE(Metric::of_test().read(R"({"test":"bandwidth","error":"it died"})"));
  EXPECT_FALSE(Metric::of_test().read(R"({"test":"bandwidth","error":null,"gbps":"x"})"));
}

TEST(MeasureMetric, AnAllReduceCountsByItsTime) {
  // nccl-tests prints bandwidths with two digits behind the point: that of a small size is 0.00.
  const std::string line = R"({"test":"all-reduce","busbw_gb_per_s":0.0,"error":null,)";
  const auto reading = Metric::of_test().read(line + "\"bytes\":1024,\"time_us\":256}\n" + line +
                                              "\"bytes\":4096,\"time_us\":64}\n");
  ASSERT_TRUE(reading) << reading.error().text;
  EXPECT_NEAR(reading->value, 0.016, 1e-12);
  EXPECT_NEAR(reading->strata.at("all-reduce of 4096 bytes"), 0.064, 1e-12);
  EXPECT_FALSE(Metric::of_test().read(R"({"test":"all-reduce","error":"it died"})"));
  EXPECT_FALSE(Metric::of_test().read(line + "\"bytes\":1024,\"time_us\":0}"));
  // Sizes of two collectives are not one stratum.
  const std::string gather = R"({"test":"all-gather","bytes":4096,"time_us":32})";
  const auto two = Metric::of_test().read(line + "\"bytes\":4096,\"time_us\":64}\n" + gather);
  ASSERT_TRUE(two) << two.error().text;
  EXPECT_NEAR(two->strata.at("all-reduce of 4096 bytes"), 0.064, 1e-12);
  EXPECT_NEAR(two->strata.at("all-gather of 4096 bytes"), 0.128, 1e-12);
}

TEST(MeasureGuards, NameWhatRose) {
  const GuardReading before{{{"eth1.carrier_changes", 2},
                             {"kernel.xid", 0},
                             {"eth2.carrier_changes", 1},
                             {"mlx5_0/1.symbol_error", 5}},
                            {"GPU process 1: x"}};
  GuardReading after = before;
  EXPECT_TRUE(guard_findings(before, after).empty());
  after.counters["eth1.carrier_changes"] = 4;
  after.counters["kernel.xid"] = 1;
  after.counters["eth9.rx_errors"] = 100;  // new: nothing is known of its past
  after.counters["mlx5_0/1.symbol_error"] = 0;
  after.counters.erase("eth2.carrier_changes");
  const auto found = guard_findings(before, after);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0], "the link of eth1 went down or came up");
  EXPECT_NE(found[1].find("Xid"), std::string::npos);
  EXPECT_EQ(found[2], "the interface eth2 is gone");
  after = before;
  after.clock_ahead_s = 0.3;  // slewed
  EXPECT_TRUE(guard_findings(before, after).empty());
  after.clock_ahead_s = -3600;
  after.slept_s = 60;
  EXPECT_EQ(
      guard_findings(before, after),
      (std::vector<std::string>{"the clock was set back by 3600 s", "the node slept for 60 s"}));
  after.jobs.push_back("GPU process 2: y");
  EXPECT_EQ(foreign_jobs(before, after),
            (std::vector<std::string>{"another job began: GPU process 2: y"}));
}

Evidence evidence(double ratio, std::size_t blocks) {
  Evidence out;
  out.seed = 9;
  out.planned = 8;
  out.command = {"./bench"};
  out.a.profile = "tcp-fallback";
  out.b.profile = "tcp-fallback";
  out.b.env["NCCL_ALGO"] = "Ring";
  for (std::size_t i = 0; i < blocks; ++i) {
    const double wobble = 1 + 0.001 * static_cast<double>(i % 5);
    EvidenceBlock block;
    block.block = {b_comes_first(out.seed, i), {100, 101, 99}, {100 * ratio * wobble, 1, 1000}};
    block.strata["eth1"] = block.block;
    block.strata["eth2"] = block.block;
    out.blocks.push_back(block);
  }
  return out;
}

TEST(MeasureEvidence, IsJudgedAgainToTheSame) {
  const Evidence first = evidence(1.05, 8);
  const auto again = evidence_from(to_json(first));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(to_json(*again), to_json(first));
  const Judged judged = judge(*again);
  EXPECT_EQ(judged.judgement.verdict, Verdict::better);
  EXPECT_NEAR(std::expm1(judged.judgement.interval->estimate), 0.052, 0.002);
  EXPECT_NEAR(judged.p, 0.0078, 0.0001);
  EXPECT_EQ(judged.strata.size(), 2U);
  Evidence time = first;
  time.lower_is_better = true;
  EXPECT_EQ(judge(time).judgement.verdict, Verdict::worse);
  EXPECT_EQ(judge(evidence(1.05, 5)).judgement.verdict, Verdict::undecided);
  EXPECT_EQ(judge(evidence(1.05, 0)).judgement.missing, 8U);
  EXPECT_EQ(again->b.name(), "tcp-fallback env.NCCL_ALGO=Ring");
}

TEST(MeasureEvidence, AMetricThatIsTheSameInAllRunsDidNotMeasure) {
  Evidence same = evidence(1, 8);
  for (EvidenceBlock& one : same.blocks) one.block.a = one.block.b = {5, 5};
  same.noise = {same.blocks[0]};
  same.metric = "rate ([0-9]+)";
  EXPECT_EQ(judge(same).judgement.verdict, Verdict::constant);
  const std::string text = program::text_of_verdict(same, cli::Style{});
  EXPECT_EQ(text,
            "the metric is constant: it was 5 in all runs of A and of B, so it did not measure; "
            "check --metric 'rate ([0-9]+)'\n");
  const auto again = evidence_from(to_json(same));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(judge(*again).judgement.verdict, Verdict::constant);
  Evidence early = same;
  early.blocks.resize(3);
  EXPECT_EQ(judge(early).judgement.verdict, Verdict::undecided);
  Evidence other = same;
  other.noise[0].block.b[1] = 5.001;  // one run of many
  EXPECT_EQ(judge(other).judgement.verdict, Verdict::equivalent);
  for (EvidenceBlock& one : same.blocks) one.block.b = {6, 6};  // each constant, and different
  EXPECT_EQ(judge(same).judgement.verdict, Verdict::better);
}

TEST(MeasureEvidence, NotesFailuresAndArrivalsAreKept) {
  Evidence first = evidence(1.05, 8);
  first.notes = {"X=1 of B did not arrive: \x1b"};
  first.failures_allowed = 5;
  first.runs_a = {24, 0};
  first.runs_b = {30, 6};
  first.variables = {{"B", "X=1", false}, {"B", "Y=1", {}}, {"A", "Y=2", true}};
  const auto again = evidence_from(to_json(first));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(to_json(*again), to_json(first));
  EXPECT_EQ(again->notes, first.notes);
  EXPECT_EQ(program::text_of_notes(again->notes), "note: X=1 of B did not arrive: \\x1b\n");
  EXPECT_EQ(program::text_of_notes(again->notes, first.notes), "");
  const auto json = nlohmann::json::parse(to_json(first));
  EXPECT_EQ(json["failures"]["b"]["failed"], 6);
  EXPECT_EQ(json["variables"][0]["arrived"], false);
  EXPECT_TRUE(json["variables"][1]["arrived"].is_null());
  EXPECT_EQ(program::text_of_failures(first),
            "runs that failed: A 0 of 24, B 6 of 30 (Fisher's exact test: p 0.0282; no verdict)\n"
            "the metric is that of the runs that did not fail\n");
  EXPECT_EQ(judge(first).judgement.verdict, Verdict::better);  // failures are none
  first.runs_b.failed = 0;
  EXPECT_EQ(program::text_of_failures(first), "");
}

TEST(MeasureEvidence, FarWorseIsJudgedAgainToTheSame) {
  Evidence first = evidence(0.4, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    first.noise.push_back(first.blocks[i]);
    first.noise.back().block.b = {100, 101, 99.9};
  }
  const auto again = evidence_from(to_json(first));
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_TRUE(judge(*again).judgement.ended_early);
  EXPECT_EQ(nlohmann::json::parse(to_json(first))["verdict"]["ended_early"], true);
  EXPECT_EQ(program::text_of_verdict(*again, cli::Style{}),
            "B is worse, ended early: -59.9 %  [*]      |  87.5 %: -60.0 to -59.9 %, 4 blocks\n");
  first.noise.pop_back();
  EXPECT_EQ(judge(first).judgement.verdict, Verdict::undecided);
}

TEST(MeasurePrintAb, OneLineHasTheVerdictAndTheIntervalDrawn) {
  EXPECT_EQ(program::text_of_verdict(evidence(1.05, 8), cli::Style{}),
            "B is better by +5.16 %  |                  [*]  95 %: +5.05 to +5.31 %, 8 blocks\n"
            "  eth1: +5.16 %, 95 % interval +5.05 % to +5.31 %\n"
            "  eth2: +5.16 %, 95 % interval +5.05 % to +5.31 %\n");
  cli::Style colours;
  colours.color = true;
  EXPECT_NE(program::text_of_verdict(evidence(1.05, 8), colours).find("  |                  [*]  "),
            std::string::npos);
  EXPECT_EQ(program::text_of_verdict(evidence(1.05, 5), cli::Style{}),
            "not decided: no interval before 3 more blocks\n");
  EXPECT_EQ(program::drawn({0, -0.1, 0.1}, 11), "[----*----]");
  EXPECT_EQ(program::drawn({0.05, -0.1, 0.1}, 21), "[---------|----*----]");
  EXPECT_EQ(program::drawn({0.1, 0.1, 0.1}, 10), "|      [*]");
  EXPECT_EQ(program::drawn({-0.1, -0.1, -0.1}, 10), "[*]      |");
  EXPECT_NE(program::drawn({0, 0, 0}, 10).find("[*]"), std::string::npos);
  for (const double estimate : {1e-9, 1e308, -1e308, 700.0})
    EXPECT_LE(program::drawn({estimate, -1e-9, estimate}, 24).size(), 24U) << estimate;
}

TEST(MeasureEvidence, WhatWasChangedOrIsNoneIsNamed) {
  auto json = nlohmann::ordered_json::parse(to_json(evidence(1.05, 8)));
  const auto wrong = [](const nlohmann::ordered_json& one) {
    const auto read = evidence_from(one.dump());
    return read ? std::string("it was read") : read.error().text;
  };
  auto turned = json;
  turned["blocks"][3]["b_first"] = !turned["blocks"][3]["b_first"].get<bool>();
  EXPECT_NE(wrong(turned).find("block 4"), std::string::npos);
  auto zero = json;
  zero["blocks"][0]["a"][0] = 0;
  EXPECT_NE(wrong(zero).find("above 0"), std::string::npos);
  auto text = json;
  text["blocks"][0]["b"] = "fast";
  EXPECT_NE(wrong(text).find("blocks[0].b"), std::string::npos);
  auto huge = json;
  huge["planned_blocks"] = 1'000'000'000;
  EXPECT_NE(wrong(huge).find("planned_blocks"), std::string::npos);
  auto many = json;
  many["blocks"][0]["a"] = std::vector<double>(100'000, 1.0);
  EXPECT_NE(wrong(many).find("blocks[0].a"), std::string::npos);
  for (const char* const bad :
       {"", "[]", "{}", R"({"kind":"ab"})", "\xff", R"({"kind":"ab","schema":2})"})
    EXPECT_FALSE(evidence_from(bad)) << bad;
}

template <class Options, class Make>
std::string line_error(Options& options, Make make, std::vector<const char*> words) {
  const auto read = cli::read_program_line(make(options), words);
  return read ? std::string() : read.error().text;
}

program::Arms arms_in(std::vector<const char*> words, std::string& error) {
  program::AbOptions options;
  error = line_error(options, program::ab_program, words);
  const auto arms = program::arms_of(options);
  if (!arms) error += arms.error().text;
  return arms.value_or(program::Arms{});
}

TEST(MeasureAbOptions, ArmsAreProfilesTheNodeAsItIsOrVariables) {
  std::string error;
  program::Arms arms = arms_in(
      {"tcp-fallback", "--set", "rate=5", "--set", "env.NCCL_ALGO=Ring,Tree", "--", "x"}, error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(arms.a.name(), "tcp-fallback");
  EXPECT_EQ(arms.b.name(), "tcp-fallback rate=5 env.NCCL_ALGO=Ring,Tree");
  arms = arms_in({"current", "env.NCCL_IB_HCA=mlx5_0,mlx5_1", "--", "x"}, error);
  EXPECT_EQ(error, "");
  EXPECT_EQ(arms.a.name(), "current");
  EXPECT_EQ(arms.b.env.at("NCCL_IB_HCA"), "mlx5_0,mlx5_1");
  arms = arms_in({"p1", "p2", "--set", "v=1", "--", "x"}, error);
  EXPECT_EQ(arms.a.set, arms.b.set);
  for (const std::vector<const char*>& bad : {std::vector<const char*>{"--", "x"},
                                              {"a", "b", "c", "--", "x"},
                                              {"current", "--", "x"},
                                              {"current", "--set", "v=1", "--", "x"},
                                              {"../x", "current", "--", "x"},
                                              {"current", "env.A B=1", "--", "x"},
                                              {"current", "env.=1", "--", "x"},
                                              {"env.X", "current", "--", "x"}}) {
    (void)arms_in(bad, error);
    EXPECT_NE(error, "") << bad[0];
  }
}

TEST(MeasureAbOptions, NumbersAreBoundedAndMistakesNamed) {
  const auto error_of = [](std::vector<const char*> words) {
    program::AbOptions options;
    const std::string error = line_error(options, program::ab_program, words);
    const auto request = program::request_of(options);
    const auto delta = program::delta_of(options.delta);
    return error + (request ? "" : request.error().text) + (delta ? "" : delta.error().text);
  };
  EXPECT_EQ(error_of({"a", "b", "--", "x"}), "");
  EXPECT_NE(error_of({"a", "b"}).find("after --"), std::string::npos);
  EXPECT_NE(error_of({"a", "b", "--repeats", "0", "--", "x"}).find("--repeats"), std::string::npos);
  EXPECT_NE(error_of({"a", "b", "--repeats", "1000000000", "--", "x"}).find("--repeats"),
            std::string::npos);
  EXPECT_NE(error_of({"a", "b", "--failures", "-1", "--", "x"}).find("--failures"),
            std::string::npos);
  EXPECT_NE(error_of({"a", "b", "--blocks", "7", "--", "x"}).find("--blocks"), std::string::npos);
  EXPECT_NE(error_of({"a", "b", "--delta", "0", "--", "x"}).find("--delta"), std::string::npos);
  EXPECT_NE(error_of({"a", "b", "--delta", "nan%", "--", "x"}).find("--delta"), std::string::npos);
  EXPECT_NE(error_of({"a", "b", "--max-time", "3w", "--", "x"}).find("--max-time"),
            std::string::npos);
  EXPECT_NE(error_of({"a", "b", "--metric", "(", "--", "x"}).find("--metric"), std::string::npos);
  EXPECT_NE(error_of({"a", "b", "--with", "iperf", "--", "x"}).find("--with"), std::string::npos);
  EXPECT_NE(error_of({"a", "b", "--with", "test", "--metric", "x", "--", "x"}).find("metric"),
            std::string::npos);
  EXPECT_NEAR(*program::delta_of("3%"), 0.03, 1e-12);
  EXPECT_NEAR(*program::delta_of("0.03"), 0.03, 1e-12);
}

TEST(MeasureTestOptions, NumbersAreBoundedAndMistakesNamed) {
  const auto error_of = [](std::vector<const char*> words) {
    program::TestOptions options;
    const std::string error = line_error(options, program::test_program, words);
    const auto request = program::request_of(options);
    return error + (request ? "" : request.error().text);
  };
  EXPECT_EQ(error_of({"n2", "--streams", "4", "--seconds", "2", "--", "ssh", "-p", "2222", "n2"}),
            "");
  for (const char* const option : {"--streams", "--seconds", "--count", "--write-bytes"})
    for (const char* const bad : {"0", "-1", "1000000000", "1.5", "x"})
      EXPECT_NE(error_of({"n2", option, bad}).find(option), std::string::npos) << option << bad;
}

TEST(MeasureTestOptions, AnAllReduceTakesPeersAndFewOptions) {
  program::TestOptions options;
  EXPECT_EQ(line_error(options, program::test_program, {"--nccl", "n2", "n3", "--seconds", "9"}),
            "");
  EXPECT_TRUE(options.nccl);
  EXPECT_EQ(options.peer, "n2");
  EXPECT_EQ(options.others, std::vector<std::string>{"n3"});
  const auto request = program::nccl_request_of(options);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->seconds, 9U);
  EXPECT_TRUE(request->is_all_reduce_alone());
  const auto error_of = [](std::vector<const char*> words) {
    program::TestOptions wrong;
    words.insert(words.begin(), "--nccl");
    const std::string error = line_error(wrong, program::test_program, words);
    const auto made = program::nccl_request_of(wrong);
    return error + (made ? "" : made.error().text);
  };
  EXPECT_EQ(error_of({}), "");
  EXPECT_EQ(error_of({"n2", "--address", "10.0.0.2", "--ports", "29400-29410", "--share", "--",
                      "ssh", "-p", "2222", "n2"}),
            "");
  for (const char* const option : {"--streams", "--count", "--write-bytes", "--transport"})
    EXPECT_NE(error_of({"n2", option, "1"}).find(option), std::string::npos) << option;
  for (const char* const option : {"--mesh", "--referee"})
    EXPECT_NE(error_of({"n2", option}).find(option), std::string::npos) << option;
  EXPECT_NE(error_of({"n2", "--seconds", "0"}).find("--seconds"), std::string::npos);
  EXPECT_NE(error_of({"--address", "10.0.0.2"}).find("name the peer"), std::string::npos);
  EXPECT_EQ(error_of({"--collective", "all_gather,alltoall,reduce_scatter,all_gather"}), "");
  EXPECT_EQ(error_of({"n2", "--collective", "all_reduce"}), "");
  for (const char* const bad : {"all-gather", "all_gather,", ",", "broadcast", "\x1b"})
    EXPECT_NE(error_of({"--collective", bad}).find("--collective takes all_reduce"),
              std::string::npos)
        << bad;
  EXPECT_NE(error_of({"n2", "--collective", "all_gather"}).find("nettune render nccl-tests"),
            std::string::npos);
  EXPECT_NE(error_of({"--", "x"}).find("name the peer"), std::string::npos);
  EXPECT_NE(error_of({"n2", "n3", "--", "x"}).find("for one peer"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::measure
