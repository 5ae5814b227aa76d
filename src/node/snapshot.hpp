// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/provider.hpp"
#include "kinds/link/provider.hpp"

namespace nettune::node {

/// `live` with the interfaces of an existing dump: with thousands of them a second dump would
/// double the cost of a check. Only for reading; `live` must outlive it.
Providers with_links(const Providers& live, const kinds::link::Links& links);

}  // namespace nettune::node
