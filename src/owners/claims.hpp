// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// Everything that somebody else sets too, of what `desired` wants: sysctl.d files and their kin,
/// limits.d, TuneD, lines in nccl.conf that are not ours (`owned` says which are). Only reads, and
/// what cannot be read is passed over. `root` is put in front of every path; claims name paths
/// without it.
std::vector<Claim> find_claims(Disk& disk, const Desired& desired,
                               const std::map<Address, Owned>& owned, const std::string& root = "");

}  // namespace nettune::owners
