// SPDX-License-Identifier: Apache-2.0
#include "kernel/kmod.hpp"

#include <gtest/gtest.h>

#include "unit/support/provider_fixture.hpp"

namespace nettune::kernel {
namespace {

using namespace test;

/// The real library on a tree without modules: it must answer, not crash or print.
TEST(KernelKmod, AnswersOnAnEmptyTree) {
  const Scratch tree;
  const auto info = look_up_module(tree.path(), "tcp_bbr");
  if (!info) GTEST_SKIP() << info.error().text;
  EXPECT_FALSE(info->known);
  EXPECT_FALSE(insert_module(tree.path(), "nettune_no_such_module"));
}

}  // namespace
}  // namespace nettune::kernel
