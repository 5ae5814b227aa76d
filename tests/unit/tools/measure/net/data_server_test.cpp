// SPDX-License-Identifier: Apache-2.0
// Both sides of a measurement in one process, over the loopback.
#include "tools/measure/net/data_server.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "tools/measure/net/callers.hpp"
#include "tools/measure/net/data_client.hpp"
#include "tools/measure/net/path_mtu.hpp"
#include "tools/measure/net/thread.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/program/child.hpp"

namespace nettune::tools::measure::net {
namespace {

const Cancelled kNever = [] { return false; };

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

TEST(MeasureNetSocketDevices, AListenerOfADeviceSharesOnlyItsOwnPort) {
  const auto first = listen_tcp({});
  if (!first) GTEST_SKIP() << "no socket can listen here";
  const std::uint16_t port = local_address(first->get()).port();
  const auto beside = listen_on_device(*first, "lo");
  ASSERT_TRUE(beside) << beside.error().text;
  EXPECT_EQ(local_address(beside->get()).port(), port);
  // Another server of the same user finds the port taken, whatever the first one permits.
  EXPECT_EQ(listen_tcp({port, port}).error().code, Errc::busy);
  const auto caller = connect_tcp(*numeric_address("127.0.0.1", port), {}, in_seconds(5));
  ASSERT_TRUE(caller);
  EXPECT_TRUE(*wait_readable(beside->get(), in_seconds(5)));  // what arrives at lo is for it
  EXPECT_FALSE(*wait_readable(first->get(), in_seconds(0.1)));
  EXPECT_FALSE(listen_on_device(*first, "no-such-device0"));
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

/// A caller of `Callers`, without a port.
struct Called {
  explicit Called(Callers& callers) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return;
    ours = UniqueFd(ends[0]);
    callers.take(UniqueFd(ends[1]));
  }
  void say(const std::string& text) const {
    (void)!::send(ours.get(), text.data(), text.size(), MSG_NOSIGNAL);
  }
  std::string heard() const {
    std::array<char, 64> text{};
    const auto got = ::recv(ours.get(), text.data(), text.size(), MSG_DONTWAIT);
    return got < 0 ? "silence" : std::string(text.data(), static_cast<std::size_t>(got));
  }
  UniqueFd ours;
};

std::vector<Callers::Hello> listen_once(Callers& callers) {
  std::vector<pollfd> fds;
  callers.add_to(fds);
  (void)::poll(fds.data(), fds.size(), 0);
  return callers.read(fds);
}

TEST(MeasureNetCallers, TheTokenComesFirstAndThenALineInAnyPieces) {
  const Tokens tokens = tokens_from("a secret of this test");
  Callers callers(tokens);
  const Called rank(callers);
  rank.say(tokens.caller.substr(0, 5));
  EXPECT_TRUE(listen_once(callers).empty());
  EXPECT_EQ(rank.heard(), "silence");
  rank.say(tokens.caller.substr(5) + "\n{\"ra");
  EXPECT_TRUE(listen_once(callers).empty());
  EXPECT_EQ(rank.heard(), tokens.listener + "\n");
  rank.say("nk\":1}\n");
  const auto hellos = listen_once(callers);
  ASSERT_EQ(hellos.size(), 1U);
  EXPECT_EQ(hellos[0].text, "{\"rank\":1}");
  EXPECT_EQ(callers.size(), 0U);
}

TEST(MeasureNetCallers, StrangersGetNothingAndAreNeverMany) {
  const Tokens tokens = tokens_from("a secret of this test");
  Callers callers(tokens);
  const Called wrong(callers);
  const Called rank(callers);
  wrong.say(std::string(kTokenSize, '0') + "\n{}\n");
  rank.say(tokens.caller + "\n");
  EXPECT_TRUE(listen_once(callers).empty());
  EXPECT_EQ(wrong.heard(), "");  // it was ended, and not one byte came
  EXPECT_EQ(callers.size(), 1U);
  std::vector<std::unique_ptr<Called>> strangers;
  for (std::size_t i = 0; i < Callers::kMostStrangers + 50; ++i)
    strangers.push_back(std::make_unique<Called>(callers));
  EXPECT_EQ(callers.size(), Callers::kMostStrangers + 1);
  rank.say("hello\n");
  const auto hellos = listen_once(callers);
  ASSERT_EQ(hellos.size(), 1U);
  EXPECT_EQ(hellos[0].text, "hello");
}

TEST(MeasureNetChild, OutputWithoutEndDoesNotOutliveItsTime) {
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

TEST(MeasureNetThread, OneThatTheSystemRefusesIsAnError) {
  pthread_attr_t before{};
  pthread_attr_t huge{};
  ASSERT_EQ(::pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(::pthread_getattr_default_np(&huge), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&huge, std::size_t{1} << 50U), 0);  // more than there is
  ASSERT_EQ(::pthread_setattr_default_np(&huge), 0);
  const auto thread = start_thread([] {});
  ASSERT_EQ(::pthread_setattr_default_np(&before), 0);
  ASSERT_FALSE(thread);
  EXPECT_NE(thread.error().text.find("cannot start a thread"), std::string::npos);
}

TEST(MeasureNetSocket, PortRangesAndAddresses) {
  EXPECT_EQ(parse_port_range("29400-29410")->last, 29410);
  EXPECT_EQ(parse_port_range("5000")->first, 5000);
  for (const char* const bad : {"", "-", "0", "0-5", "9-5", "1-65536", "x", "1-2-3", "1 - 2"})
    EXPECT_FALSE(parse_port_range(bad)) << bad;
  EXPECT_EQ(numeric_address("10.0.0.1", 5)->host(), "10.0.0.1");
  EXPECT_EQ(numeric_address("fd00::1", 5)->host(), "fd00::1");
  EXPECT_FALSE(numeric_address("localhost", 5));
  EXPECT_FALSE(numeric_address("", 5));
}

}  // namespace
}  // namespace nettune::tools::measure::net
