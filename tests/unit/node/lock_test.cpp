// SPDX-License-Identifier: Apache-2.0
#include "node/lock.hpp"

#include <array>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "kernel/command.hpp"
#include "node/state_view.hpp"

namespace nettune::node {
namespace {

class NodeLock : public ::testing::Test {
 protected:
  NodeLock() {
    std::string pattern = ::testing::TempDir() + "nettune-lock-XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
  }
  ~NodeLock() override {
    ::unlink((directory_ + "/lock").c_str());
    ::rmdir(directory_.c_str());
  }
  std::string directory_;
};

TEST_F(NodeLock, OnlyOneHasIt) {
  {
    const auto first = Lock::take(directory_);
    ASSERT_TRUE(first.has_value()) << first.error().text;
    const auto second = Lock::take(directory_);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, Errc::busy);
    EXPECT_NE(second.error().text.find(cat("pid ", ::getpid())), std::string::npos)
        << second.error().text;
  }
  EXPECT_TRUE(Lock::take(directory_).has_value());
}

TEST_F(NodeLock, WhatStandsInItsPlaceIsSaid) {
  const std::string path = directory_ + "/lock";
  ASSERT_EQ(::mkdir(path.c_str(), 0700), 0);
  auto taken = Lock::take(directory_);
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().text.find("is a directory; move it away"), std::string::npos)
      << taken.error().text;
  ASSERT_EQ(::rmdir(path.c_str()), 0);
  ASSERT_EQ(::symlink("/dev/null", path.c_str()), 0);
  taken = Lock::take(directory_);
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().text.find("is a symbolic link; move it away"), std::string::npos)
      << taken.error().text;
}

TEST_F(NodeLock, TheHolderShowsWithoutTouchingIt) {
  const auto disk = posix_disk();
  EXPECT_EQ(lock_holder(*disk, directory_), std::nullopt);
  const auto lock = Lock::take(directory_);
  ASSERT_TRUE(lock.has_value());
  const auto holder = lock_holder(*disk, directory_);
  ASSERT_TRUE(holder.has_value());
  EXPECT_TRUE(holder->starts_with(cat("pid ", ::getpid()))) << *holder;
}

TEST_F(NodeLock, AProgramThatWritesHoldsItUntilItEnds) {
  // Ends at once, and leaves another behind, which reads until the pipe is closed.
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), 0), 0);
  const kernel::CommandLine command{
      {"/bin/sh", "-c", cat("(read x <&", pipe[0], ") > /dev/null 2>&1 &")}, "", 5000};
  for (const bool writes : {true, false}) {
    {
      const auto lock = Lock::take(directory_);
      ASSERT_TRUE(lock.has_value()) << lock.error().text;
      if (writes)
        ASSERT_TRUE(kernel::run_and_listen(command));
      else
        ASSERT_TRUE(kernel::run_command(command));
    }
    EXPECT_EQ(Lock::take(directory_).has_value(), !writes);
    ASSERT_EQ(::write(pipe[1], "\n", 1), 1);
    EXPECT_TRUE(Lock::take(directory_, 5).has_value());
  }
  for (const int end : pipe) ::close(end);
}

TEST_F(NodeLock, ADirectoryThatIsNotThereIsSaidToBe) {
  const auto lock = Lock::take(directory_ + "/none");
  ASSERT_FALSE(lock.has_value());
  EXPECT_EQ(lock.error().code, Errc::not_found);
}

TEST_F(NodeLock, ALinkIsNotFollowed) {
  ASSERT_EQ(::symlink("/dev/null", (directory_ + "/lock").c_str()), 0);
  EXPECT_FALSE(Lock::take(directory_).has_value());
}

TEST_F(NodeLock, LookingAtAStateThatIsNotThereCreatesNothing) {
  const auto disk = posix_disk();
  State state(*disk, directory_ + "/state");
  const auto view = look_at_state(*disk, state, "machine");
  ASSERT_TRUE(view.has_value()) << view.error().text;
  EXPECT_FALSE(view->exists);
  EXPECT_EQ(view->exit(), Exit::done);
  EXPECT_TRUE(view->notes().empty());
  struct stat status {};
  EXPECT_NE(::stat((directory_ + "/state").c_str(), &status), 0);
}

}  // namespace
}  // namespace nettune::node
