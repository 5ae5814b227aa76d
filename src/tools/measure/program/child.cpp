// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "node/signals.hpp"
#include "tools/measure/net/socket.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr std::size_t kKept = 4 << 20;

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> out;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view entry(*one);
    if (!added.contains(std::string(entry.substr(0, entry.find('='))))) out.emplace_back(entry);
  }
  for (const auto& [name, value] : added) out.push_back(cat(name, "=", value));
  return out;
}

std::vector<char*> char_pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// Runs in the forked process: only async-signal-safe calls.
[[noreturn]] void become(const ChildSpec& spec, char* const* words, char* const* env, int output,
                         pid_t parent) {
  if (spec.dies_with_us) (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  (void)::setpgid(0, 0);
  if (spec.place != nullptr) spec.place->store(::getpid());
  // In this order: whoever looks after the parent has gone finds the pid, or nothing is executed.
  if (::getppid() != parent) ::_exit(1);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  (void)::dup2(null, STDIN_FILENO);
  (void)::dup2(output, STDOUT_FILENO);
  (void)::dup2(spec.errors ? output : null, STDERR_FILENO);
  node::restore_signals();
  ::execvpe(spec.file.c_str(), words, env);
  const int code = errno == ENOENT ? 127 : 126;
  const char* const why = std::strerror(errno);
  (void)!::write(STDERR_FILENO, why, std::strlen(why));
  ::_exit(code);
}

/// The end of an output, and the lines to keep of what was before it.
class Tail {
 public:
  explicit Tail(std::string_view keep) : keep_(keep) {}

  void append(std::string_view text) {
    end_ += text;
    if (end_.size() > 2 * kKept) cut();
  }
  std::string take() {
    if (end_.size() > kKept) cut();
    return kept_ + std::move(end_);
  }

 private:
  /// Between two lines, unless they are very long.
  void cut() {
    constexpr std::size_t kLine = 65536;
    std::size_t at = end_.size() - kKept;
    const std::size_t newline = std::string_view(end_).substr(at, kLine).find('\n');
    if (newline != end_.npos) at += newline + 1;
    if (!keep_.empty())
      for (const std::string_view line : split(std::string_view(end_).substr(0, at), '\n'))
        if (line.find(keep_) != line.npos && kept_.size() + line.size() < kKept)
          kept_ += cat(line, "\n");
    end_.erase(0, at);
  }

  std::string_view keep_;
  std::string kept_;
  std::string end_;
};

/// Reads what is available, but not more than a pipe can hold, so an endless writer does not block.
/// False at the end.
bool drain(int fd, Tail& output) {
  constexpr int kReads = 16;  // 1 MiB: /proc/sys/fs/pipe-max-size
  std::array<char, 65536> buffer{};
  for (int i = 0; i < kReads; ++i) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    output.append({buffer.data(), static_cast<std::size_t>(got)});
  }
  return true;
}

}  // namespace

std::string ChildEnd::text() const {
  switch (how) {
    case How::exited:
      return cat("exit code ", status);
    case How::signalled:
      return cat("signal ", status);
    case How::too_late:
      return cat("it took longer than ", static_cast<int>(seconds), " s");
    case How::cancelled:
      return "it was stopped";
  }
  return "?";
}

Result<ChildEnd> run_child(const ChildSpec& spec, const std::function<bool()>& cancelled) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(Errc::io, cat("cannot make a pipe: ", std::strerror(errno)), errno);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  (void)::fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  const std::vector<std::string> env = environment_with(spec.env);
  const auto words = char_pointers(spec.words);
  const auto env_words = char_pointers(env);
  const pid_t parent = ::getpid();
  const auto begin = net::Clock::now();
  const pid_t pid = ::fork();
  if (pid < 0)
    return fail(Errc::io,
                cat("cannot start ", printable(spec.words[0]), ": ", std::strerror(errno)), errno);
  if (pid == 0) become(spec, words.data(), env_words.data(), write_end.get(), parent);
  (void)::setpgid(pid, pid);
  write_end = UniqueFd();
  ChildEnd out;
  Tail output(spec.keep);
  int status = 0;
  int patience_ms = 1;
  bool reading = true;
  std::optional<net::Clock::time_point> asked_to_end;
  // A pidfd gives the exact time of its end, without polling (Linux 5.3).
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  while (::waitpid(pid, &status, WNOHANG) != pid) {
    std::array<pollfd, 2> fds{
        {{reading ? read_end.get() : -1, POLLIN, 0}, {process.get(), POLLIN, 0}}};
    (void)::poll(fds.data(), fds.size(), patience_ms);
    patience_ms = std::min(2 * patience_ms, 20);
    reading = reading && drain(read_end.get(), output);
    if (spec.watch) spec.watch(pid);
    if (!asked_to_end) {
      const bool late = net::seconds_since(begin) > spec.longest_s;
      if (!late && !cancelled()) continue;
      out.how = late ? ChildEnd::How::too_late : ChildEnd::How::cancelled;
      (void)::kill(-pid, SIGTERM);
      asked_to_end = net::Clock::now();
    }
    if (net::seconds_since(*asked_to_end) < kGrace_s) continue;
    (void)::kill(-pid, SIGKILL);
    (void)::waitpid(pid, &status, 0);
    break;
  }
  out.seconds = net::seconds_since(begin);
  // Processes that it left behind must not disturb the next measurement.
  (void)::kill(-pid, SIGKILL);
  if (spec.place != nullptr) spec.place->store(0);
  (void)drain(read_end.get(), output);
  out.output = output.take();
  if (out.how != ChildEnd::How::exited) return out;
  out.how = WIFSIGNALED(status) ? ChildEnd::How::signalled : ChildEnd::How::exited;
  out.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return out;
}

std::string last_line(const std::string& output) {
  const std::string_view text = trim(output);
  const auto line = text.rfind('\n');
  return printable(line == text.npos ? text : text.substr(line + 1)).substr(0, 300);
}

}  // namespace nettune::tools::measure::program
