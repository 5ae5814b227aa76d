// SPDX-License-Identifier: Apache-2.0
#include "node/peer_process.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "node/signals.hpp"

namespace nettune::node {
namespace {

constexpr int kPatience_ms = 3000;

/// True when it has ended within that time; `status` is then what waitpid(2) says.
bool ends_within(pid_t pid, int milliseconds, int& status) {
  for (int waited = 0; waited <= milliseconds; waited += 10) {
    if (::waitpid(pid, &status, WNOHANG) == pid) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// In the forked process. Only calls that are safe there.
[[noreturn]] void become(char* const* words, int input, int output, pid_t parent) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  (void)::dup2(input, STDIN_FILENO);
  (void)::dup2(output, STDOUT_FILENO);
  restore_signals();
  ::execvp(words[0], words);
  ::_exit(errno == ENOENT ? 127 : 126);
}

}  // namespace

Result<PeerProcess> PeerProcess::start(const std::vector<std::string>& words) {
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  if (::pipe2(to.data(), O_CLOEXEC) != 0)
    return fail(Errc::io, cat("cannot make a pipe: ", std::strerror(errno)), errno);
  UniqueFd read_end(to[0]);
  UniqueFd input(to[1]);
  if (::pipe2(from.data(), O_CLOEXEC) != 0)
    return fail(Errc::io, cat("cannot make a pipe: ", std::strerror(errno)), errno);
  UniqueFd output(from[0]);
  UniqueFd write_end(from[1]);
  std::vector<char*> line;
  for (const std::string& word : words) line.push_back(const_cast<char*>(word.c_str()));
  line.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0)
    return fail(Errc::io, cat("cannot start ", printable(words[0]), ": ", std::strerror(errno)),
                errno);
  if (pid == 0) become(line.data(), read_end.get(), write_end.get(), parent);
  return PeerProcess(pid, std::move(input), std::move(output));
}

PeerProcess::PeerProcess(PeerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      ended_(std::move(other.ended_)) {}

PeerProcess::~PeerProcess() {
  if (pid_ < 0) return;
  input_ = UniqueFd();  // it ends when there is nothing more to read
  int status = 0;
  if (ends_within(pid_, kPatience_ms, status)) return;
  (void)::kill(pid_, SIGTERM);
  if (ends_within(pid_, kPatience_ms, status)) return;
  (void)::kill(pid_, SIGKILL);
  (void)::waitpid(pid_, &status, 0);
}

std::optional<std::string> PeerProcess::ended() {
  int status = 0;
  if (pid_ < 0 || !ends_within(pid_, 500, status)) return ended_;
  pid_ = -1;
  ended_ = WIFSIGNALED(status) ? cat("signal ", WTERMSIG(status))
                               : cat("exit code ", WEXITSTATUS(status));
  return ended_;
}

}  // namespace nettune::node
