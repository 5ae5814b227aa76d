// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// irqbalance moves interrupts as their load changes, of every device: while it is enabled or runs,
/// it claims every interrupt that is not banned in its arguments, and would revert it. `root` is
/// put in front of every path.
std::vector<Claim> irqbalance_claims(const conf::Files& files, const Desired& desired,
                                     const std::string& root);

/// What irqbalance's arguments say that it leaves alone (irqbalance(1), version 1.9.2).
struct Banned {
  std::set<int> interrupts;       ///< -i N, --banirq=N
  std::set<std::string> modules;  ///< -m NAME, --banmod=NAME
};
Banned banned_by(std::vector<std::string_view> arguments);

}  // namespace nettune::owners
