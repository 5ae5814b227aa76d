// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "core/plan.hpp"
#include "facts/facts.hpp"

namespace nettune::cli {

/// Errc::invalid where two settings that a profile wants cannot hold together on this node,
/// whatever the order: the error names both, with file and line. Only what is certain counts.
Result<> find_contradiction(const Plan& plan, const Providers& providers,
                            const facts::Facts& facts);

}  // namespace nettune::cli
