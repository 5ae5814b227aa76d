// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/setting.hpp"
#include "facts/facts.hpp"

namespace nettune::cli {

/// The rules of [firewall] that would let a new connection of an ssh session that is here now not
/// in, with the reason: a guard's.
std::map<Address, std::string> kept_out(const Desired& desired,
                                        const std::vector<facts::SshSession>& sessions);

}  // namespace nettune::cli
