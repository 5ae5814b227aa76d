// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::kernel {

/// The canonical spelling of a sysctl: separators are dots, and a dot inside a name is written as a
/// slash, as in sysctl.d(5): "net/ipv4/conf/eth0.100/rp_filter" and
/// "net.ipv4.conf.eth0/100.rp_filter" both become the latter. Refuses empty names, "." and ".." as
/// names, control characters, blanks and a leading '/'.
Result<std::string> canonical_sysctl_key(std::string_view typed);

/// The path below /proc/sys of a canonical key: "net/ipv4/conf/eth0.100/rp_filter".
std::string sysctl_path(std::string_view canonical_key);

}  // namespace nettune::kernel
