// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/trace.hpp"

#include <functional>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/advise/parallelism.hpp"
#include "unit/tools/advise/fixture.hpp"

namespace nettune::tools::advise {
namespace {

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
