// SPDX-License-Identifier: Apache-2.0
#include "node/summary.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace nettune::node {
namespace {

Summary some_summary() {
  Summary summary;
  summary.time_s = 1'700'000'000;
  Summary::Lasting& lasting = summary.lasting;
  lasting.boot_id = "b";
  lasting.generation = 5;
  lasting.profile = "tcp\x1b-fallback";
  lasting.settings = 28;
  lasting.since_s = 1'600'000'000;
  lasting.who = "root (login alice)";
  lasting.pending = {"apply", "p", 3, "root", 1'700'000'042, true};
  lasting.owed = 2;
  lasting.hold = Hold{"bob", 1, "why \"quoted\""};
  lasting.history = {{5, 1, "root", "apply", "p", 28, 3, "committed", ""}};
  lasting.exit = 3;
  summary.check = Summary::Check{1, 3, check::Standing::drift, {{"sysctl:a", "p.toml:3", 1}}, 1, 0};
  return summary;
}

TEST(NodeSummary, IsReadAsItWasWritten) {
  const Summary summary = some_summary();
  const auto read = parse_summary(summary_text(summary));
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->lasting, summary.lasting);
  EXPECT_EQ(read->time_s, summary.time_s);
  ASSERT_TRUE(read->check);
  EXPECT_EQ(read->check->apart, summary.check->apart);
  EXPECT_EQ(read->check->standing, check::Standing::drift);
  const auto bare = parse_summary(summary_text({}));
  ASSERT_TRUE(bare);
  EXPECT_FALSE(bare->check);
}

TEST(NodeSummary, WhatNettuneDoesNotWriteIsNotRead) {
  const std::string good = summary_text(some_summary());
  ASSERT_TRUE(parse_summary(good));
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& bad :
       {std::string(), std::string("[]"), std::string("null"), std::string(200, '['),
        good.substr(0, good.size() / 2), with("\"schema\": 1", "\"schema\": 2"),
        with("\"settings\": 28", "\"settings\": -28"),
        with("\"settings\": 28", "\"settings\": 2.5"),
        with("\"settings\": 28", "\"settings\": \"28\""), with("\"settings\": 28", "\"x\": 28"),
        with("\"settings\": 28", "\"settings\": 18446744073709551615"),
        with("\"verdict\": \"drift\"", "\"verdict\": \"fine\""),
        with("\"known\": true", "\"known\": 1"), with("\"exit\": 3", "\"exit\": 300"),
        with("\"who\": \"bob\"", "\"who\": null"), with("\"history\": [", "\"history\": [7,"),
        std::string(std::size_t{2} << 20, ' ')}) {
    const auto read = parse_summary(bad);
    ASSERT_FALSE(read) << bad.substr(0, 400);
    EXPECT_EQ(read.error().code, Errc::corrupt);
  }
}

TEST(NodeSummary, OldOnesSayNothingOfNow) {
  const Summary summary = some_summary();
  EXPECT_EQ(stale_reason(summary, "b", summary.time_s + 60), "");
  EXPECT_NE(stale_reason(summary, "other", summary.time_s + 60), "");
  EXPECT_NE(stale_reason(summary, "b", summary.time_s + kSummaryFresh_s + 1), "");
  EXPECT_NE(stale_reason(summary, "b", summary.time_s - 3600), "");
}

TEST(NodeSummary, HasNoVariablesAndNoValues) {
  Transaction transaction;
  transaction.profile = "p";
  transaction.vars = {{"token", "hidden"}};
  transaction.committed = true;
  StateView state;
  state.active = transaction;
  Summary summary = summarize(state, "b");
  summary.lasting.history = {past_of(transaction)};
  EXPECT_EQ(summary_text(summary).find("hidden"), std::string::npos);
  transaction.aborted = true;
  transaction.reason = cat(kNotConfirmed, ": by rollback");
  EXPECT_EQ(past_of(transaction).result, "reverted");
}

}  // namespace
}  // namespace nettune::node
