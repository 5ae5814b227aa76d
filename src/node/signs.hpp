// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "node/context.hpp"
#include "node/state_view.hpp"

namespace nettune::node {

/// Fills StateView::signs: what of the site's says that this node should be managed, on a node
/// without any record. Only looks up names.
void find_signs(Context& context, StateView& state);

}  // namespace nettune::node
