// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

#include "base/text.hpp"
#include "tools/advise/buckets.hpp"
#include "tools/advise/parallelism.hpp"
#include "tools/advise/program/advise_command.hpp"
#include "unit/support/schema_validator.hpp"

namespace nettune::tools::advise::program {
namespace {

class AdviseProgramReadJob : public testing::Test {
 protected:
  AdviseProgramReadJob() {
    char name[] = "/tmp/nettune-advise-XXXXXX";
    room_ = ::mkdtemp(name);
  }
  ~AdviseProgramReadJob() override { std::filesystem::remove_all(room_); }
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = room_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  std::string room_;
};

TEST_F(AdviseProgramReadJob, FilesAndNumbersBecomeAJob) {
  AdviseOptions options;
  options.parameters_file = file("params.json", "[400, 1000000, 24000000]");
  options.from = {file("ddp.json", R"({"avg_backward_compute_time": 65000000, "world_size": 8})"),
                  file("all.log",
                       "# nThread 1 nGpus 8\n# size count type redop root time algbw busbw #wrong\n"
                       " 1048576 262144 float sum -1 100.0 10.49 18.35 0\n")};
  options.accumulate = "2";
  const auto job = read_job(options);
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(job->parameters.size(), 3U);
  EXPECT_DOUBLE_EQ(job->backward_s->value, .065);
  EXPECT_TRUE(job->forward_s->is_estimated);
  EXPECT_EQ(job->table_ranks, 8);
  EXPECT_EQ(job->accumulate, 2);
  EXPECT_FALSE(advise::what_is_missing(*job));
  options.backward_ms = "80";
  EXPECT_DOUBLE_EQ(read_job(options)->backward_s->value, .08);
  EXPECT_FALSE(read_job(options)->measured_in_job);
}

TEST_F(AdviseProgramReadJob, ATableOfOtherRanksIsScaledAndSaidToBe) {
  AdviseOptions options;
  options.model_bytes = "1G";
  options.backward_ms = "100";
  options.from = {
      file("t.json", R"({"ranks": 2, "all_reduce": [[65536, 0.0005], [1000000000, 1.0]]})")};
  const auto as_measured = read_job(options);
  ASSERT_TRUE(as_measured) << as_measured.error().text;
  options.ranks = "16";
  const auto scaled = read_job(options);
  ASSERT_TRUE(scaled);
  EXPECT_EQ(scaled->table_scaled_from, 2);
  EXPECT_EQ(scaled->table_ranks, 16);
  EXPECT_NEAR(scaled->table.at(1e9) / as_measured->table.at(1e9), 1.875, 0.02);
  const std::string text = text::advice(*scaled, advise::advise(*scaled), {}, {});
  EXPECT_NE(text.find("on 2 ranks, scaled to 16, estimated"), std::string::npos) << text;
}

TEST_F(AdviseProgramReadJob, OfNettuneTestNcclIsAskedForFirst) {
  AdviseOptions options;
  options.model_bytes = "1G";
  options.backward_ms = "100";
  const auto job = read_job(options);
  ASSERT_TRUE(job);
  const auto missing = advise::what_is_missing(*job);
  ASSERT_TRUE(missing);
  const auto own = missing->command.find("nettune test --nccl --json");
  EXPECT_LT(own, missing->command.find("all_reduce_perf"));
  options.from = {file("other.json", "{\"a\": 1}")};
  const std::string error = read_job(options).error().text;
  EXPECT_LT(error.find("nettune test --nccl --json"), error.find("traceEvents")) << error;
  options.from = {file(
      "nccl.json",
      R"({"kind": "test", "test": "all-reduce", "transport": "nccl", "ranks": 8, "error": null, "bytes": 65536, "time_us": 80})"
      "\n"
      R"({"kind": "test", "test": "all-reduce", "transport": "nccl", "ranks": 8, "error": null, "bytes": 67108864, "time_us": 1800})")};
  const auto measured = read_job(options);
  ASSERT_TRUE(measured) << measured.error().text;
  EXPECT_EQ(measured->table_ranks, 8);
  EXPECT_FALSE(advise::what_is_missing(*measured));
}

TEST_F(AdviseProgramReadJob, ATableOfOneSizeIsScaledToo) {
  AdviseOptions options;
  options.model_bytes = "1G";
  options.backward_ms = "100";
  options.ranks = "16";
  options.from = {file("t.json", R"({"ranks": 2, "all_reduce": [[25000000, 0.025]]})")};
  const auto job = read_job(options);
  ASSERT_TRUE(job) << job.error().text;
  // Not the time of 2 ranks under the heading of 16.
  EXPECT_EQ(job->table_scaled_from, 2);
  EXPECT_NEAR(job->table.at(25e6), .025 * 1.875, 1e-9);
}

TEST_F(AdviseProgramReadJob, NumbersThatNoJobHasAreRefusedWithBothReadings) {
  const auto error = [&](const std::string& text) {
    AdviseOptions options;
    options.from = {file("x", text)};
    const auto job = read_job(options);
    return job ? std::string("none") : job.error().text;
  };
  const auto names = [&](const std::string& text, std::initializer_list<const char*> parts) {
    const std::string said = error(text);
    for (const char* const part : parts) EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  names(R"({"ranks": 2, "all_reduce": [[65536, 1e-5], [131072, 1e60]]})", {"131072", "1e+60"});
  names(R"({"ranks": 2, "all_reduce": [[65536, 1e-5], [131072, 1e400]]})", {"too big"});
  names(R"({"ranks": 2, "all_reduce": [[65536, 4300000]]})", {"4.3e+06", "in seconds", "4.3 s"});
  names(R"({"ranks": 2e9, "all_reduce": [[65536, 1]]})", {"ranks", "2e+09"});
  names(R"({"avg_backward_compute_time": 1e400})", {"too big"});
  names(R"({"avg_backward_compute_time": 1e7, "world_size": 1e300})", {"world_size"});
  names(R"({"avg_backward_compute_time": 1e7, "bucket_sizes": "5, 9999999999999999999"})",
        {"bucket_sizes"});
  const std::string heading =
      "# nThread 1 nGpus 8\n# size count type redop root time algbw busbw #wrong\n";
  names(heading + " 1048576 262144 float sum -1 1e300 10.49 18.35 0\n", {"1048576", "1e+300"});
  names(heading + " 1048576 262144 float sum -1 1e400 10.49 18.35 0\n", {"1e400"});
  names(heading + " 99999999999999999999 1 float sum -1 10 10.49 18.35 0\n",
        {"99999999999999999999"});
  names(
      R"({"coll_perf": {"coll": "AllReduce", "coll_msg_size_bytes": 1e300, "coll_exec_time_us": 1}})",
      {"coll_msg_size_bytes", "1e+300"});
  names("avg_backward_compute_time: 1e400\n", {"avg_backward_compute_time", "infinite"});
  names(R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1e300, "dur": 5}]})",
        {"gemm", "ts is 1e+300: in microseconds", "more than 70 years"});
  names(heading + " -8 262144 float sum -1 10 10.49 18.35 0\n", {"-8, which no test measures"});
  names(R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1, "dur": 9e10}]})",
        {"dur is 9e+10", "in nanoseconds it would be 90 s"});
  names(R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "a", "ts": 1, "dur": 5},
                            {"ph": "X", "cat": "kernel", "name": "b", "ts": 1e15, "dur": 5}]})",
        {"first to the last event"});
  names(R"({"distributedInfo": {"rank": 99999999999}, "traceEvents": []})", {"rank"});
  names(R"({"kind": "test", "test": "bandwidth", "gbps": 1e11})", {"gbps", "100 Gb/s"});
  AdviseOptions options;
  options.parameters_file = file("p.json", "[400, 1e400]");
  EXPECT_NE(read_job(options).error().text.find("too big"), std::string::npos);
  options.parameters_file = file("p.json", "[400, -5]");
  EXPECT_NE(read_job(options).error().text.find("smallest parameter is -5"), std::string::npos);
  options = {};
  options.backward_ms = "65000000000";
  EXPECT_NE(read_job(options).error().text.find("in nanoseconds it would be 65 s"),
            std::string::npos);
  options = {};
  for (std::string AdviseOptions::*const count :
       {&AdviseOptions::accumulate, &AdviseOptions::ranks}) {
    options.*count = "1.5";  // 0.5 was 0, and a division by it
    EXPECT_NE(read_job(options).error().text.find("whole number"), std::string::npos);
    options.*count = {};
  }
  options.model_bytes = "7B";
  EXPECT_NE(read_job(options).error().text.find("7 billion parameters?"), std::string::npos);
}

