// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/print_text.hpp"
#include "node/context.hpp"

namespace nettune::cli::text {

/// How a plan of this context is printed; `facts` are the context's, and must outlive the view.
PlanView plan_view(const node::Context& context, const facts::Facts& facts, bool all);

}  // namespace nettune::cli::text
