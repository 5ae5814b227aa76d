// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/watcher.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/text.hpp"
#include "tools/measure/net/socket.hpp"
#include "tools/measure/program/child.hpp"

namespace nettune::tools::measure::program {
namespace {

bool becomes_true(const std::function<bool()>& what) {
  const auto begin = net::Clock::now();
  while (!what()) {
    if (net::seconds_since(begin) > 60) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

/// The pid that a program wrote to a file.
pid_t pid_in(const std::string& path) {
  pid_t pid = 0;
  std::ifstream(path) >> pid;
  return pid;
}

bool runs(pid_t pid) {
  std::string state;
  std::ifstream stat(cat("/proc/", pid, "/stat"));
  return std::getline(stat, state, ')') && (stat >> state) && state != "Z" && state != "X";
}

/// A process that measures `script`, with a watcher.
pid_t measure(const std::string& script) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  Watcher watcher{node::Locations()};
  ChildSpec spec{"bash", {"bash", "-c", script}};
  spec.place = &watcher.watched().benchmark;
  (void)run_child(spec, [] { return false; });
  ::_exit(0);
}

class MeasureProgramWatcher : public testing::Test {
 protected:
  MeasureProgramWatcher() {
    directory_ = testing::TempDir() + "nettune-watcher-XXXXXX";
    EXPECT_NE(::mkdtemp(directory_.data()), nullptr);
  }
  ~MeasureProgramWatcher() override { std::filesystem::remove_all(directory_); }
  std::string in(const char* name) const { return cat(directory_, "/", name); }

 private:
  std::string directory_;
};

TEST_F(MeasureProgramWatcher, EndsTheWholeGroupOfWhatAKilledProcessMeasured) {
  // The child of the command is not ours, so no signal of our death reaches it.
  const pid_t ab = measure(cat("sleep 1000 & echo $! > ", in("child"), "; wait"));
  ASSERT_TRUE(becomes_true([&] { return pid_in(in("child")) > 0; }));
  const pid_t child = pid_in(in("child"));
  EXPECT_TRUE(runs(child));
  ::kill(ab, SIGKILL);
  ::waitpid(ab, nullptr, 0);
  EXPECT_TRUE(becomes_true([&] { return !runs(child); }));
}

TEST_F(MeasureProgramWatcher, EndsWithTheProcessThatItWatches) {
  pid_t watcher = 0;
  {
    Watcher own{node::Locations()};
    std::ifstream children(cat("/proc/self/task/", ::gettid(), "/children"));
    for (pid_t one = 0; children >> one;) watcher = one;
    EXPECT_TRUE(runs(watcher));
  }
  EXPECT_FALSE(runs(watcher));
}

}  // namespace
}  // namespace nettune::tools::measure::program
