// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "facts/facts.hpp"
#include "node/qualify/evidence.hpp"

namespace nettune::cli {

/// For each device of which `plan` would write what programs its hardware (dcb, ethtool, rdma): one
/// sentence when nobody has tried that with its driver, firmware and kernel series, or when it went
/// wrong there. None where there is evidence and it is good.
std::vector<std::string> evidence_notes(
    const Plan& plan, const facts::Facts& facts, const std::vector<KnownEvidence>& evidence,
    const std::function<Hardware(const std::string& device)>& hardware);

/// True when the plan writes anything that evidence is asked for.
bool asks_for_evidence(const Plan& plan);

}  // namespace nettune::cli
