// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "conf/files.hpp"
#include "owners/ifupdown.hpp"
#include "owners/link.hpp"
#include "owners/rivals.hpp"

namespace nettune::owners {

/// Finds wanted settings in commands that other programs run: services that systemd starts at boot,
/// /etc/rc.local, @reboot of cron, and the scripts that ifupdown, networkd-dispatcher,
/// NetworkManager and dhclient run for an interface. Files that "sysctl -p" loads are read too.
void find_hooks(const conf::Files& files, const Interfaces& interfaces, std::span<const Link> links,
                Rivals& rivals);

}  // namespace nettune::owners
