// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "conf/files.hpp"
#include "owners/link.hpp"
#include "owners/rivals.hpp"

namespace nettune::owners {

/// Finds settings of .link files, which udev applies when an interface appears, under any manager.
void find_link_files(const conf::Files& files, std::span<const Link> links, Rivals& rivals);

}  // namespace nettune::owners
