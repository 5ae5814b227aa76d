// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/provider.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::providers {

/// What the kernel does around an MTU change of `link`: to its IPv6 settings, to the interfaces
/// stacked above it and to the members below it.
Effects mtu_effects(const std::vector<kernel::Link>& links, const kernel::Link& link,
                    std::uint32_t mtu, const std::string& proc_sys);

/// Around a change of the mode of an IPoIB interface: its MTU, and with it the same.
Effects ipoib_mode_effects(const std::vector<kernel::Link>& links, const kernel::Link& link,
                           bool connected, const std::string& proc_sys);

}  // namespace nettune::providers
