// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/setting.hpp"

namespace nettune::cli {

/// systemd keeps what it once read of its units: where a drop-in of [firewall] is among what was
/// written by what `report` tells, and that is committed, it is told to read them anew, since a
/// reload of nftables.service would else leave our rules out until the next boot. Adds a note.
void tell_systemd(const std::vector<Address>& written, Report& report);

}  // namespace nettune::cli
