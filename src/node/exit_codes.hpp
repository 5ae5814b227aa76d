// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"

namespace nettune::cli {

/// What the process exits with. Stable, and in the man page.
enum class Exit : int {
  done = 0,           ///< done, or in sync
  failed = 1,         ///< failed, nothing changed
  usage = 2,          ///< a wrong command line or profile
  drift = 3,          ///< something differs, or would be changed
  rolled_back = 4,    ///< failed, and everything is as it was
  unfinished = 5,     ///< a transaction needs `nettune recover`
  not_permitted = 6,  ///< needs root, or this machine does not let us
  busy = 7,           ///< another nettune is at work, or a confirm window is open
  refused = 8,        ///< by a guard, an owner or a node that does not fit
  unknown = 9,        ///< what was looked at does not say
  cannot_run = 126,   ///< run: the command is there and cannot be started, as a shell says it
  no_command = 127,   ///< run: there is no such command
};

/// Which one to tell where two hold: 5 before 7 before 8 before 3 before 9 before 6, and any
/// before 0.
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

/// What a command that could not do its work exits with.
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

}  // namespace nettune::cli