/// Texts with numbers replaced by those that no job has, bytes changed, taken out and doubled.
class Damage {
 public:
  explicit Damage(std::uint32_t seed) : random_(seed) {}

  std::string to(std::string text) {
    for (std::size_t i = 1 + below(4); i > 0; --i) one(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void one(std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t length = below(std::min<std::size_t>(text.size() - at, 40));
    switch (below(8)) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.resize(at);
        break;
      default:
        replace_number(text, at);
    }
  }

  /// The first number from `at` on.
  void replace_number(std::string& text, std::size_t at) {
    static constexpr const char* kOdd[] = {"0",
                                           "-1",
                                           "1e60",
                                           "1e300",
                                           "1e308",
                                           "-1e308",
                                           "1e400",
                                           "1e-320",
                                           "1e-400",
                                           "nan",
                                           "inf",
                                           "2147483648",
                                           "4294967296",
                                           "1e15",
                                           "86400000000000",
                                           "86401e9",
                                           "0.5",
                                           "\"9\"",
                                           "null",
                                           "9223372036854775807",
                                           "1e5",
                                           "999999",
                                           "1000001",
                                           "1e-9",
                                           "99999999999999999999999999999999",
                                           "1.7976931348623157e308"};
    constexpr std::string_view kDigits = "0123456789";
    const std::size_t begin = text.find_first_of(kDigits, at);
    if (begin == text.npos) return;
    const std::size_t end = std::min(text.find_first_not_of("0123456789.eE+-", begin), text.size());
    text.replace(begin, end - begin, kOdd[below(std::size(kOdd))]);
  }

  std::mt19937 random_;
};

/// One of each format.
std::vector<std::string> inputs_of_all_formats() {
  const std::string kernel =
      R"({"ph": "X", "cat": "kernel", "name": "gemm", "ts": 100.5, "dur": 400})";
  const std::string reduce =
      R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "ts": 450, "dur": 300.125,
          "args": {"Collective name": "allreduce", "In msg nelems": 262144, "Out msg nelems": 262144,
                   "Process Group Name": "0", "dtype": "Float"}})";
  const std::string gather =
      R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllGather", "ts": 800, "dur": 3,
          "args": {"Collective name": "_allgather_base", "Out msg nelems": 1024, "dtype": "Half"}})";
  const std::string step =
      R"({"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#3", "ts": 0, "dur": 1000})";
  return {
      "# nThread 1 nGpus 4\n#  Rank  0 Group  0 Pid  10 on   n0 device  0 [0x1b] NVIDIA H100\n"
      "#  Rank  1 Group  0 Pid  11 on   n1 device  0 [0x1b] NVIDIA H100\n"
      "# size count type redop root time algbw busbw #wrong time\n"
      "  65536  16384 float sum -1  52.43  1.25  1.25 0 51.0\n"
      " 1048576 262144 float sum -1 100.0 10.49 10.49 0 99.0\n",
      R"({"ranks": 2, "backend": "gloo", "all_reduce": [[65536, 0.004], [1048576, 0.044]]})",
      R"({"rank": 0, "world_size": 8, "bucket_cap_bytes": 26214400, "avg_forward_compute_time": 30000000,
          "avg_backward_compute_time": 65000000, "avg_backward_comm_time": 70000000,
          "avg_backward_compute_comm_overlap_time": 60000000, "bucket_sizes": "2052000, 28852224",
          "backend_name": "nccl"})",
      "[Rank 3 / 16] Training \n Avg forward compute time: 30000000 \n Avg backward compute time: "
      "65000000 \n Avg backward comm. time: 70000000 \n Avg backward comm/comp overlap time: "
      "60000000\nbucket_sizes: 2052000, 28852224, 15853824\nbackend_name: nccl\n",
      cat(R"({"distributedInfo": {"rank": 0, "world_size": 2}, "traceEvents": [)", step, ", ",
          kernel, ", ", reduce, ", ", gather, "]}"),
      R"({"header": {"n_ranks": 16}, "coll_perf": {"coll": "AllReduce", "coll_msg_size_bytes": 26214400,
          "coll_exec_time_us": 1400}}
         {"coll_perf": {"coll": "AllReduce", "coll_msg_size_bytes": 65536, "coll_exec_time_us": 80}})",
      R"({"schema": 1, "kind": "test", "test": "latency", "round_trip_us": {"count": 9, "p50": 40.0}}
         {"schema": 1, "kind": "test", "test": "bandwidth", "gbps": 80.0})",
      R"({"kind": "test", "test": "all-reduce", "transport": "nccl", "error": null, "ranks": 8,
          "bytes": 65536, "time_us": 80.5, "wrong": 0}
         {"kind": "test", "test": "all-reduce", "transport": "nccl", "error": null, "ranks": 8,
          "bytes": 67108864, "time_us": 1800, "wrong": 0})",
  };
}

