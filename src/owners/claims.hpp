// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/plan.hpp"
#include "owners/link.hpp"

namespace nettune::owners {

/// Everything that somebody else sets too, of what `desired` wants: sysctl.d files and their kin,
/// limits.d, TuneD, lldpad, lines in nccl.conf that are not ours (`owned` says which are), and for
/// the interfaces in `links` networkd, udev's .link files, NetworkManager, ifupdown, dhclient, and
/// netplan and cloud-init behind them. Only reads, and what cannot be read is passed over. `root`
/// is put in front of every path; claims name paths without it.
std::vector<Claim> find_claims(Disk& disk, const Desired& desired,
                               const std::map<Address, Owned>& owned, std::vector<LinkFacts> links,
                               const std::string& root = "");

}  // namespace nettune::owners
