// SPDX-License-Identifier: Apache-2.0
#include "node/signals.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <string_view>
#include <unistd.h>

#include "node/exit_codes.hpp"

namespace nettune::node {

namespace {

/// A generation is read in the kernel's page cache (Disk::view()). If somebody truncates it
/// meanwhile or the disk fails, the page disappears while we read it.
[[noreturn]] void say_that_a_file_went(int) {
  constexpr std::string_view kText =
      "error: a file was truncated or became unreadable while nettune was reading it; make sure "
      "that nothing else writes to /var/lib/nettune and run the command again\n";
  (void)!::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(static_cast<int>(Exit::unfinished));
}

volatile std::sig_atomic_t g_arrived = 0;
void (*g_pipe_before)(int) = SIG_DFL;
void (*g_file_size_before)(int) = SIG_DFL;

extern "C" void remember_signal(int) { g_arrived = 1; }

}  // namespace

void prepare_process() {
  for (int fd = 0; fd <= 2; ++fd) {
    // open() takes the lowest free number: this one.
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", O_RDWR);
  }
  g_pipe_before = std::signal(SIGPIPE, SIG_IGN);
  g_file_size_before = std::signal(SIGXFSZ, SIG_IGN);
  (void)std::signal(SIGBUS, say_that_a_file_went);
  // Large blocks come from the heap too, where the next one reuses their pages: a third fewer page
  // faults in a check of 2000 links.
  (void)::mallopt(M_MMAP_THRESHOLD, 32 << 20);  // glibc's maximum
  (void)::mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

void restore_signals() {
  (void)std::signal(SIGPIPE, g_pipe_before);
  (void)std::signal(SIGXFSZ, g_file_size_before);
}

DeferredSignals::DeferredSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    (void)::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = remember_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    (void)::sigaction(kSignals[i], &action, nullptr);
  }
}

DeferredSignals::~DeferredSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    (void)::sigaction(kSignals[i], &before_[i], nullptr);
}

bool DeferredSignals::arrived() { return g_arrived != 0; }

BlockedSignals::BlockedSignals() {
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : DeferredSignals::kSignals) sigaddset(&blocked, signal);
  (void)::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

BlockedSignals::~BlockedSignals() { (void)::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace nettune::node
