// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "facts/facts.hpp"
#include "node/qualify/evidence.hpp"

namespace nettune::node::qualify {

/// One sentence for each device whose hardware `plan` would program (dcb, ethtool, rdma), if nobody
/// has tried that with its driver, firmware and kernel series, or if it went wrong there. Nothing
/// if the evidence is good.
std::vector<std::string> evidence_notes(
    const Plan& plan, const facts::Facts& facts, const std::vector<KnownEvidence>& evidence,
    const std::function<Hardware(const std::string& device)>& hardware);

/// True if the plan writes a setting that evidence is about.
bool asks_for_evidence(const Plan& plan);

}  // namespace nettune::node::qualify
