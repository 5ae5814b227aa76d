// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/net/callers.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "tools/measure/net/data_server.hpp"
#include "tools/measure/net/wire.hpp"
#include "tools/measure/program/child.hpp"

namespace nettune::tools::measure::net {
namespace {

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

}  // namespace
}  // namespace nettune::tools::measure::net
