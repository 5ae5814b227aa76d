// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/setting.hpp"
#include "facts/facts.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::cli {

/// The settings of [firewall] that would let a new connection of an ssh session that is here now
/// not in, with the reason: a guard's. A rule that drops it, and one that lets it in and that is
/// `owned` and not desired any more (or not so), where `ruleset` (null: not known) does not show
/// that something else does; of what a daemon is told it never does.
std::map<Address, std::string> kept_out(const Desired& desired,
                                        const std::map<Address, Owned>& owned,
                                        const std::vector<facts::SshSession>& sessions,
                                        const kernel::NfRuleset* ruleset);

}  // namespace nettune::cli
