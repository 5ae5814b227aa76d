// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/test_command_options.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tools/measure/evidence.hpp"
#include "tools/measure/program/ab_options.hpp"
#include "unit/tools/measure/program/fixture.hpp"

namespace nettune::tools::measure::program {
namespace {

TEST(MeasureProgramTestCommandOptions, NumbersAreBoundedAndMistakesNamed) {
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

TEST(MeasureProgramTestCommandOptions, AnAllReduceTakesPeersAndFewOptions) {
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

TEST(MeasureProgramTestCommandOptionsGpu, IsForOnePeerByRdma) {
  program::TestOptions options;
  options.gpu = true;
  EXPECT_TRUE(program::request_of(options));
  options.transport = "tcp";
  EXPECT_FALSE(program::request_of(options));
  options.transport = "";
  EXPECT_FALSE(program::mesh_request_of(options));
  options.nccl = true;
  EXPECT_FALSE(program::nccl_request_of(options));
}

TEST(MeasureProgramTestCommandOptionsRate, TheOptionIsOfAMeshAndRefusesWhatIsNoRate) {
  program::TestOptions options;
  options.mesh = true;
  options.expect_rate = "25G";
  const auto request = program::mesh_request_of(options);
  ASSERT_TRUE(request) << request.error().text;
  EXPECT_EQ(request->expect_rate_gbps, 25);
  options.expect_rate = "25";
  const auto wrong = program::mesh_request_of(options);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text.find("--expect-rate: '25' is not a rate"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::measure::program
