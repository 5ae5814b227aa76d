// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conf/files.hpp"
#include "owners/rivals.hpp"

namespace nettune::owners {

/// Traces a file below /run that netplan made to the YAML line that it was made from, because that
/// line is the one to edit. The made file says which interface it is for, so nothing is matched
/// twice and nothing is reported twice. If the line is not found (flow style, an anchor), the made
/// file is reported, with netplan as its manager.
void trace_netplan(const conf::Files& files, const Rivals& rivals, Said& said);

}  // namespace nettune::owners
