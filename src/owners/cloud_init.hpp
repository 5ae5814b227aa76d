// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conf/files.hpp"
#include "owners/rivals.hpp"

namespace nettune::owners {

/// True when cloud-init writes the node's network configuration: it is installed, not disabled, and
/// not configured to leave the network alone.
bool cloud_init_writes_network(const conf::Files& files);

/// Changes the remedy for a file that cloud-init writes: an edit there would be overwritten.
void trace_cloud_init(bool writes_network, const Rivals& rivals, Said& said);

}  // namespace nettune::owners
