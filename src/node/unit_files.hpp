// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/setting.hpp"
#include "node/context.hpp"

namespace nettune::node {

/// If the committed `report` wrote a drop-in of [firewall] or files of [units], tells systemd to
/// reload its units. Otherwise a reload of nftables.service would leave our rules out until the
/// next boot, and a restart would not use the directives. For those of [units] alone it waits while
/// a process uses a GPU, unless `allow_busy`. Adds a note.
void tell_systemd(Context& context, const std::vector<Address>& written, bool allow_busy,
                  Report& report);

}  // namespace nettune::node
