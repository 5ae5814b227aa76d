// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/provider.hpp"
#include "kinds/link/provider.hpp"

namespace nettune::cli {

/// `live`, but with the interfaces of a dump that was made already: on a node with thousands of
/// them a second dump would double the cost of a check. For looking only; `live` outlives it.
Providers with_links(const Providers& live, providers::Links links);

}  // namespace nettune::cli
