// SPDX-License-Identifier: Apache-2.0
//
// What people have at hand: logs of nccl-tests, DDP's logging data, traces of PyTorch's profiler;
// lines in the shape of those that the sources named here print.

#include "tools/advise/readers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "tools/advise/parallelism.hpp"
#include "tools/advise/trace.hpp"
#include "tools/nccl/log/tests_table.hpp"

namespace nettune::tools::advise {
namespace {

// NVIDIA/nccl-tests, src/common.cu: version 2.10 and later have a column "root"; before, "error"
// was where "#wrong" is.
const char* const kNew =
    "# nThread 1 nGpus 4 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 5 iters: "
    "20\n"
    "#  Rank  0 Group  0 Pid  10 on   n0 device  0 [0x1b] NVIDIA H100\n"
    "#  Rank  1 Group  0 Pid  11 on   n0 device  1 [0x1c] NVIDIA H100\n"
    "#  Rank  2 Group  0 Pid  12 on   n1 device  0 [0x1b] NVIDIA H100\n"
    "#  Rank  3 Group  0 Pid  13 on   n1 device  1 [0x1c] NVIDIA H100\n"
    "#                                                              out-of-place                   "
    "    in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
    "time\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
    "(us)\n"
    "     1048576        262144     float     sum      -1    52.43   20.00   30.00      0    51.0\n"
    "n0:10:10 [0] NCCL INFO something between the lines\n"
    "     4194304       1048576     float     sum      -1    167.8   25.00   37.50      0   160.0\n"
    "# Out of bounds values : 0 OK\n";
const char* const kOld =
    "# nThread 1 nGpus 8 minBytes 8 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20\n"
    "#       size         count    type   redop     time   algbw   busbw  error     time   algbw\n"
    "           8             2   float     sum    34.66    0.00    0.00    N/A    34.84    0.00\n"
    "     2097152        524288   float     sum    104.9   20.00   35.00    N/A    96.10   21.82\n";

TEST(AdviseNcclTests, BothLayoutsAreRead) {
  ASSERT_TRUE(is_nccl_tests(kNew));
  const auto of_new = read_nccl_tests(kNew);
  ASSERT_TRUE(of_new) << of_new.error().text;
  EXPECT_EQ(of_new->ranks, 4);
  EXPECT_FALSE(of_new->is_one_node);
  ASSERT_EQ(of_new->table.points().size(), 2U);
  EXPECT_DOUBLE_EQ(of_new->table.at(4194304), 167.8e-6);
  const auto of_old = read_nccl_tests(kOld);
  ASSERT_TRUE(of_old);
  EXPECT_EQ(of_old->ranks, 8);  // 35/20 is 2(n-1)/n of 8
  EXPECT_DOUBLE_EQ(of_old->table.at(8), 34.66e-6);
}

TEST(AdviseNcclTests, AnotherCollectiveIsRefused) {
  std::string gather = kNew;
  for (std::size_t at = gather.find("37.50"); at != std::string::npos; at = gather.find("37.50"))
    gather.replace(at, 5, "18.75");
  const auto read = read_nccl_tests(gather);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text.find("all_reduce_perf"), std::string::npos);
  // An all-to-all leaves the column of the operation blank; its bus bandwidth is (n-1)/n.
  std::string all_to_all = gather;
  for (std::size_t at = all_to_all.find(" sum "); at != std::string::npos;
       at = all_to_all.find(" sum "))
    all_to_all.replace(at, 5, "     ");
  EXPECT_NE(read_nccl_tests(all_to_all).error().text.find("all_reduce_perf"), std::string::npos);
  // Of two ranks or an unknown number the bus bandwidth of a broadcast or a reduce is that of an
  // all-reduce, but not the operation and the root.
  const auto error = [](const char* ranks, const char* cells) {
    const auto one = read_nccl_tests(cat("# nThread 1\n", ranks,
                                         "# size count type redop root time algbw busbw #wrong\n",
                                         " 1048576 262144 float ", cells, " 0\n"));
    return one ? "" : one.error().text;
  };
  const char* const two = "# Rank 0 on n0\n# Rank 1 on n0\n";
  EXPECT_EQ(error(two, "sum -1 100.0 10.49 10.49"), "");
  EXPECT_EQ(error("", "sum -1 100.0 10.49 15.73"), "");
  EXPECT_NE(error(two, "none 0 100.0 10.49 10.49").find("operation"), std::string::npos);
  EXPECT_NE(error(two, "sum 0 100.0 10.49 10.49").find("root"), std::string::npos);
  EXPECT_NE(error(two, "sum -1 100.0 10.49 5.24").find("bus bandwidth"), std::string::npos);
  EXPECT_NE(error("", "sum -1 100.0 10.49 9.18").find("bus bandwidth"), std::string::npos);
  EXPECT_FALSE(read_nccl_tests("# nThread 1\n# size count type redop root time algbw busbw\n"));
}

TEST(AdviseNcclTests, NumbersThatNoTestPrintsAreNamed) {
  const auto beyond = [](const char* row) {
    const auto table = nccl::log::read_tests_table(
        cat("# nThread 1\n# size count type redop root time algbw busbw #wrong\n", row, "\n"));
    EXPECT_TRUE(table.rows.size() == (table.beyond.empty() ? 1U : 0U)) << row;
    return table.beyond;
  };
  EXPECT_EQ(beyond("8 2 float sum -1 34.66 0.00 0.00 0"), "");
  EXPECT_EQ(beyond("8 2 float sum -1 34.66 0.00 0.00 N/A"), "");
  EXPECT_EQ(beyond("8 2 float sum -1 1e400 0.00 0.00 0"), "1e400");
  // These become integers.
  EXPECT_EQ(beyond("1e300 2 float sum -1 34.66 0.00 0.00 0"), "1e300");
  EXPECT_EQ(beyond("8 2 float sum -1 34.66 0.00 0.00 1e300"), "1e300");
  EXPECT_EQ(beyond("8 2 float sum -1 34.66 0.00 0.00 -1"), "-1");
}

// torch/csrc/distributed/c10d/logger.cpp, operator<<; times are nanoseconds.
TEST(AdviseDdpLog, LinesOfDetail) {
  const DdpLog log = read_ddp_lines(
      "I1124 12:00:00 logger.cpp:352] [Rank 3 / 16] [before iteration 20] Training ResNet "
      "unused_parameter_size=0 \n Avg forward compute time: 30000000 \n Avg backward compute time: "
      "65000000 \n Avg backward comm. time: 70000000 \n Avg backward comm/comp overlap time: "
      "60000000\nbucket_sizes: 2052000, 28852224, 15853824\nfind_unused_parameters: 1\n");
  ASSERT_TRUE(is_ddp_log(log));
  Job job;
  ASSERT_TRUE(take_ddp_log(log, "job.log", job));
  EXPECT_DOUBLE_EQ(job.backward_s->value, .065);
  EXPECT_DOUBLE_EQ(job.forward_s->value, .030);
  EXPECT_NEAR(job.exposed_s->value, .010, 1e-12);
  EXPECT_DOUBLE_EQ(job.communication_s->value, .070);
  EXPECT_EQ(job.ranks->value, 16);
  EXPECT_EQ(job.buckets, (std::vector<double>{2052000, 28852224, 15853824}));
  EXPECT_TRUE(job.find_unused);
  EXPECT_TRUE(job.measured_in_job);
  EXPECT_FALSE(is_ddp_log(read_ddp_lines("nothing: here\n")));
}

TraceReader read(const std::string& text) {
  struct OneByte : json::Source {
    std::string_view text;
    std::size_t at = 0;
    Result<std::size_t> read(char* to, std::size_t size) override {
      const std::size_t some = std::min({size, text.size() - at, std::size_t{7}});
      text.copy(to, some, at);
      at += some;
      return some;
    }
  } source;
  source.text = text;
  TraceReader reader;
  const auto done = json::read_stream(source, reader);
  EXPECT_TRUE(done) << (done ? "" : done.error().text);
  return reader;
}

TEST(AdviseDdpLog, AJsonObject) {
  const TraceReader reader = read(
      R"({"rank": 0, "world_size": 8, "bucket_cap_bytes": 26214400, "avg_backward_compute_time": 65000000,
          "bucket_sizes": "100, 200", "rebuilt_bucket_sizes": "50, 250", "dtypes": "float",
          "device_ids": "0", "comm_hook": "bf16_compress_hook"})");
  EXPECT_FALSE(reader.is_trace());
  Job job;
  ASSERT_TRUE(take_ddp_log(reader.scalars(), "ddp.json", job));
  EXPECT_EQ(job.buckets, (std::vector<double>{50, 250}));  // those of every step but the first
  EXPECT_EQ(job.bucket_cap, 26214400);
  EXPECT_EQ(job.bytes_per_element, 2);
  EXPECT_EQ(read("[4, 8, 15]").numbers(), (std::vector<double>{4, 8, 15}));
  EXPECT_EQ(read(R"({"parameters": [4, 8], "x": [9]})").numbers(), (std::vector<double>{4, 8}));
}

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

