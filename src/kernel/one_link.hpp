// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "kernel/rtnl.hpp"

namespace nettune::kernel {

/// The link with this name, without a dump of all; nothing if there is none. Needs no privilege.
Result<std::optional<Link>> read_link(const std::string& name);

}  // namespace nettune::kernel
