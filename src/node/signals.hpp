// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>

namespace nettune::node {

/// Opens /dev/null on each of the descriptors 0 to 2 that the caller closed, so that no file of
/// ours gets the number to which messages are written. Ignores SIGPIPE and SIGXFSZ, so that such a
/// write fails with EPIPE or EFBIG. Turns SIGBUS into an error message. Tells malloc that this
/// process is short-lived.
void prepare_process();

/// Restores SIGPIPE and SIGXFSZ to the caller's state, before this process executes another
/// program.
void restore_signals();

/// During its lifetime SIGINT, SIGTERM and SIGHUP set a flag instead of ending the process, so that
/// an apply undoes what it did. A signal that the caller ignored (nohup) stays ignored.
class DeferredSignals {
 public:
  DeferredSignals();
  ~DeferredSignals();
  DeferredSignals(const DeferredSignals&) = delete;
  DeferredSignals& operator=(const DeferredSignals&) = delete;

  static bool arrived();
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

 private:
  std::array<struct sigaction, kSignals.size()> before_{};
};

/// During its lifetime the signals of DeferredSignals are blocked, except in calls that take
/// `before()` as their mask (ppoll(2)).
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

}  // namespace nettune::node