/// What `nettune advise` prints, in both forms.
void print_all(const advise::Job& job, int round) {
  std::string text;
  std::string json;
  if (const std::string why = advise::not_only_ddp(job); !why.empty()) {
    text = text::not_ddp(job, why, {});
    json = json::advice(job, nullptr, nullptr, why);
  } else if (const auto missing = advise::what_is_missing(job)) {
    text = text::missing(job, *missing, {});
    json = json::advice(job, nullptr, &*missing);
  } else {
    const advise::Advice advice = advise::advise(job, "rocev2-200g");
    text = text::advice(job, advice, {"torchrun", "train.py"}, {});
    json = json::advice(job, &advice, nullptr);
  }
  for (const char* const part : {"not a number", "infinite"})
    EXPECT_EQ(text.find(part), std::string::npos) << text;
  for (const char c : text) EXPECT_TRUE(c == '\n' || !is_control_character(c)) << text;
  // A number that is not finite becomes null in JSON, where the schema has a number.
  if (round % 16 == 0) test::expect_valid("advise.schema.json", json);
}

TEST_F(AdviseProgramReadJob, AnyFileIsRefusedOrPrinted) {
  constexpr int kRounds = 100;
  const std::vector<std::string> inputs = inputs_of_all_formats();
  int refused = 0;
  int printed = 0;
  for (std::size_t format = 0; format < inputs.size(); ++format) {
    AdviseOptions whole;
    whole.from = {file("whole", inputs[format])};
    whole.ranks = "8";
    const auto job = read_job(whole);
    ASSERT_TRUE(job) << format << ": " << job.error().text;
    print_all(*job, 0);
    Damage damage(static_cast<std::uint32_t>(format) + 1);
    for (int round = 0; round < kRounds; ++round) {
      const std::string text = damage.to(inputs[format]);
      SCOPED_TRACE(cat("format ", format, ", round ", round, ": ", printable(text)));
      AdviseOptions options;
      options.from = {file("damaged", text)};
      // With what the format does not have, so that as many as may be are printed as advice.
      if (round % 3 != 0) options.model_bytes = "102M";
      if (round % 3 != 1) options.backward_ms = "65";
      if (round % 4 == 0) options.ranks = "16";
      if (round % 5 == 0) options.step_ms = "120";
      if (round % 2 == 0)
        options.from.push_back(file("other", inputs[(format + 1) % inputs.size()]));
      const auto read = read_job(options);
      if (read) {
        ++printed;
        print_all(*read, round);
      } else {
        ++refused;
        EXPECT_FALSE(read.error().text.empty());
        EXPECT_FALSE(has_control_characters(read.error().text)) << read.error().text;
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_GT(printed, 50);
}

TEST_F(AdviseProgramReadJob, MistakesAreNamed) {
  const auto error = [](AdviseOptions options) {
    const auto job = read_job(options);
    return job ? std::string("none") : job.error().text;
  };
  AdviseOptions options;
  options.backward_ms = "fast";
  EXPECT_NE(error(options).find("--backward-ms"), std::string::npos);
  options = {};
  options.model_bytes = "a lot";
  EXPECT_NE(error(options).find("102M"), std::string::npos);
  options = {};
  options.from = {file("x.json", "{\"a\": 1}")};
  EXPECT_NE(error(options).find("traceEvents"), std::string::npos);
  options.from = {file("list.json", "[ {\"a\": 1} ]")};
  EXPECT_NE(error(options).find("traceEvents"), std::string::npos);
  options.from = {file("deep.json", std::string(100'000, '['))};
  EXPECT_NE(error(options).find("nested deeper"), std::string::npos);
  options.from = {file("x.log", "nothing of use\n")};
  EXPECT_NE(error(options).find("--snippet"), std::string::npos);
  options.from = {room_};
  EXPECT_NE(error(options).find("directory"), std::string::npos);
  options.from = {room_ + "/none"};
  EXPECT_NE(error(options).find("No such file"), std::string::npos);
  options.from = {file("cut.json", "{\"traceEvents\": [{\"ph\"")};
  EXPECT_NE(error(options).find("JSON"), std::string::npos);
  options = {};
  options.parameters_file = file("p", "12 x");
  EXPECT_NE(error(options).find("\"x\""), std::string::npos);
  options.parameters_file = file("p", "[]");
  EXPECT_NE(error(options).find("no sizes"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::advise::program
