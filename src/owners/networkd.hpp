// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "conf/files.hpp"
#include "owners/link.hpp"
#include "owners/rivals.hpp"

namespace nettune::owners {

/// Finds settings of .network files and networkd.conf, if systemd-networkd is enabled or handled
/// the interface since boot: the MTU, and the sysctls that networkd writes.
void find_networkd(const conf::Files& files, std::span<const Link> links, Rivals& rivals);

}  // namespace nettune::owners
