// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "node/awaited.hpp"
#include "node/context.hpp"

namespace nettune::node {

/// What is pending until a boot, and not only until something is loaded or started again.
std::vector<Address> owed_to_reboot(const std::vector<Awaited>& awaited);

/// After a change, where the site file has `[boot] announce`: says in Debian's way that a reboot is
/// owed (a line in /run/reboot-required.pkgs, and /run/reboot-required; update-notifier-common's
/// notify-reboot-required), once for a change and a boot, and takes that back when nothing is owed
/// any more. The flag stays while it has another line, or was there before. Needs root; nothing is
/// announced from an image.
void announce_reboot(Context& context);

}  // namespace nettune::node
