// SPDX-License-Identifier: Apache-2.0
#include "tools/render/program/render_options.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::tools::render::program {
namespace {

Result<std::optional<cli::Information>> read_line(RenderOptions& options,
                                                  const std::vector<const char*>& words) {
  return cli::read_command_line(render_program(options), words);
}

TEST(RenderProgramOptions, WordsBehindTheDashesAreTheProgram) {
  RenderOptions options;
  const auto read =
      read_line(options, {"torchrun", "p", "--gpus", "8", "--", "t.py", "--gpus", "-o"});
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(options.kind, "torchrun");
  EXPECT_EQ(options.profile, "p");
  EXPECT_EQ(options.program, (std::vector<std::string>{"t.py", "--gpus", "-o"}));
}

TEST(RenderProgramOptions, MistakesAreNamed) {
  const auto mistake = [](const std::vector<const char*>& words) {
    RenderOptions options;
    const auto read = read_line(options, words);
    if (!read) return read.error().text;
    node::Context context{node::Locations()};
    cli::Output output(true);
    const auto done = render_program(options).run(context, output);
    return done ? std::string() : done.error().text;
  };
  for (const auto& [words, text] : std::vector<std::pair<std::vector<const char*>, std::string>>{
           {{}, "needs the name of a template"},
           {{"x", "--gpus", "0"}, "--gpus takes a number from 1 to 64, not \"0\""},
           {{"x", "--gpus", "8x"}, "--gpus takes a number"},
           {{"x", "--count", "2", "--nodes", "a"}, "cannot be combined"},
           {{"x", "--port", "80"}, "--port takes a number from 1024"},
           {{"x", "--image", "-v"}, "--image"},
           {{"x", "--nodes", "a,a"}, "twice"},
           {{"no/such"}, "there is no template \"no/such\""},
           {{"--names", "--json"}, "--names"},
           {{"x", "--lst"}, "--list"}})
    EXPECT_NE(mistake(words).find(text), std::string::npos) << text << ": " << mistake(words);
}

}  // namespace
}  // namespace nettune::tools::render::program
