// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "unit/support/profile_fixture.hpp"

namespace nettune::kinds::module {
namespace {

class KindsModuleSection : public test::ProfileTest {};

TEST_F(KindsModuleSection, Modules) {
  const auto result = good("[modules]\nload = [\"tcp_bbr\", \"xt-foo\"]\n");
  EXPECT_EQ(test::value(result, "module:tcp_bbr"), "loaded");
  EXPECT_EQ(test::value(result, "module:xt_foo"), "loaded");
  EXPECT_TRUE(
      test::content(result, "/etc/modules-load.d/nettune.conf").ends_with("\ntcp_bbr\nxt_foo\n"));
  for (const std::string name : {"../x", "a b", "", "A", "a;b", "$(x)"}) {
    bad("[modules]\nload = [\n\"" + name + "\"]\n", 6, {"module name"});
  }
}

}  // namespace
}  // namespace nettune::kinds::module
