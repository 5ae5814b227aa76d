// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "conf/files.hpp"
#include "owners/link.hpp"
#include "owners/rivals.hpp"

namespace nettune::owners {

/// Finds what udev's rules set when an interface appears: ATTR{mtu}, ATTR{tx_queue_len}, SYSCTL{},
/// and commands of RUN.
void find_udev_rules(const conf::Files& files, std::span<const Link> links, Rivals& rivals);

}  // namespace nettune::owners
