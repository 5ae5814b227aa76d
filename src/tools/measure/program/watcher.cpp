// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/watcher.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "kernel/process.hpp"
#include "node/identity.hpp"
#include "tools/measure/net/socket.hpp"
#include "tools/measure/program/arm_switch.hpp"
#include "tools/measure/program/child.hpp"

namespace nettune::tools::measure::program {
namespace {

constexpr double kDeath_s = 600;  // what a process may take to die (in a driver's call)
constexpr int kApply_ms = 3'600'000;

std::uint64_t number_of_id(std::string_view id) {
  std::uint64_t number = 0;
  (void)std::from_chars(id.data(), id.data() + id.size(), number, 16);
  return number;
}

UniqueFd pidfd_of(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

/// True once the process has ended.
bool await_end(const UniqueFd& process, int timeout_ms) {
  pollfd on{process.get(), POLLIN, 0};
  int got = 0;
  do {
    got = ::poll(&on, 1, timeout_ms);
  } while (got < 0 && errno == EINTR);
  return got > 0;
}

/// A zombie may wait for whoever starts processes here; it does nothing any more.
bool lives(Disk& disk, pid_t group) {
  const auto names = disk.list("/proc");
  return names && std::ranges::any_of(*names, [&](const std::string& name) {
           const auto pid = parse_int(name);
           const auto process = pid ? kernel::read_process(disk, *pid)
                                    : Result<kernel::Process>(fail(Errc::not_found, ""));
           return process && process->group == group && process->state != 'Z' &&
                  process->state != 'X';
         });
}

bool end_group(Disk& disk, pid_t group) {
  if (group <= 1) return true;
  const auto begin = net::Clock::now();
  (void)::kill(-group, SIGTERM);
  do {
    if (net::seconds_since(begin) > kGrace_s) (void)::kill(-group, SIGKILL);
    if (!lives(disk, group)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (net::seconds_since(begin) < kDeath_s);
  return false;
}

bool is_window_of(const Watched& watched, const JournalStatus& journal) {
  const bool is_open = journal.kind == JournalStatus::Kind::awaiting_confirm ||
                       journal.kind == JournalStatus::Kind::open;
  const Transaction& now = journal.transaction;
  if (!is_open || !now.temporary) return false;
  if (const std::uint64_t id = watched.window; id != 0) return number_of_id(now.id) == id;
  return now.profile == watched.profile.data() && now.identity.boottime_s >= watched.begun_s;
}

void clean_up(const node::Locations& locations, const Watched& watched) {
  node::Locations own;  // as the timer: only where the state is
  own.state_directory = locations.state_directory;
  own.forgives_site_file = true;
  node::Context context(own);
  if (!end_group(context.disk(), watched.benchmark)) return;
  if (const pid_t apply = watched.apply; apply > 1)
    if (const UniqueFd process = pidfd_of(apply); process.valid() && !await_end(process, kApply_ms))
      return;
  if (watched.begun_s == 0) return;
  (void)end_window(context,
                   [&](const JournalStatus& journal) { return is_window_of(watched, journal); });
}

/// The whole of the watcher. It has no terminal, no session and no file of the process that it
/// watches: whoever reads that one's output finds its end.
[[noreturn]] void watch(UniqueFd process, const node::Locations& locations,
                        const Watched& watched) {
  (void)::setsid();
  (void)::prctl(PR_SET_NAME, "nettune-watcher");
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2; ++fd) (void)::dup2(null, fd);
  constexpr int kOnly = 3;
  if (process.get() != kOnly) (void)::dup3(process.get(), kOnly, O_CLOEXEC);
  (void)process.release();
  const UniqueFd only(kOnly);
  (void)::syscall(SYS_close_range, kOnly + 1, ~0U, 0);
  if (::chdir("/") == 0 && await_end(only, -1)) {
    try {
      clean_up(locations, watched);
    } catch (const std::exception&) {
      ::_exit(1);  // the timer is still there
    }
  }
  ::_exit(0);
}

}  // namespace

void Watched::switching_to(std::string_view name) {
  const std::size_t size = std::min(name.size(), profile.size() - 1);
  std::copy_n(name.data(), size, profile.data());
  profile.at(size) = '\0';
  window = 0;
  begun_s = node::boottime_s();
}

void Watched::switched_to(std::string_view transaction_id) {
  window = number_of_id(transaction_id);
}

void Watched::is_home() { begun_s = 0; }

Watcher::Watcher(const node::Locations& locations) {
  void* const shared =
      ::mmap(nullptr, sizeof(Watched), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  watched_ = new (shared) Watched;
  UniqueFd process = pidfd_of(::getpid());
  if (!process.valid()) return;  // before Linux 5.3: there is the window's own timer
  pid_ = ::fork();
  if (pid_ == 0) watch(std::move(process), locations, *watched_);
}

Watcher::~Watcher() {
  if (pid_ > 0) {
    (void)::kill(pid_, SIGKILL);
    (void)::waitpid(pid_, nullptr, 0);
  }
  (void)::munmap(watched_, sizeof(Watched));
}

}  // namespace nettune::tools::measure::program
