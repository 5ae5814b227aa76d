// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/provider.hpp"
#include "kernel/rtnl.hpp"
#include "kinds/link/far_links.hpp"
#include "kinds/link/picture.hpp"

namespace nettune::kinds::link {

/// The links of this namespace and of the others.
struct AllLinks {
  const LinkPicture& own;
  const FarLinks& far;
};

/// The side effects of an MTU change of `link`: on its IPv6 settings, on upper interfaces and on
/// members below, in every network namespace.
Effects mtu_effects(const AllLinks& links, const kernel::Link& link, std::uint32_t mtu,
                    const std::string& proc_sys);
/// The same for a link in another network namespace.
Effects mtu_effects(const AllLinks& links, const FarLink& link, std::uint32_t mtu,
                    const std::string& proc_sys);

/// The side effects of a mode change of an IPoIB interface: its MTU, and what that changes.
Effects ipoib_mode_effects(const AllLinks& links, const kernel::Link& link, bool connected,
                           const std::string& proc_sys);

}  // namespace nettune::kinds::link
