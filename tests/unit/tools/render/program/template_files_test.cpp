// SPDX-License-Identifier: Apache-2.0
#include "tools/render/program/template_files.hpp"

#include "base/text.hpp"
#include "tools/render/program/render_options.hpp"
#include "tools/render/render.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::tools::render::program {
namespace {

using namespace test;

class RenderProgramTemplateFiles : public ::testing::Test {
 protected:
  RenderProgramTemplateFiles() {
    disk.directory("/etc/t");
    disk.directory("/usr/t");
    disk.file("/usr/t/a.tmpl", "{{template shell}}\n{{summary theirs}}\n{{use p}}\n");
    disk.file("/usr/t/parts/p.tmpl", "{{template shell}}\ntheirs\n");
  }
  std::string text(const std::string& kind) {
    const auto form = read_template(disk, sources, kind);
    return form ? render::render(*form, {})->text
                : cat("error ", form.error().file, ": ", form.error().text);
  }

  test::FakeDisk disk;
  TemplateSources sources{{"/etc/t", "/usr/t"}, 0};
};

TEST_F(RenderProgramTemplateFiles, EarlierDirectoriesHide) {
  EXPECT_EQ(text("a"), "theirs\n");
  disk.file("/etc/t/parts/p.tmpl", "{{template shell}}\nours\n");
  EXPECT_EQ(text("a"), "ours\n");
  disk.file("/etc/t/a.tmpl", "{{template shell}}\nall ours\n");
  EXPECT_EQ(text("a"), "all ours\n");
}

TEST_F(RenderProgramTemplateFiles, NamesAreNoPaths) {
  disk.file("/usr/x.tmpl", "{{template shell}}\n");
  for (const char* const name : {"../x", "parts/p", "", "A", "a.tmpl"})
    EXPECT_TRUE(text(name).starts_with("error : there is no template")) << name;
  disk.file("/usr/t/b.tmpl", "{{template shell}}\n{{use ../a}}\n");
  EXPECT_EQ(text("b"), "error /usr/t/b.tmpl: there is no part \"../a\"");
}

TEST_F(RenderProgramTemplateFiles, WhatOthersCanWriteIsRefused) {
  disk.entries["/usr/t/a.tmpl"].info.mode = 0666;
  EXPECT_NE(text("a").find("writable"), std::string::npos) << text("a");
  disk.entries["/usr/t/a.tmpl"].info.mode = 0644;
  disk.entries["/usr/t/parts/p.tmpl"].info.uid = 1000;
  EXPECT_NE(text("a").find("error"), std::string::npos) << text("a");
  sources.trusted_uid = 1000;
  EXPECT_EQ(text("a"), "theirs\n");
}

Result<std::optional<cli::Information>> read_line(RenderOptions& options,
                                                  const std::vector<const char*>& words) {
  return cli::read_program_line(render_program(options), words);
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
