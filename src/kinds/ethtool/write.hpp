// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/provider.hpp"
#include "kinds/ethtool/provider.hpp"

namespace nettune::kinds::ethtool {

/// Writes one group of one interface: the message has only what differs, and the kernel keeps the
/// rest. Coalescing takes two messages if its mode changes; features take two if one switches back
/// off without following another. Returns when the link is back. A change that was neither
/// requested nor announced is reverted at once and is a failure; so is a feature that the kernel
/// did not change, since its SET never fails.
Result<> ethtool_write(std::span<const Write> unit, const EthtoolCalls& calls,
                       const std::string& sys, const common::SettleLimits& limits);

}  // namespace nettune::kinds::ethtool
