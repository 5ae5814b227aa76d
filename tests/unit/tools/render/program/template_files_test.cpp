// SPDX-License-Identifier: Apache-2.0
#include "tools/render/program/template_files.hpp"

#include "base/text.hpp"
#include "tools/render/render.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::tools::render::program {
namespace {

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

}  // namespace
}  // namespace nettune::tools::render::program
