// SPDX-License-Identifier: Apache-2.0
#include "node/confirm/undo_timer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "kernel/systemd.hpp"

namespace nettune::node::confirm {

namespace {

Failure failed(std::string_view what, int error) {
  return fail(Errc::io, cat(what, ": ", std::strerror(error)), error);
}

Result<std::string> this_program() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0 || static_cast<std::size_t>(size) >= path.size())
    return failed("cannot find the path of this program (/proc/self/exe)", errno);
  return std::string(path.data(), static_cast<std::size_t>(size));
}

std::vector<std::string> command_line(const std::string& program, const std::string& directory,
                                      std::int64_t deadline_s) {
  return {program, "recover", "--at", cat(deadline_s), "--state-dir", directory};
}

/// Whether the journal is gone. A hold may also disappear, even before there is a journal.
bool names_journal(std::string_view events) {
  while (events.size() >= sizeof(inotify_event)) {
    inotify_event event{};
    std::memcpy(&event, events.data(), sizeof event);
    const std::string_view name = events.substr(sizeof event, event.len);
    if (name.substr(0, name.find('\0')) == "journal") return true;
    events.remove_prefix(std::min(sizeof event + event.len, events.size()));
  }
  return false;
}

/// Runs in the forked process: executes `command`, or sends the reason for failure through
/// `report`.
[[noreturn]] void become(const std::vector<std::string>& command, int report) {
  // Two forks and a new session: no terminal can end it, and init inherits it.
  if (::setsid() >= 0) {
    const pid_t child = ::fork();
    if (child > 0) ::_exit(0);
    if (child == 0) {
      const int null = ::open("/dev/null", O_RDWR);
      for (int fd = 0; fd <= 2; ++fd) (void)::dup2(null, fd);
      if (null > 2) ::close(null);
      if (::chdir("/") == 0) {
        std::vector<char*> words;
        for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        // This link works even if the file was replaced meanwhile. exec closes the lock.
        ::execv("/proc/self/exe", words.data());
      }
    }
  }
  const int error = errno;
  (void)!::write(report, &error, sizeof error);
  ::_exit(1);
}

Result<std::string> start_process(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) return failed("cannot make a pipe", errno);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return failed("cannot start a process", errno);
  if (child == 0) become(command, write_end.get());
  write_end = UniqueFd();
  int error = 0;
  ssize_t got = 0;
  // The pipe closes when the program is executed; an errno may come before that.
  do {
    got = ::read(read_end.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (got != 0) return failed("cannot start the process that would revert this", error);
  return std::string("a separate process");
}

}  // namespace

Result<std::string> arm_undo(const std::string& state_directory, std::int64_t deadline_s) {
  TRY_ASSIGN(const std::string program, this_program());
  const auto command = command_line(program, state_directory, deadline_s);
  if (!kernel::systemd_is_ours()) return start_process(command);
  std::string name = cat("nettune-undo-", deadline_s, "-", ::getpid(), ".service");
  TRY(kernel::start_transient_service(
      name, "Reverts a nettune apply unless it is confirmed in time", command));
  return name;
}

Result<bool> sleep_until(const std::string& state_directory, std::int64_t deadline_s) {
  const UniqueFd timer(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC));
  itimerspec at{};
  at.it_value.tv_sec = deadline_s;
  if (!timer.valid() || ::timerfd_settime(timer.get(), TFD_TIMER_ABSTIME, &at, nullptr) < 0)
    return failed("cannot set a timer", errno);
  UniqueFd watch(::inotify_init1(IN_CLOEXEC));
  // Without inotify this sleeps until the deadline and then finds nothing to do.
  if (watch.valid())
    (void)::inotify_add_watch(watch.get(), state_directory.c_str(), IN_MOVED_FROM | IN_DELETE);
  while (true) {
    // poll() ignores a negative descriptor.
    std::array<pollfd, 2> on{{{timer.get(), POLLIN, 0}, {watch.get(), POLLIN, 0}}};
    if (::poll(on.data(), on.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return failed("cannot wait", errno);
    }
    if (on[0].revents != 0) return true;
    alignas(inotify_event) std::array<char, 4096> events{};
    const ssize_t size = ::read(watch.get(), events.data(), events.size());
    // There is nothing left to watch; the deadline still holds.
    if (size < 0 && errno != EINTR) watch = UniqueFd();
    if (size > 0 && names_journal({events.data(), static_cast<std::size_t>(size)})) return false;
  }
}

}  // namespace nettune::node::confirm
