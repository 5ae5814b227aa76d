// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "conf/files.hpp"
#include "core/plan.hpp"

namespace nettune::owners {

/// Lines of /etc/nccl.conf for a variable that `desired` sets, not written by nettune.
std::vector<Claim> nccl_conf_claims(const conf::Files& files, const Desired& desired,
                                    const std::map<Address, Owned>& owned);

}  // namespace nettune::owners
