// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "conf/files.hpp"
#include "owners/link.hpp"
#include "owners/rivals.hpp"

namespace nettune::owners {

/// Finds MTU and queue length in TuneD's active profile (its plugin "net").
void find_tuned_net(const conf::Files& files, std::span<const Link> links, Rivals& rivals);

}  // namespace nettune::owners
