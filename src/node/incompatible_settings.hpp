// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.hpp"
#include "core/plan.hpp"
#include "facts/facts.hpp"

namespace nettune::node {

/// Errc::invalid if two settings of a profile cannot both hold on this node, in any order. The
/// error names both, with file and line. Only certain contradictions count.
Result<> find_incompatible_settings(const Plan& plan, const Providers& providers,
                                    const facts::Facts& facts);

}  // namespace nettune::node
