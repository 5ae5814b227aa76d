// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/disk.hpp"
#include "core/setting.hpp"
#include "firewall/live_ruleset.hpp"
#include "kinds/firewall/firewalld_provider.hpp"

namespace nettune::kinds::firewall {

/// The rules that bear nettune's mark, by their addresses, sorted: the tag of a rule of nf_tables,
/// the comment of one of ufw, the priority of a rich rule of firewalld. What cannot be read is left
/// out.
std::vector<Address> marked_rules(Disk& disk, nettune::firewall::LiveRuleset& ruleset,
                                  const FirewalldCalls& firewalld = {});

}  // namespace nettune::kinds::firewall
