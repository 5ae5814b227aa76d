// SPDX-License-Identifier: Apache-2.0
//
// What people have at hand: logs of nccl-tests, DDP's logging data, traces of PyTorch's profiler;
// lines in the shape of those that the sources named here print.

#include "tools/advise/readers.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/advise/trace.hpp"
#include "unit/tools/advise/fixture.hpp"

namespace nettune::tools::advise {
namespace {

TEST(AdviseTestResults, WhatTheSnippetWrote) {
  const TraceReader reader =
      read(R"({"ranks": 2, "backend": "gloo", "all_reduce": [[65536, 0.004], [1048576, 0.044]]})");
  Job job;
  ASSERT_TRUE(*take_all_reduce(reader.scalars(), reader.numbers(), "t.json", job));
  choose_table(job);
  EXPECT_EQ(job.backend, "gloo");
  EXPECT_EQ(job.table_ranks, 2);
  EXPECT_DOUBLE_EQ(job.table.at(1048576), .044);
  for (const char* const wrong :
       {R"({"ranks": 1, "all_reduce": [[1, 2]]})", R"({"ranks": 2})",
        R"({"ranks": 2, "all_reduce": [[1, 2, 3]]})", R"({"ranks": 2, "all_reduce": [[0, 0]]})"}) {
    const TraceReader other = read(wrong);
    EXPECT_FALSE(*take_all_reduce(other.scalars(), other.numbers(), "t.json", job)) << wrong;
  }
}

TEST(AdviseTestResults, TheJobsOwnBackendIsTakenAndOthersAreKept) {
  const auto add = [](Job& job, std::string backend, double seconds) {
    const std::map<std::string, std::string> scalars = {{"ranks", "2"}, {"backend", backend}};
    ASSERT_TRUE(*take_all_reduce(scalars, {1e6, seconds}, backend + ".json", job));
  };
  Job job;
  add(job, "nccl", .001);
  add(job, "gloo", .1);
  choose_table(job);
  EXPECT_EQ(job.table_from, "gloo.json");  // the last one, where nothing says which is the job's
  EXPECT_EQ(job.tables.size(), 2U);
  job.backend = "nccl";
  choose_table(job);
  EXPECT_EQ(job.table_from, "nccl.json");
  EXPECT_EQ(backend_named("x\ny"), "");
}

// NVIDIA/nccl, plugins/profiler/inspector/README.md: one record a collective; later ones leave the
// header to a record in front.
TEST(AdviseTestResults, RecordsOfTheInspector) {
  TraceReader reader = read(
      R"({"header": {"id": "0x1", "rank": 2, "n_ranks": 16, "nnodes": 2}, "metadata": {"hostname": "n1", "pid": 5},
          "coll_perf": {"coll": "AllReduce", "coll_sn": 7, "coll_msg_size_bytes": 26214400,
                        "coll_exec_time_us": 1400, "coll_busbw_gbs": 35.1}}
         {"coll_perf": {"coll": "AllReduce", "coll_sn": 8, "coll_msg_size_bytes": 26214400, "coll_exec_time_us": 1200}}
         {"coll_perf": {"coll": "Broadcast", "coll_sn": 9, "coll_msg_size_bytes": 64, "coll_exec_time_us": 30}}
         {"dump_stats": {"coll_dropped_total": 0}})");
  ASSERT_TRUE(reader.is_inspector());
  Job job;
  take_collectives({*reader.finish()}, "inspector.log", job);
  EXPECT_EQ(job.table_ranks, 16);
  ASSERT_EQ(job.table.points().size(), 1U);
  EXPECT_NEAR(job.table.at(26214400), 1200e-6, 1e-9);
  EXPECT_EQ(job.collectives.size(), 2U);
  EXPECT_FALSE(job.exposed_s);
}

TEST(AdviseTestResults, ByNettuneTestIsARingOverTheSlowestPath) {
  // Two lines of `nettune test --json`, and a third that failed.
  const TraceReader reader = read(
      R"({"schema": 1, "kind": "test", "test": "latency", "round_trip_us": {"count": 9, "p50": 40.0}}
         {"schema": 1, "kind": "test", "test": "bandwidth", "gbps": 80.0}
         {"schema": 1, "kind": "test", "test": "bandwidth", "gbps": 40.0}
         {"schema": 1, "kind": "test", "test": "bandwidth", "error": "refused"})");
  Job job;
  ASSERT_TRUE(*take_test_results(reader.documents(), "t.jsonl", job));
  estimate_table(job);
  EXPECT_TRUE(job.table.empty());  // of how many ranks?
  job.ranks = Known{4, "--ranks"};
  estimate_table(job);
  EXPECT_TRUE(job.table_is_estimated);
  EXPECT_NEAR(job.table.at(1048576 * 64), 6 * 20e-6 + 1.5 * 1048576 * 64 / 5e9, 1e-9);
}

/// What `nettune test --nccl --json` prints of one size (src/tools/measure/measurement.cpp).
std::string nccl_line(const char* transport, int ranks, const char* to, double bytes,
                      double time_us, const char* wrong = "0") {
  return nlohmann::ordered_json{
             {"schema", 1},
             {"kind", "test"},
             {"test", "all-reduce"},
             {"transport", transport},
             {"direction", "both"},
             {"from", {{"host", "n1"}, {"counters_before", {{"RetransSegs", 3}}}}},
             {"to", {{"host", to}}},
             {"error", nullptr},
             {"program", "PyTorch 2.6.0"},
             {"ranks", ranks},
             {"hosts", {"n1", to}},
             {"bytes", bytes},
             {"time_us", time_us},
             {"wrong", nlohmann::ordered_json::parse(wrong)},
             {"verdict", "unknown"}}
             .dump() +
         "\n";
}

TEST(AdviseTestResults, ByNettuneTestNcclIsMeasured) {
  const TraceReader reader = read(
      nccl_line("nccl", 16, "n2", 65536, 80) + nccl_line("nccl", 16, "n2", 1 << 26, 1800) +
      nccl_line("gloo", 2, "n1", 65536, 300) +
      R"({"schema": 1, "kind": "nccl-explain", "verdict": {"main": "ib"}, "edges": [[1], [2]]})");
  Job job;
  const auto taken = take_test_results(reader.documents(), "nccl.json", job);
  ASSERT_TRUE(taken) << taken.error().text;
  ASSERT_TRUE(*taken);
  ASSERT_EQ(job.tables.size(), 2U);
  job.backend = "nccl";
  choose_table(job);
  EXPECT_EQ(job.table_ranks, 16);
  EXPECT_FALSE(job.table_is_one_node);
  EXPECT_NEAR(job.table.at(1 << 26), 1800e-6, 1e-12);
  EXPECT_NEAR(job.table.at(65536), 80e-6, 1e-12);
  EXPECT_TRUE(job.table.has_slope());
  job.backend = "gloo";
  choose_table(job);
  EXPECT_TRUE(job.table_is_one_node);
}

TEST(AdviseTestResults, ByNettuneTestNcclOtherCollectivesAreNoAllReduce) {
  const auto other = [](std::string text) {
    text.replace(text.find("all-reduce"), 10, "all-gather");
    return text;
  };
  const TraceReader reader =
      read(nccl_line("nccl", 8, "n2", 65536, 80) + other(nccl_line("nccl", 8, "n2", 65536, 9)));
  Job job;
  ASSERT_TRUE(*take_test_results(reader.documents(), "nccl.json", job));
  ASSERT_EQ(job.tables.size(), 1U);
  EXPECT_NEAR(job.tables[0].table.at(65536), 80e-6, 1e-12);
  EXPECT_EQ(job.notes,
            std::vector<std::string>{
                "nccl.json has all-gather: not used, as only DDP is modelled, by its all-reduce"});
  const TraceReader alone = read(other(nccl_line("nccl", 8, "n2", 65536, 9)));
  const auto taken = take_test_results(alone.documents(), "nccl.json", job);
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().text.find("has no all-reduce; all-gather: not used"), std::string::npos);
}

