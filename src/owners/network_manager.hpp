// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "conf/files.hpp"
#include "owners/ifupdown.hpp"
#include "owners/link.hpp"
#include "owners/rivals.hpp"

namespace nettune::owners {

/// Finds connection profiles of NetworkManager and the defaults of its configuration, for
/// interfaces that it manages. By default it leaves the interfaces in `interfaces` alone.
void find_network_manager(const conf::Files& files, const Interfaces& interfaces,
                          std::span<const Link> links, Rivals& rivals);

}  // namespace nettune::owners
