// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conf/files.hpp"
#include "owners/rivals.hpp"

namespace nettune::owners {

/// What was found in a file below /run that netplan made is traced to the line of the YAML that it
/// was made from, since that is the one to edit. The made file says which interface it is for, so
/// nothing is matched again, and nothing is named twice. A line that is not found (flow style, an
/// anchor) leaves the made file named, and netplan with it.
void trace_netplan(const Files& files, const Rivals& rivals, Said& said);

}  // namespace nettune::owners
