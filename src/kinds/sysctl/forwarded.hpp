// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace nettune::kinds::sysctl {

/// Whose traffic this node forwards, as far as the names and types of its interfaces show: those of
/// containers, virtual machines and tunnels. A sentence; `sys` is the path of /sys.
std::string forwarded_text(std::span<const std::string> interfaces, const std::string& sys);

}  // namespace nettune::kinds::sysctl