TEST(AdviseDdpLog, SeveralRanksShowTheirSpread) {
  Job job;
  for (const auto& [rank, backward] : {std::pair{0, 60}, {1, 80}, {2, 62}, {2, 62}})
    ASSERT_TRUE(take_ddp_log(
        read_ddp_lines(cat("[Rank ", rank, " / 3] avg_forward_compute_time: 30000000\n",
                           "backend_name: nccl\navg_backward_compute_time: ", backward,
                           "000000\n")),
        "ddp.log", job));
  compare_ranks(job);
  EXPECT_EQ(job.backend, "nccl");
  ASSERT_EQ(job.by_rank.size(), 3U);
  EXPECT_NEAR(job.backward_s->value, .062, 1e-9);  // of the median rank, whatever came last
  EXPECT_NEAR(job.sigma->value, std::sqrt((.002 * .002 + .018 * .018) / 2) / .092, 1e-9);
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

/// What `nettune test --nccl --json` prints of one size (src/measure/result.cpp).
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

/// Events as Kineto writes them (pytorch/kineto, libkineto/src/output_json.cpp): kernels of NCCL
/// carry what record_param_comms noted.
class TraceText {
 public:
  explicit TraceText(int rank = 0) : rank_(rank) {}
  TraceText& kernel(const std::string& name, double begin_us, double us, int stream = 7) {
    return event("kernel", name, begin_us, us, cat("\"device\": 0, \"stream\": ", stream));
  }
  /// A kernel of NCCL without what record_param_comms notes: the profiler of old releases, or a
  /// library that was not built with it.
  TraceText& bare(const std::string& name, double begin_us, double us) {
    return kernel(name, begin_us, us, 20);
  }
  TraceText& all_reduce(double begin_us, double us, int elements) {
    return event(
        "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        begin_us, us,
        cat("\"stream\": 20, \"Collective name\": \"allreduce\", \"In msg nelems\": ", elements,
            ", \"Out msg nelems\": ", elements,
            ", \"Group size\": 2, \"dtype\": \"Float\", \"Process Group Ranks\": \"[0, 1]\""));
  }
  TraceText& step(int number, double begin_us, double us,
                  const char* category = "gpu_user_annotation") {
    return event(category, cat("ProfilerStep#", number), begin_us, us, "");
  }
  TraceText& event(const std::string& category, const std::string& name, double begin_us, double us,
                   const std::string& args) {
    std::array<char, 96> times{};
    std::snprintf(times.data(), times.size(), "\"ts\": %.3f, \"dur\": %.3f", begin_us, us);
    events_.push_back(cat("{\"ph\": \"X\", \"cat\": \"", category, "\", \"name\": \"", name,
                          "\", \"pid\": 0, \"tid\": 7, ", std::string(times.data()),
                          ", \"args\": {\"External id\": 5", args.empty() ? "" : ", ", args, "}}"));
    return *this;
  }
  std::string text() const {
    return cat(
        "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100\"}],",
        "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": ", rank_,
        ", \"world_size\": 2, \"pg_config\": [{\"ranks\": [0, 1]}]},",
        "\"traceEvents\": [{\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 1.5, \"pid\": "
        "\"Spans\", \"args\": {\"name\": \"python \\u00e9\"}}, ",
        join(events_, ", "), "], \"traceName\": \"t.json\"}");
  }

 private:
  int rank_;
  std::vector<std::string> events_;
};

TEST(AdviseTrace, ExposedCommunicationEqualsTheHandCalculation) {
  // Step 1, 0 to 1000 us: compute 0-400 and 300-500 (they overlap) and 700-800; NCCL 450-750; a
  // copy 900-950. Compute is 500 + 100, NCCL 300, exposed 500-700, idle 800-900 and 950-1000.
  // Events are in no order, as in traces.
  TraceText trace;
  trace.all_reduce(450, 300, 262144)
      .step(1, 0, 1000)
      .kernel("ampere_sgemm_128x64_nn", 300, 200)
      .kernel("void at::native::vectorized_elementwise_kernel", 700, 100, 8)
      .kernel("ampere_sgemm_128x64_nt", 0, 400)
      .event("gpu_memcpy", "Memcpy HtoD", 900, 50, "")
      .event("cpu_op", "aten::mm", 0, 5000, "")
      .event("user_annotation", "ProfilerStep#1", 0, 4000, "");
  TraceReader reader = read(trace.text());
  ASSERT_TRUE(reader.is_trace());
  const Trace read_trace = *reader.finish();
  ASSERT_EQ(read_trace.steps.size(), 1U);
  const TraceStep& step = read_trace.steps[0];
  EXPECT_NEAR(step.window_s, 1000e-6, 1e-12);
  EXPECT_NEAR(step.compute_s, 600e-6, 1e-12);
  EXPECT_NEAR(step.communication_s, 300e-6, 1e-12);
  EXPECT_NEAR(step.exposed_s, 200e-6, 1e-12);
  EXPECT_NEAR(step.idle_s, 150e-6, 1e-12);
  EXPECT_EQ(step.all_reduces, std::vector<double>{1048576});
  EXPECT_EQ(read_trace.rank, 0);
  EXPECT_EQ(read_trace.ranks, 2);
  ASSERT_EQ(read_trace.collectives.size(), 1U);
  EXPECT_EQ(read_trace.collectives[0].bytes, 1048576);
}

TEST(AdviseTrace, AStepWithoutATimeIsNone) {
  const auto job_of = [](const std::string& text) {
    TraceReader reader = read(text);
    Job job;
    take_traces({*reader.finish()}, "t.json", job);
    return job;
  };
  const Job job = job_of(TraceText().step(1, 0, 0).kernel("gemm", 100, 50).text());
  ASSERT_TRUE(job.step_s);
  EXPECT_NEAR(job.step_s->value, 50e-6, 1e-12);
  EXPECT_FALSE(job_of(TraceText().kernel("gemm", 100, 0).text()).step_s);
}

TEST(AdviseTrace, TheKernelsNameSaysTheCollectiveWhereTheMetadataIsMissing) {
  const auto job_of = [](const std::vector<const char*>& kernels) {
    TraceText trace;
    trace.step(1, 0, 1000).kernel("gemm", 0, 100);
    for (std::size_t i = 0; i < kernels.size(); ++i)
      trace.bare(kernels[i], 100 + 10 * static_cast<double>(i), 10);
    TraceReader reader = read(trace.text());
    Job job;
    take_traces({*reader.finish()}, "t.json", job);
    return job;
  };
  // FSDP by NCCL 2.19 and later, 2.8 to 2.18, and older ones.
  for (const auto& [gather, scatter] :
       {std::pair("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                  "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevComm*)"),
        {"ncclKernel_AllGather_RING_LL_Sum_int8_t", "ncclKernel_ReduceScatter_RING_LL_Sum_float"},
        {"ncclAllGatherRingLLKernel_sum_i8(ncclColl)",
         "ncclReduceScatterRingLLKernel_sum_f32(ncclColl)"}}) {
    const Job job = job_of({gather, scatter, gather});
    EXPECT_TRUE(is_sharded(job)) << gather;
    EXPECT_NE(not_only_ddp(job).find("67 % in all_gather, 33 % in reduce_scatter"),
              std::string::npos)
        << not_only_ddp(job);
    ASSERT_EQ(job.collectives.size(), 2U);
    EXPECT_EQ(job.collectives[0].bytes, 0);  // not known
    EXPECT_TRUE(job.table.empty());
  }
  // DDP; and a kernel of any collective, which says nothing.
  EXPECT_EQ(not_only_ddp(job_of({"ncclDevKernel_AllReduce_Sum_f32_TREE_LL(ncclDevComm*)",
                                 "ncclDevKernel_Generic_1(ncclDevComm*)"})),
            "");
  EXPECT_TRUE(job_of({"ncclDevKernel_AllReduce_Sum_f32_TREE_LL"}).buckets.empty());
}

TEST(AdviseTrace, AStepIsCutFromWhatReachesOverIt) {
  TraceText trace;
  trace.step(7, 1000, 500).step(8, 1500, 500).kernel("gemm", 900, 800).all_reduce(1600, 600, 1000);
  TraceReader reader = read(trace.text());
  const Trace read_trace = *reader.finish();
  ASSERT_EQ(read_trace.steps.size(), 2U);
  EXPECT_NEAR(read_trace.steps[0].compute_s, 500e-6, 1e-12);
  EXPECT_NEAR(read_trace.steps[0].communication_s, 0, 1e-12);
  EXPECT_NEAR(read_trace.steps[1].compute_s, 200e-6, 1e-12);
  EXPECT_NEAR(read_trace.steps[1].communication_s, 400e-6, 1e-12);
  EXPECT_NEAR(read_trace.steps[1].exposed_s, 300e-6, 1e-12);
}

TEST(AdviseTrace, TimesSince1970AreExact) {
  TraceText trace;
  trace.step(1, 1732445678901234.125, 100, "user_annotation")
      .kernel("gemm", 1732445678901234.125, 40)
      .all_reduce(1732445678901264.125, 40, 500);
  TraceReader reader = read(trace.text());
  const Trace read_trace = *reader.finish();
  ASSERT_EQ(read_trace.steps.size(), 1U);
  EXPECT_NEAR(read_trace.steps[0].exposed_s, 30e-6, 1e-12);
}

TEST(AdviseTrace, SlowRanksAndSizesOfAllRanks) {
  std::vector<Trace> traces;
  for (int rank = 0; rank < 2; ++rank) {
    TraceText trace(rank);
    for (int step = 0; step < 3; ++step) {
      const double at = step * 2000;
      const double compute = rank == 0 ? 1000 : 1200;
      trace.step(step, at, 2000).kernel("gemm", at, compute);
      // Rank 0 waits in its kernel for rank 1.
      trace.all_reduce(at + compute, 1500 - compute, 1000000);
    }
    TraceReader reader = read(trace.text());
    traces.push_back(*reader.finish());
  }
  Job job;
  take_traces(traces, "2 traces", job);
  compare_ranks(job);
  ASSERT_EQ(job.by_rank.size(), 2U);
  EXPECT_NEAR(job.by_rank[1].compute_s, 1200e-6, 1e-12);
  EXPECT_GT(job.sigma->value, 0.1);
  ASSERT_EQ(job.collectives.size(), 1U);
  EXPECT_EQ(job.collectives[0].count, 6U);
  EXPECT_NEAR(job.collectives[0].least_s, 300e-6, 1e-9);
  EXPECT_NEAR(job.table.at(4e6), 300e-6, 1e-9);
  EXPECT_NEAR(job.exposed_s->value, 300e-6, 1e-9);
  EXPECT_EQ(job.buckets, std::vector<double>{4e6});
  EXPECT_TRUE(job.backward_s->is_estimated);
}

TEST(AdviseTrace, ATraceWithoutStepsIsOneStep) {
  TraceText trace;
  trace.kernel("gemm", 100, 50).kernel("gemm", 200, 50);
  TraceReader reader = read(trace.text());
  const Trace read_trace = *reader.finish();
  ASSERT_EQ(read_trace.steps.size(), 1U);
  EXPECT_NEAR(read_trace.steps[0].window_s, 150e-6, 1e-12);
}

/// What a reader says of a text that goes on for ever: `begin`, then `more` again and again.
std::string endless(const std::string& begin, const std::function<std::string(int)>& more) {
  struct Endless : json::Source {
    std::string text;
    std::function<std::string(int)> more;
    std::size_t at = 0;
    int round = 0;
    Result<std::size_t> read(char* to, std::size_t size) override {
      if (at == text.size()) {
        text.clear();
        at = 0;
        while (text.size() < 100'000) text += more(round++);
      }
      const std::size_t some = text.copy(to, size, at);
      at += some;
      return some;
    }
  } source;
  source.text = begin;
  source.more = more;
  TraceReader reader;
  const auto done = json::read_stream(source, reader);
  return done ? "read" : done.error().text;
}

TEST(AdviseTrace, NoFileFillsTheMemory) {
  const auto says = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(endless("[", [](int) { return "1,"; }), "more than 1000000 numbers");
  says(endless("{\"a\": \"", [](int) { return std::string(1000, 'x'); }),
       "a string of more than 64 MiB");
  const std::string value(10'000, 'v');
  says(endless("", [&](int i) { return cat("{\"k", i, "\": \"", value, "\"}\n"); }),
       "more than 67108864 bytes");
  says(endless("{\"traceEvents\": [",
               [](int i) {
                 return cat(R"({"ph": "X", "ts": 1, "dur": 1, "name": "ProfilerStep#)", i, "\"},");
               }),
       "more than 10000 steps");
  says(endless("",
               [](int i) {
                 return cat(R"({"coll_perf": {"coll": "a", "coll_msg_size_bytes": )", i + 1,
                            R"(, "coll_exec_time_us": 1}})", "\n");
               }),
       "more than 100000 sizes of collectives");
}

TEST(AdviseTrace, DamagedOnesAreErrorsAndNoCrash) {
  const std::string whole =
      TraceText().step(1, 0, 10).kernel("gemm", 1, 2).all_reduce(3, 4, 5).text();
  for (std::size_t size = 1; size < whole.size(); size += 3) {
    std::string cut = whole.substr(0, size);
    TraceReader reader;
    EXPECT_FALSE(json::read_in_place(cut, reader)) << size;
  }
  for (
      const char* const odd :
      {R"({"traceEvents": [1, "x", [2], {"ph": "X", "cat": "kernel", "ts": "x", "dur": -5}]})",
       R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "ts": 1e300, "dur": 99999999999999999999}]})",
       R"({"traceEvents": {"ts": 5}})", R"([[[[1]]]])", R"({"distributedInfo": [1]})"}) {
    std::string text = odd;
    TraceReader reader;
    EXPECT_TRUE(json::read_in_place(text, reader)) << odd;
    EXPECT_TRUE(reader.finish()) << odd;
  }
  std::string deep(100, '[');
  TraceReader reader;
  const auto done = json::read_in_place(deep, reader);
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().text.find("nested"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::advise
