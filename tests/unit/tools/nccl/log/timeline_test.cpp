// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/timeline.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::nccl::log {
namespace {

using Kind = Timeline::Kind;

TEST(NcclLogTimeline, WhatComesNextAndLast) {
  Timeline timeline;
  EXPECT_EQ(timeline.last(Kind::complete), 0U);
  EXPECT_EQ(timeline.next(Kind::complete, 0), 0U);
  for (const std::uint64_t line : {3U, 5U, 9U}) timeline.add(Kind::complete, line);
  timeline.add(Kind::process_end, 12);
  timeline.add(Kind::complete, 20);
  EXPECT_EQ(timeline.last(Kind::complete), 20U);
  EXPECT_EQ(timeline.next(Kind::complete, 0), 3U);
  EXPECT_EQ(timeline.next(Kind::complete, 4), 9U);  // only lines of its kind are between
  EXPECT_EQ(timeline.next(Kind::complete, 9), 20U);
  EXPECT_EQ(timeline.next(Kind::complete, 20), 0U);
  EXPECT_TRUE(timeline.has_between(Kind::process_end, 9, 20));
  EXPECT_TRUE(timeline.has_between(Kind::process_end, 12, 13));
  EXPECT_FALSE(timeline.has_between(Kind::process_end, 13, 20));
  EXPECT_FALSE(timeline.has_between(Kind::process_end, 3, 12));
}

TEST(NcclLogTimeline, RunsOfNcclTestsAreToldApart) {
  Timeline timeline;
  for (const std::uint64_t line : {1U, 10U, 20U}) timeline.add(Kind::tests_begin, line);
  EXPECT_EQ(timeline.next(Kind::tests_begin, 1), 10U);
  EXPECT_EQ(timeline.next(Kind::tests_begin, 10), 20U);
}

TEST(NcclLogTimeline, ManyMarksAreBounded) {
  Timeline timeline;
  for (std::uint64_t line = 1; line <= 100000; ++line)
    timeline.add(line % 2 == 0 ? Kind::complete : Kind::process_end, line);
  EXPECT_EQ(timeline.last(Kind::complete), 100000U);
  EXPECT_EQ(timeline.next(Kind::complete, 99), 100U);
  EXPECT_NE(timeline.next(Kind::complete, 99000), 0U);
}

}  // namespace
}  // namespace nettune::tools::nccl::log
