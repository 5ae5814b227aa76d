// SPDX-License-Identifier: Apache-2.0
// Both sides of a measurement in one process, over the loopback.
#include "tools/measure/net/data_server.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "tools/measure/net/callers.hpp"
#include "tools/measure/net/data_client.hpp"
#include "tools/measure/net/path_mtu.hpp"
#include "tools/measure/net/wire.hpp"
#include "unit/tools/measure/net/fixture.hpp"

namespace nettune::tools::measure::net {
namespace {

class MeasureNetData : public testing::Test {
 protected:
  void SetUp() override {
    if (!server_.start({})) GTEST_SKIP() << "no socket can listen here";
    target_.address = *numeric_address("127.0.0.1", server_.port());
    target_.tokens = tokens_;
  }

  Tokens tokens_ = tokens_from("a secret of this test");
  DataServer server_{tokens_, [](const std::string& query) { return "{\"got\":" + query + "}\n"; }};
  Target target_;
};

TEST_F(MeasureNetData, MessagesComeBackAndBytesArriveBothWays) {
  const auto times = round_trips(target_, 50, 5, kNever);
  ASSERT_TRUE(times) << times.error().text;
  EXPECT_EQ(times->size(), 50U);
  StreamPlan plan;
  plan.streams = 2;
  plan.warm_s = 0.05;
  plan.measure_s = 0.2;
  for (const bool to_peer : {true, false}) {
    const auto result = bandwidth(target_, plan, to_peer, kNever);
    ASSERT_TRUE(result) << result.error().text;
    EXPECT_GT(result->bytes, 0U);
    EXPECT_NEAR(result->gbps, static_cast<double>(result->bytes) * 8 / result->seconds / 1e9, 1e-6);
    EXPECT_GE(result->seconds, 0.18);
    EXPECT_GT(result->sender.segments, 0U);
    EXPECT_GT(result->sender.busy_s, 0);
  }
  const auto mtu = path_mtu(target_, 1500, 9000, 0.001);
  ASSERT_TRUE(mtu);
  EXPECT_EQ(mtu->to_peer, 1500);
  EXPECT_EQ(mtu->from_peer, 9000);
}

TEST_F(MeasureNetData, ADeviceIsUsedOrNothing) {
  target_.device = "lo";
  EXPECT_TRUE(round_trips(target_, 5, 5, kNever));
  EXPECT_EQ(path_mtu(target_, 1500, 9000, 0.001)->from_peer, 9000);
  target_.device = "no-such-device0";
  const auto times = round_trips(target_, 5, 5, kNever);
  ASSERT_FALSE(times);
  EXPECT_NE(times.error().text.find("cannot use no-such-device0"), std::string::npos)
      << times.error().text;
  // Questions that are not measured go any way.
  EXPECT_TRUE(ask(target_, net::wire::line({{"do", "counters"}}), 5));
}

TEST_F(MeasureNetData, AQuestionIsHandedOnAndAnswered) {
  const auto answer = ask(target_, net::wire::line({{"do", "counters"}, {"interface", "eth1"}}), 5);
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ(nlohmann::json::parse(*answer)["got"]["interface"], "eth1");
  const auto none = ask(target_, net::wire::line({{"do", "result"}, {"run", 7}}), 5);
  ASSERT_TRUE(none);
  EXPECT_TRUE(nlohmann::json::parse(*none).contains("error"));
}

TEST_F(MeasureNetData, WhoDoesNotKnowTheTokenGetsNothing) {
  Target stranger = target_;
  stranger.tokens = tokens_from("another secret of a test");
  const auto answer = ask(stranger, net::wire::line({{"do", "counters"}}), 5);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().text.find("closes the connection without an answer"), std::string::npos);
  // One who knows only half of it learns that the listener is not the right one.
  stranger.tokens.caller = tokens_.caller;
  EXPECT_EQ(ask(stranger, net::wire::line({{"do", "counters"}}), 5).error().code, Errc::conflict);
  EXPECT_FALSE(path_mtu(stranger, 1500, 1500, 0.001)->to_peer);
}

TEST_F(MeasureNetData, OrdersThatAskTooMuchAreNotFollowed) {
  for (const char* const order :
       {R"({"do":"stream","run":1,"streams":1000000000,"warm_s":0,"measure_s":1,"bytes":1})",
        R"({"do":"stream","run":1,"streams":1,"warm_s":0,"measure_s":1e300,"bytes":1})",
        R"({"do":"stream","run":1,"streams":1,"warm_s":-1,"measure_s":1,"bytes":1})",
        R"({"do":"stream","run":1,"streams":1,"warm_s":0,"measure_s":1,"bytes":0})",
        R"({"do":"stream"})"}) {
    const auto answer = ask(target_, std::string(order) + "\n", 5);
    EXPECT_FALSE(answer) << order;
  }
  EXPECT_TRUE(ask(target_, net::wire::line({{"do", "counters"}}), 5));
}

TEST_F(MeasureNetData, ItCanBeStoppedInTheMiddle) {
  StreamPlan plan;
  plan.measure_s = 60;
  int asked = 0;
  const auto result = bandwidth(target_, plan, true, [&] { return ++asked > 5; });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().sys, ECANCELED);
  server_.stop();
  EXPECT_FALSE(ask(target_, net::wire::line({{"do", "counters"}}), 5));
}

}  // namespace
}  // namespace nettune::tools::measure::net
