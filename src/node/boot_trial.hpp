// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"
#include "base/word_table.hpp"
#include "node/context.hpp"

namespace nettune::node {

/// What became of the first boot with new arguments of the kernel.
struct BootTrial {
  enum class State {
    none,     ///< no boot is on trial
    kept,     ///< it came up: the arguments are the default from now on
    next,     ///< the next boot is the trial
    failed,   ///< this boot has the line from before: it did not come up, or was not booted by GRUB
    doubted,  ///< it came up, and a probe of the site failed: the next boot has the line from
              ///< before
  };
  State state = State::none;
  std::string text;  ///< a sentence
};

/// In JSON.
inline constexpr auto kBootTrialStates = word_table<BootTrial::State>({
    {BootTrial::State::none, "none"},
    {BootTrial::State::kept, "kept"},
    {BootTrial::State::next, "next"},
    {BootTrial::State::failed, "failed"},
    {BootTrial::State::doubted, "doubted"},
});

/// Ends the trial if this boot is one: makes its arguments the default, by a menu made anew, where
/// each probe of [boot] of the site file succeeds within a minute. For the service that runs when
/// the node is up; needs the lock.
Result<BootTrial> end_boot_trial(Context& context);

}  // namespace nettune::node
