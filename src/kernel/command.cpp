// SPDX-License-Identifier: Apache-2.0
#include "kernel/command.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"

namespace nettune::kernel {
namespace {

/// The descriptor of keep_in_writers().
int kept_in_writers = -1;

Failure failed(const std::string& what, int error) {
  return fail(Errc::io, cat(what, ": ", std::strerror(error)), error);
}

/// An unnamed file with the content `text`, positioned at its beginning.
Result<UniqueFd> file_with(const std::string& text) {
  UniqueFd file(::memfd_create("input", MFD_CLOEXEC));
  if (!file.valid()) return failed("cannot pass the input", errno);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(file.get(), text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return failed("cannot pass the input", errno);
    done += static_cast<std::size_t>(wrote);
  }
  if (::lseek(file.get(), 0, SEEK_SET) < 0) return failed("cannot pass the input", errno);
  return file;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

/// `output` is for its output; `kept` stays open, -1 for nothing.
Result<pid_t> start(const CommandLine& command, int input, int output, int kept) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  (void)::posix_spawn_file_actions_init(&actions);
  (void)::posix_spawnattr_init(&attributes);
  (void)::posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  (void)::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  (void)::posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  // Duplicating onto itself clears FD_CLOEXEC, only in the child
  // (posix_spawn_file_actions_adddup2(3p)).
  if (kept >= 0) (void)::posix_spawn_file_actions_adddup2(&actions, kept, kept);
  sigset_t none;
  sigemptyset(&none);
  (void)::posix_spawnattr_setsigmask(&attributes, &none);
  (void)::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, command.words.front().c_str(), &actions, &attributes,
                                  pointers(command.words).data(), environ);
  (void)::posix_spawn_file_actions_destroy(&actions);
  (void)::posix_spawnattr_destroy(&attributes);
  if (error != 0) return failed(cat("cannot start ", printable(command.words.front())), error);
  return child;
}

/// The same with Command::over: between fork() and execve() only system calls.
Result<pid_t> start_over(const CommandLine& command, int input, int output, int kept) {
  const std::vector<char*> words = pointers(command.words);
  const pid_t child = ::fork();
  if (child < 0) return failed(cat("cannot start ", printable(command.words.front())), errno);
  if (child > 0) {
    (void)::setpgid(child, child);
    return child;
  }
  (void)::setpgid(0, 0);
  bool good = ::unshare(CLONE_NEWNS) == 0 &&
              ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  for (const auto& [place, directory] : command.over)
    good = good && ::mount(directory.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0;
  good = good && ::dup2(input, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0 &&
         ::dup2(output, STDERR_FILENO) >= 0;
  if (kept >= 0) good = good && ::fcntl(kept, F_SETFD, 0) == 0;
  sigset_t none;
  sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (good) (void)::execv(words.front(), words.data());
  constexpr std::string_view kWhy = "cannot be started in a mount namespace of its own\n";
  (void)!::write(output, kWhy.data(), kWhy.size());
  ::_exit(127);
}

/// True if the process ended in time.
Result<bool> ends_within(pid_t child, int timeout_ms) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));  // Linux 5.3
  if (!process.valid()) return failed("cannot wait for it", errno);
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd on{process.get(), POLLIN, 0};
    const int ready = ::poll(&on, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return failed("cannot wait for it", errno);
  }
}

Result<int> run(const CommandLine& command, int output, int kept) {
  if (command.words.empty() || !command.words.front().starts_with('/'))
    return fail(Errc::invalid, "a command needs an absolute path");
  TRY_ASSIGN(const UniqueFd input, file_with(command.input));
  TRY_ASSIGN(const pid_t child, command.over.empty()
                                    ? start(command, input.get(), output, kept)
                                    : start_over(command, input.get(), output, kept));
  const auto in_time = ends_within(child, command.timeout_ms);
  if (!in_time || !*in_time) (void)::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) return fail(in_time.error());
  if (!*in_time)
    return fail(Errc::io, cat("it was killed after ", command.timeout_ms / 1000, " s"), ETIMEDOUT);
  if (WIFSIGNALED(status)) return fail(Errc::io, cat("it was ended by signal ", WTERMSIG(status)));
  return WEXITSTATUS(status);
}

/// The first `most` bytes of a file.
std::string beginning_of(int file, std::size_t most) {
  std::string text;
  struct stat info {};
  if (::fstat(file, &info) != 0 || info.st_size <= 0) return text;
  text.resize(std::min(most, static_cast<std::size_t>(info.st_size)));
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

}  // namespace

Result<int> run_command(const CommandLine& command) { return run(command, STDERR_FILENO, -1); }

Result<Finished> run_and_listen(const CommandLine& command) {
  TRY_ASSIGN(const UniqueFd output, file_with(""));
  TRY_ASSIGN(const int status, run(command, output.get(), kept_in_writers));
  return Finished{status, beginning_of(output.get(), command.most_output)};
}

void keep_in_writers(int file) { kept_in_writers = file; }

}  // namespace nettune::kernel
