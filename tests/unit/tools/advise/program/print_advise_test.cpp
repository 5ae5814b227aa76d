// SPDX-License-Identifier: Apache-2.0
//
// What people and programs read of advice, and how the command line becomes a job.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "tools/advise/buckets.hpp"
#include "tools/advise/parallelism.hpp"
#include "tools/advise/program/advise_command.hpp"
#include "unit/support/schema_validator.hpp"

namespace nettune::tools::advise::program {
namespace {

advise::Job tcp_job() {
  advise::Job job;
  job.parameters = advise::equal_parameters(1.36e9);
  job.parameters_from = "params.json";
  job.forward_s = advise::Known{.125, "ddp.json"};
  job.backward_s = advise::Known{.25, "ddp.json"};
  job.measured_in_job = true;
  job.table = TimeTable({{1e6, 1.05e-3}, {1e9, .647}});
  job.table_from = "all_reduce.log";
  job.table_ranks = 16;
  return job;
}

TEST(AdviseProgramPrint, TheRegimeTheLeversAndWhereNumbersComeFrom) {
  const advise::Job job = tcp_job();
  const advise::Advice advice = advise::advise(job);
  const std::string text = text::advice(job, advice, {}, {});
  for (const char* const part : {"bandwidth-bound: communication takes", "exposed communication",
                                 "send gradients as bf16", "Leave alone:", "bucket_cap_mb",
                                 "ddp.json", "all_reduce.log", "estimated", "PyTorch's DDP table"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  test::expect_valid("advise.schema.json", json::advice(job, &advice, nullptr));
  const Missing missing{"x", "y"};
  test::expect_valid("advise.schema.json", json::advice({}, nullptr, &missing));
  EXPECT_NE(text::missing({}, missing, {}).find("missing: x"), std::string::npos);
}

TEST(AdviseProgramPrint, TheBestLeverIsALineOfNettuneAb) {
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

TEST(AdviseProgramPrint, RulesOfThumbOnTheNumbersOfTheJob) {
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

TEST(AdviseProgramPrint, FileNamesSteerNoTerminal) {
  advise::Job job = tcp_job();
  job.table_from = "a\x1b[2J.log";
  job.backward_s->from = "b\n\x1b]0;x\x07";
  job.collectives = {{"all\x1breduce", 1e6, 3, 1e-3, 1e-3}};
  const std::string text = text::advice(job, advise::advise(job), {}, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

/// Without the breaks of lines.
std::string flat(const std::string& text) {
  std::string out;
  for (const std::string_view word : words(text)) out += cat(out.empty() ? "" : " ", word);
  return out;
}

TEST(AdviseProgramPrint, NumbersOfAnySizeArePrinted) {
  // The memory behind a buffer of any fixed size is not the program's.
  advise::Job job = tcp_job();
  job.table = TimeTable({{65536, 1e-5}, {131072, 1e60}});
  job.backward_s->value = 1e-300;
  job.sigma = advise::Known{1e300, "2 ranks"};
  job.by_rank = {{0, 1e-300, 0}, {1, 1e300, 0}, {2, 0, 0}};
  job.collectives = {{"allreduce", 1e60, 1, 1e80, 1e300}};
  const advise::Advice advice = advise::advise(job);
  const std::string text = text::advice(job, advice, {}, {});
  EXPECT_EQ(text.find('\0'), std::string::npos);
  EXPECT_TRUE(text.ends_with("\n"));
}

TEST(AdviseProgramPrint, OneBucketSizeGoesThroughTheOriginAndSaysSo) {
  advise::Job job = tcp_job();
  job.table = TimeTable({{25e6, 16e-3}});
  EXPECT_FALSE(job.table.has_slope());
  EXPECT_EQ(job.table.latency(), 0);
  EXPECT_NEAR(job.table.at(12.5e6), 8e-3, 1e-12);
  EXPECT_NEAR(job.table.at(50e6), 32e-3, 1e-12);
  const advise::Advice advice = advise::advise(job);
  // Not "latency-bound", which is what a time that does not depend on the size would be.
  EXPECT_EQ(advise::regime_word(advice.regime), "bandwidth-bound");
  EXPECT_EQ(advice.at_ranks.size(), 1U);
  const std::string text = flat(text::advice(job, advice, {}, {}));
  for (const char* const part : {"all-reduce at 1 size, through the origin without a latency, "
                                 "estimated",
                                 "measured at one size"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const auto json = nlohmann::json::parse(json::advice(job, &advice, nullptr));
  EXPECT_TRUE(json["inputs"]["all_reduce_estimated"].get<bool>());
  // Sizes that are close together have no slope either.
  EXPECT_FALSE(TimeTable({{25e6, 16e-3}, {26e6, 20e-3}}).has_slope());
  EXPECT_EQ(TimeTable({{25e6, 16e-3}, {26e6, 20e-3}}).latency(), 0);
  EXPECT_TRUE(TimeTable({{25e6, 16e-3}, {31e6, 19e-3}}).has_slope());
}

TEST(AdviseProgramPrint, WhatWasMeasuredBeatsTheModel) {
  advise::Job job = tcp_job();
  job.exposed_s = advise::Known{.600, "ddp.json"};
  job.communication_s = advise::Known{.850, "ddp.json"};
  const advise::Advice advice = advise::advise(job);
  EXPECT_EQ(advice.held_back, "");
  EXPECT_TRUE(advice.exposed_s.is_measured);
  EXPECT_FALSE(advice.levers.empty());
  EXPECT_NEAR(advice.rho, .85 / .25, 1e-9);
  // Whatever the model says, no change of communication saves more than was measured as exposed.
  for (const Lever& lever : advice.levers) EXPECT_LE(lever.saves_s, .600 + 1e-9);
  job.notes = {"nccl.json: a\x1b size is missing"};
  const std::string text = flat(text::advice(job, advice, {}, {}));
  for (const char* const part :
       {"note: nccl.json: a\\x1b size is missing",
        "(600 ms a sample, no more than what is exposed)",
        "communication takes 850.0 ms (measured)",
        "measured: communication 850.0 ms (ddp.json); exposed communication 600.0 ms (ddp.json)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(AdviseProgramPrint, LeversAreHeldBackWhereTheModelIsOff) {
  advise::Job job = tcp_job();
  job.exposed_s = advise::Known{.200, "ddp.json"};  // the model says about 0.65 s
  const advise::Advice advice = advise::advise(job, "rocev2-200g");
  EXPECT_NE(advice.held_back, "");
  EXPECT_TRUE(advice.levers.empty());
  EXPECT_TRUE(advice.leave.empty());
  EXPECT_TRUE(advice.at_ranks.empty());
  EXPECT_EQ(advise::regime_word(advice.regime), "unknown");
  const std::string text = text::advice(job, advice, {}, {});
  EXPECT_TRUE(
      text.starts_with("no levers: exposed communication takes 200.0 ms as measured "
                       "(ddp.json) and 6"))
      << text;
  EXPECT_NE(text.find("does not describe this job"), std::string::npos) << text;
  EXPECT_EQ(text.find("What would help (predicted)"), std::string::npos) << text;
  const std::string shown = json::advice(job, &advice, nullptr);
  test::expect_valid("advise.schema.json", shown);
  EXPECT_EQ(nlohmann::json::parse(shown)["held_back"], advice.held_back);
  // A step that takes longer than all that the model knows of.
  advise::Job slow = tcp_job();
  slow.step_s = advise::Known{2, "--step-ms"};
  EXPECT_NE(advise::advise(slow).held_back.find("a step takes 2000.0 ms"), std::string::npos);
  slow.step_s = advise::Known{1.1, "--step-ms"};
  EXPECT_EQ(advise::advise(slow).held_back, "");
}

TEST(AdviseProgramPrint, OnlyDdpIsModelled) {
  advise::Job job = tcp_job();
  job.step_s = advise::Known{1.0, "trace.json"};
  job.exposed_s = advise::Known{.3, "trace.json"};
  job.collectives = {{"allreduce", 4e6, 10, 1e-3, 1e-3}, {"broadcast", 4e3, 10, 1e-5, 1e-5}};
  EXPECT_EQ(advise::not_only_ddp(job), "");
  job.collectives.push_back({"_allgather_base", 4e6, 40, 1e-3, 1e-3});
  job.collectives.push_back({"_reduce_scatter_base", 4e6, 50, 1e-3, 1e-3});
  const std::string why = advise::not_only_ddp(job);
  EXPECT_EQ(why,
            "only DDP is modelled, and 90 % of this job's communication is not all_reduce, 40 % in "
            "all_gather, 50 % in reduce_scatter (FSDP, ZeRO, or tensor parallelism)");
  const std::string text = flat(text::not_ddp(job, why, {}));
  EXPECT_TRUE(text.starts_with("only DDP is modelled")) << text;
  for (const char* const part : {"measured: step 1000.0 ms", "300.0 ms, 30 % of a step",
                                 "forward_prefetch", "_allgather_base"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const std::string shown = json::advice(job, nullptr, nullptr, why);
  test::expect_valid("advise.schema.json", shown);
  EXPECT_EQ(nlohmann::json::parse(shown)["held_back"], why);
  // Tensor parallelism with all-reduces alone: a second process group.
  advise::Job tensor = tcp_job();
  tensor.all_reduce_groups = {{"0", 1.0}, {"3", .5}};
  EXPECT_NE(advise::not_only_ddp(tensor).find("33 % of this job's all_reduce"), std::string::npos);
  tensor.all_reduce_groups = {{"0", 1.0}, {"3", .01}};
  EXPECT_EQ(advise::not_only_ddp(tensor), "");
}

}  // namespace
}  // namespace nettune::tools::advise::program
