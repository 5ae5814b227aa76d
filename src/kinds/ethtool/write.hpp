// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/provider.hpp"
#include "kinds/ethtool/provider.hpp"

namespace nettune::providers {

/// Writes one group of one interface: only what differs is in the message, and the kernel keeps the
/// rest. Coalescing takes two where its mode changes, and features take two where one that goes
/// back off does not follow another. Returns when the link is what it was. What nobody asked for
/// and no effect announces is put back at once, and is a failure: so is a feature that the kernel
/// leaves as it is, since its SET never fails.
Result<> ethtool_write(std::span<const Write> unit, const EthtoolCalls& calls,
                       const std::string& sys, const SettleLimits& limits);

}  // namespace nettune::providers
