// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "conf/files.hpp"
#include "owners/ifupdown.hpp"
#include "owners/link.hpp"
#include "owners/rivals.hpp"

namespace nettune::owners {

/// Finds the MTU that dhclient gets from a DHCP server, for interfaces that ifupdown runs it for.
void find_dhclient(const conf::Files& files, const Interfaces& interfaces,
                   std::span<const Link> links, Rivals& rivals);

}  // namespace nettune::owners
