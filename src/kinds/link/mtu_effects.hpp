// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::providers {

/// The side effects of an MTU change of `link`: on its IPv6 settings, on upper interfaces and on
/// members below.
Effects mtu_effects(const std::vector<kernel::Link>& links, const kernel::Link& link,
                    std::uint32_t mtu, const std::string& proc_sys);

/// The side effects of a mode change of an IPoIB interface: its MTU, and what that changes.
Effects ipoib_mode_effects(const std::vector<kernel::Link>& links, const kernel::Link& link,
                           bool connected, const std::string& proc_sys);

}  // namespace nettune::providers
