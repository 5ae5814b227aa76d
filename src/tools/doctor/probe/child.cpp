// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/probe/child.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"

namespace nettune::tools::doctor::probe {
namespace {

constexpr std::size_t kLargestAnswer = std::size_t{96} << 20;

/// Runs in the child, which must not flush or destroy anything of the parent.
[[noreturn]] void run_child(int out, const std::function<std::string()>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  // The output of a library is not part of the answer.
  if (const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC); null >= 0) {
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
  const std::string answer = work();
  std::size_t done = 0;
  while (done < answer.size()) {
    const ssize_t wrote = ::write(out, answer.data() + done, answer.size() - done);
    if (wrote < 0 && errno != EINTR) ::_exit(1);
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
  }
  ::_exit(0);
}

}  // namespace

std::int64_t monotonic_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

Result<Child> Child::start(const std::string& name, const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return fail(Errc::io, cat(name, ": no pipe: ", std::strerror(errno)), errno);
  UniqueFd in(ends[0]);
  const UniqueFd out(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return fail(Errc::io, cat(name, ": no process: ", std::strerror(errno)), errno);
  if (pid == 0) run_child(out.get(), work);
  return Child(name, pid, std::move(in), monotonic_ms());
}

Child::Child(Child&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      pipe_(std::move(other.pipe_)),
      started_ms_(other.started_ms_) {}

Child::~Child() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, WNOHANG);
}

Result<std::string> Child::finish(int deadline_ms) {
  std::string answer;
  // A long answer may still be in the pipe when we come late.
  constexpr int kDrain_ms = 300;
  const std::int64_t end = std::max(started_ms_ + deadline_ms, monotonic_ms() + kDrain_ms);
  while (true) {
    const std::int64_t left = end - monotonic_ms();
    pollfd ready{pipe_.get(), POLLIN, 0};
    const int got = ::poll(&ready, 1, left > 0 ? static_cast<int>(left) : 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return fail(Errc::busy, cat(name_, " did not answer within ", deadline_ms, " ms"));
    char buffer[65536];
    const ssize_t size = ::read(pipe_.get(), buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    answer.append(buffer, static_cast<std::size_t>(size));
    if (answer.size() > kLargestAnswer)
      return fail(Errc::no_space, cat(name_, " returned too much data"));
  }
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return answer;
  return fail(Errc::io, cat(name_, " crashed",
                            WIFSIGNALED(status) ? cat(" (signal ", WTERMSIG(status), ")") : ""));
}

}  // namespace nettune::tools::doctor::probe
