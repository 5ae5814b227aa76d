// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/tune_options.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "toml/load.hpp"
#include "tools/measure/tune_evidence.hpp"

namespace nettune::tools::measure::program {
namespace {

Result<std::vector<Variation>> varied(std::vector<const char*> words) {
  TuneOptions options;
  words.insert(words.begin(), "node");
  words.insert(words.end(), {"--", "x"});
  TRY(cli::read_command_line(tune_program(options), words));
  TRY(request_of(options));
  return variations_of(options);
}

std::string vary_error(std::vector<const char*> words) {
  const auto read = varied(std::move(words));
  return read ? std::string() : read.error().text;
}

TEST(MeasureProgramTuneOptions, VaryTakesVariablesAndTheirValues) {
  const auto read = varied({"--vary", "env.NCCL_ALGO=Ring,Tree", "--vary", "mtu=1500,4000,9000"});
  ASSERT_TRUE(read) << read.error().text;
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ((*read)[1].values, (std::vector<std::string>{"1500", "4000", "9000"}));
  EXPECT_EQ(combinations_of(*read), 6U);
  EXPECT_EQ(combination(*read, 0), (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(combination(*read, 4), (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(arm_with("p", "env.X", "1")->name(), "p env.X=1");
  EXPECT_EQ(arm_with("p", "rate", "1")->name(), "p rate=1");
  const std::vector<Variation> many(70, {"x", {"1", "2"}});
  EXPECT_EQ(combinations_of(many), std::numeric_limits<std::size_t>::max());
}

TEST(MeasureProgramTuneOptions, MistakesAreNamed) {
  EXPECT_NE(vary_error({}).find("name what to vary"), std::string::npos);
  for (const char* const bad : {"env.NCCL_ALGO", "=1,2", "x=", "x=1,,2", "x=1,2,1", "env.=1,2",
                                "env.A B=1,2", "env.LD_PRELOAD=a,b"})
    EXPECT_NE(vary_error({"--vary", bad}), "") << bad;
  EXPECT_NE(vary_error({"--vary", "x=1,2", "--vary", "x=3,4"}).find("given twice"),
            std::string::npos);
  EXPECT_NE(vary_error({"--vary", "x=1,2", "--set", "y=1"}).find("--set"), std::string::npos);
  EXPECT_NE(vary_error({"--vary", "x=1,2", "--repeats", "0"}).find("nettune tune --help"),
            std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::measure::program
