// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/provider.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::cli {

/// `live`, but with the interfaces of a dump that was made already: on a node with thousands of
/// them a second dump would double the cost of a check. For looking only; `live` outlives it.
Providers with_links(const Providers& live, std::vector<kernel::Link> links);

}  // namespace nettune::cli
