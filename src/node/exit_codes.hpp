// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"

namespace nettune::node {

/// The exit codes of the process. They are stable, and documented in the manual.
enum class Exit : int {
  done = 0,           ///< done, or in sync
  failed = 1,         ///< failed, nothing changed
  usage = 2,          ///< a wrong command line or profile
  drift = 3,          ///< something differs or would be changed
  rolled_back = 4,    ///< failed; everything is as before
  unfinished = 5,     ///< a transaction needs `nettune recover`
  not_permitted = 6,  ///< needs root, or this machine does not allow it
  busy = 7,           ///< another nettune runs, or a confirm window is open
  refused = 8,        ///< by a guard, a manager or a node that does not match
  unknown = 9,        ///< unknown: what was read does not answer the question
  cannot_run = 126,   ///< run: the command exists but cannot be started, as in a shell
  no_command = 127,   ///< run: command not found
};

/// The more important of two codes: 5 before 7 before 8 before 3 before 9 before 6, and any before
/// 0.
constexpr Exit worse(Exit left, Exit right) {
  constexpr auto rank = [](Exit exit) {
    switch (exit) {
      case Exit::done:
        return 0;
      case Exit::not_permitted:
        return 1;
      case Exit::unknown:
        return 2;
      case Exit::drift:
        return 3;
      case Exit::refused:
        return 4;
      case Exit::busy:
        return 5;
      case Exit::unfinished:
        return 6;
      default:
        return 7;
    }
  };
  return rank(left) >= rank(right) ? left : right;
}

/// The exit code for an error that stopped a command.
constexpr Exit exit_for(Errc code) {
  switch (code) {
    case Errc::invalid:
    case Errc::not_found:
      return Exit::usage;
    case Errc::denied:
      return Exit::not_permitted;
    case Errc::busy:
      return Exit::busy;
    case Errc::corrupt:
      return Exit::unfinished;
    default:
      return Exit::failed;
  }
}

}  // namespace nettune::node
