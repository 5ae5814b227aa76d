// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/plan.hpp"
#include "owners/link.hpp"

namespace nettune::owners {

/// Finds all other managers of the settings in `desired`: sysctl.d files and the like, limits.d,
/// drop-ins of services, TuneD, lldpad, irqbalance, foreign lines in nccl.conf (`owned` has the
/// managed ones), and for the interfaces in `links` networkd, udev's .link files, NetworkManager,
/// ifupdown and dhclient, with netplan and cloud-init behind them. It only reads and skips what
/// cannot be read. `root` is put in front of every path; claims name paths without it.
std::vector<Claim> find_claims(Disk& disk, const Desired& desired,
                               const std::map<Address, Owned>& owned, std::vector<LinkFacts> links,
                               const std::string& root = "");

/// The lines of others that make a file of nettune void although it is as applied: later drop-ins
/// of a service, and later files in limits.d. For check, so only what holds for everybody counts.
std::vector<Claim> find_overrides(Disk& disk, std::span<const Setting> settings,
                                  const std::string& root = "");

}  // namespace nettune::owners
