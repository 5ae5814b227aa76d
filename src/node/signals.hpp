// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>

namespace nettune::cli {

/// Opens /dev/null on any of the descriptors 0 to 2 that the caller closed, so that no file of ours
/// gets the number that messages are written to; ignores SIGPIPE and SIGXFSZ, so that a write that
/// they would end the process for fails with EPIPE or EFBIG; makes an error message of SIGBUS;
/// tells malloc that this process is a short one.
void prepare_process();

/// Before this process becomes another program: SIGPIPE and SIGXFSZ are for it as the caller had
/// them.
void restore_signals();

/// While it lives, SIGINT, SIGTERM and SIGHUP set a flag instead of ending the process, so that an
/// apply undoes what it did. A signal that the caller had ignored (nohup) stays ignored.
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

/// While it lives, the signals of DeferredSignals wait, but for calls that take `before()` as
/// their mask (ppoll(2)).
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

}  // namespace nettune::cli
