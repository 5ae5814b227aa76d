// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/ab_options.hpp"

#include <gtest/gtest.h>

#include "tools/measure/evidence.hpp"
#include "tools/measure/program/test_command_options.hpp"
#include "unit/tools/measure/program/fixture.hpp"

namespace nettune::tools::measure::program {
namespace {

program::Arms arms_in(std::vector<const char*> words, std::string& error) {
  program::AbOptions options;
  error = line_error(options, program::ab_program, words);
  const auto arms = program::arms_of(options);
  if (!arms) error += arms.error().text;
  return arms.value_or(program::Arms{});
}

TEST(MeasureProgramAbOptions, ArmsAreProfilesTheNodeAsItIsOrVariables) {
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

TEST(MeasureProgramAbOptions, NumbersAreBoundedAndMistakesNamed) {
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

}  // namespace
}  // namespace nettune::tools::measure::program