TEST(AdviseTestResults, ByNettuneTestNcclSaysThatASizeIsMissing) {
  const TraceReader reader = read(
      nccl_line("nccl", 8, "n2", 65536, 80) + nccl_line("nccl", 8, "n2", 1 << 26, 1800) +
      R"({"kind": "test", "test": "all-reduce", "error": "all_reduce_perf failed (signal 9): x"})");
  Job job;
  ASSERT_TRUE(*take_test_results(reader.documents(), "nccl.json", job));
  EXPECT_EQ(job.tables.size(), 1U);
  EXPECT_EQ(job.notes, std::vector<std::string>{
                           "nccl.json: an all-reduce failed: all_reduce_perf failed (signal 9): x; "
                           "the sizes behind it are missing"});
}

TEST(AdviseTestResults, ByNettuneTestNcclIsRefusedWhereItFailed) {
  const auto error = [](const std::string& text) {
    const TraceReader reader = read(text);
    Job job;
    const auto taken = take_test_results(reader.documents(), "nccl.json", job);
    return taken ? std::string("taken") : taken.error().text;
  };
  EXPECT_NE(error(nccl_line("nccl", 8, "n2", 1e6, 50, "17")).find("17 values of the sum"),
            std::string::npos);
  EXPECT_NE(error(R"({"kind": "test", "test": "all-reduce", "error": "no route to n2"})")
                .find("no route to n2"),
            std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::advise
