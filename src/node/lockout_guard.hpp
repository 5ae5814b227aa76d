// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/setting.hpp"
#include "facts/facts.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::node {

/// The settings of [firewall] that would block new connections of a present ssh session, with the
/// reason for the guard: a rule that drops them, and a rule that allows them, is `owned` and is no
/// longer desired (or not like this). `ruleset` (null if unknown) may show that another rule allows
/// them; it never does for the rules of a daemon.
std::map<Address, std::string> lockouts(const Desired& desired,
                                        const std::map<Address, Owned>& owned,
                                        const std::vector<facts::SshSession>& sessions,
                                        const kernel::NfRuleset* ruleset);

}  // namespace nettune::node
