// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/setting.hpp"

namespace nettune::node {

/// If the committed `report` wrote a drop-in of [firewall], tells systemd to reload its units.
/// Otherwise a reload of nftables.service would leave our rules out until the next boot. Adds a
/// note.
void tell_systemd(const std::vector<Address>& written, Report& report);

}  // namespace nettune::node
