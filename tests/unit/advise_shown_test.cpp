// SPDX-License-Identifier: Apache-2.0
//
// What people and programs read of advice, and how the command line becomes a job.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "advise/buckets.hpp"
#include "advise/cli/advise_command.hpp"
#include "unit/schema_validator.hpp"

namespace nettune::cli {
namespace {

advise::Job tcp_job() {
  advise::Job job;
  job.parameters = advise::equal_parameters(1.36e9);
  job.parameters_from = "params.json";
  job.forward_s = advise::Known{.125, "ddp.json"};
  job.backward_s = advise::Known{.25, "ddp.json"};
  job.measured_in_job = true;
  job.table = advise::TimeTable({{1e6, 1.05e-3}, {1e9, .647}});
  job.table_from = "all_reduce.log";
  job.table_ranks = 16;
  return job;
}

TEST(AdviseShown, TheRegimeTheLeversAndWhereNumbersComeFrom) {
  const advise::Job job = tcp_job();
  const advise::Advice advice = advise::advise(job);
  const std::string text = text::advice(job, advice, {}, {});
  for (const char* const part : {"bandwidth-bound: communication takes", "exposed communication",
                                 "send gradients as bf16", "Leave alone:", "bucket_cap_mb",
                                 "ddp.json", "all_reduce.log", "estimated", "PyTorch's DDP table"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  expect_valid("advise.schema.json", json::advice(job, &advice, nullptr));
  const advise::Missing missing{"x", "y"};
  expect_valid("advise.schema.json", json::advice({}, nullptr, &missing));
  EXPECT_NE(text::missing({}, missing, {}).find("missing: x"), std::string::npos);
}

TEST(AdviseShown, TheBestLeverIsALineOfNettuneAb) {
  const advise::Job job = tcp_job();
  const std::string text =
      text::advice(job, advise::advise(job), {"torchrun", "train.py", "it's; \x1b[2J"}, {});
  EXPECT_NE(text.find("prove it: nettune ab env.ACCUMULATE=1 env.ACCUMULATE=4 -- torchrun train.py "
                      "$'it\\'s; \\x1b[2J'"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("the same number of samples with both"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(AdviseShown, RulesOfThumbOnTheNumbersOfTheJob) {
  advise::Job job = tcp_job();
  job.backend = "gloo";
  job.by_rank = {{0, .30, 0}, {1, .375, 0}};
  const std::string text = text::advice(job, advise::advise(job), {}, {});
  for (const char* const part :
       {"! communication above 30 % of a step: 63 % of a step is exposed, too much",
        "! 8 GPUs give 5 to 7 times one (62 to 88 %): 16 give 5.9 (37 %)",
        "! GPU use that varies by 15 to 20 %: rank 0 computes for 20 % less than rank 1",
        "! backend gloo: for tensors on NVIDIA GPUs, measure nccl"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(AdviseShown, FileNamesSteerNoTerminal) {
  advise::Job job = tcp_job();
  job.table_from = "a\x1b[2J.log";
  job.backward_s->from = "b\n\x1b]0;x\x07";
  job.collectives = {{"all\x1breduce", 1e6, 3, 1e-3, 1e-3}};
  const std::string text = text::advice(job, advise::advise(job), {}, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

class AdviseLine : public testing::Test {
 protected:
  AdviseLine() {
    char name[] = "/tmp/nettune-advise-XXXXXX";
    room_ = ::mkdtemp(name);
  }
  ~AdviseLine() override { std::filesystem::remove_all(room_); }
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = room_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  std::string room_;
};

TEST_F(AdviseLine, FilesAndNumbersBecomeAJob) {
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

TEST_F(AdviseLine, ATableOfOtherRanksIsScaledAndSaidToBe) {
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

TEST_F(AdviseLine, MistakesAreNamed) {
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
}  // namespace nettune::cli
