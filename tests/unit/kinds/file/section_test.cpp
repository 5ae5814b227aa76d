// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/support/profile_fixture.hpp"

namespace nettune::kinds::file {
namespace {

class KindsFileSection : public test::ProfileTest {};

TEST_F(KindsFileSection, Files) {
  const auto result = good(
      "[vars]\nv = { default = \"x\" }\n[files]\n\"/etc//a/./b\" = { content = \"${v}\\n\" }\n"
      "\"/etc/c\" = { content = \"\", mode = \"600\", owner = \"0:42\" }\n");
  EXPECT_EQ(test::value(result, "file:/etc/a/b"),
            "sha256:73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac mode 0644 "
            "owner 0:0");
  EXPECT_EQ(test::content(result, "/etc/a/b"), "x\n");
  EXPECT_TRUE(test::value(result, "file:/etc/c").ends_with(" mode 0600 owner 0:42"));
  const auto file = [](const std::string& path, const std::string& rest = "") {
    return "[files]\n\"" + path + "\" = { content = \"x\"" + rest + " }\n";
  };
  bad(file("etc/a"), 5, {"not absolute"});
  bad(file("/usr/bin/x"), 5, {"below /etc"});
  bad(file("/etc/../root/x"), 5, {"\"..\""});
  bad(file("/etc/"), 5, {"not below /etc"});
  bad(file("/etc"), 5, {"not below /etc"});
  bad(file("/etc/a\\nb"), 5, {"control characters"});
  bad(file("/etc/${v}"), 5, {"/etc/${v}"});
  bad(file("/etc/nccl.conf"), 5, {"[env]"});
  bad(file("/etc/nettune/profiles/evil.toml"), 5, {"reserved for nettune"});
  bad(file("/etc/a", ", mode = \"4755\""), 5, {"4755"});
  bad(file("/etc/a", ", mode = \"rw\""), 5, {"rw"});
  bad(file("/etc/a", ", mode = 420"), 5, {"mode", "a string"});
  bad(file("/etc/a", ", owner = \"alice:alice\""), 5, {"alice:alice"});
  bad(file("/etc/a", ", owner = \"0:4294967295\""), 5, {"4294967295"});
  bad("[files]\n\"/etc/a\" = { mode = \"0644\" }\n", 5, {"\"content\" is missing"});
  bad("[files]\n\"/etc/a\" = \"text\"\n", 5, {"a table"});
}

}  // namespace
}  // namespace nettune::kinds::file
