// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "checks/lossless.hpp"
#include "checks/switch_half.hpp"
#include "cli/output.hpp"
#include "node/awaited.hpp"
#include "node/check/checking.hpp"
#include "node/check/restoring.hpp"

/// What check says to people.
namespace nettune::cli::text {

/// The commands that check names.
struct CheckLines {
  std::string restore;  ///< "sudo nettune reapply --allow-busy"
  std::string look;     ///< "sudo nettune diff"
  bool unseen = false;  ///< also name the values whose effect nothing shows
};
/// The verdict, then what differs, one line each, and how to restore it.
std::string check(const node::check::Checked& checked, const node::check::Restoring& restoring,
                  const CheckLines& lines, const Style& style);
/// What is written, and not in effect, two lines each; with `unseen`, also what nothing shows.
std::string awaited(const std::vector<node::Awaited>& all, bool unseen, const Style& style);
/// The optional values that the kernel refused when they were written, one line each.
std::string refusals(const std::map<Address, Refusal>& refused, const Style& style);
/// The path of data through every lossless port, and where its layers disagree.
std::string chains(const std::vector<checks::Chain>& chains, const Style& style);
/// The configuration of the switches, and where it differs from this node's.
std::string switches(const std::vector<checks::SwitchHalf>& switches, const Style& style);

}  // namespace nettune::cli::text
