// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/child.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conf/environment.hpp"
#include "tools/measure/program/arrival.hpp"
#include "unit/tools/measure/net/fixture.hpp"

namespace nettune::tools::measure::program {
namespace {

using net::kNever;

TEST(MeasureProgramChildOutput, OutputWithoutEndDoesNotOutliveItsTime) {
  program::ChildSpec spec{"/bin/sh", {"sh", "-c", "exec yes"}};
  spec.longest_s = 0.3;
  const auto end = program::run_child(spec, kNever);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, program::ChildEnd::How::too_late);
  // Nor that of what it left behind in a session of its own.
  spec.words[2] = "setsid timeout 20 yes & sleep 0.2";
  spec.longest_s = 10;
  const auto left = program::run_child(spec, kNever);
  ASSERT_TRUE(left);
  EXPECT_TRUE(left->succeeded());
}

TEST(MeasureProgramChild, WhatTakesTooLongIsAskedToEndFirst) {
  ChildSpec spec{
      "bash", {"bash", "-c", "trap 'echo asked; exit' TERM; while :; do sleep 0.1; done"}, {}, 0.5};
  const auto end = run_child(spec, [] { return false; });
  ASSERT_TRUE(end);
  EXPECT_EQ(end->how, ChildEnd::How::too_late);
  EXPECT_TRUE(end->output.ends_with("asked\n")) << end->output;
}

TEST(MeasureProgramChild, LinesToKeepAreKeptHoweverLongTheOutputIs) {
  ChildSpec spec{
      "bash",
      {"bash", "-c", "echo 'nettune-arm: n1 X=1 (1)'; yes filler | head -c 20000001; echo end"},
      {},
      60};
  spec.keep = conf::kArmReceipt;
  auto end = run_child(spec, [] { return false; });
  ASSERT_TRUE(end && end->succeeded());
  EXPECT_TRUE(end->output.starts_with("nettune-arm: n1 X=1 (1)\nfiller\n"))
      << end->output.substr(0, 60);
  EXPECT_TRUE(end->output.ends_with("filler\nend\n"));
  EXPECT_LT(end->output.size(), 5U << 20U);
  EXPECT_EQ(take_receipts(end->output, {{"X", "1"}}).arrived.size(), 1U);
}

}  // namespace
}  // namespace nettune::tools::measure::program
