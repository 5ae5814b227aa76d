// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/setting.hpp"

namespace nettune::cli {

/// systemd keeps what it once read of its units: where a drop-in of [firewall] is among what was
/// written, it is told to read them anew, since a reload of nftables.service would else leave our
/// rules out until the next boot. A sentence for people; "" where nothing was to be done.
std::string tell_systemd(const std::vector<Address>& written);

}  // namespace nettune::cli
