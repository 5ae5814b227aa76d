// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/plan.hpp"
#include "facts/facts.hpp"
#include "node/confirm/probe.hpp"
#include "node/context.hpp"

namespace nettune::node::confirm {

/// The probes with resolved names, each tried once before any change. The error names a probe that
/// fails already: it would prove nothing later. A site's program may take the whole window.
Result<std::vector<Probe>> probes_that_succeed_now(const std::vector<Probe>& probes,
                                                   std::int64_t window_s);

/// The interfaces with a new MTU in `plan` that carry addresses (directly or stacked above) and
/// that no path probe tests with packets of that size.
std::vector<std::string> unprobed_mtu(const Plan& plan, const facts::Facts& facts,
                                      const std::vector<Probe>& probes);

/// Tries the probes, without the lock, until all succeed or `deadline_s` (CLOCK_BOOTTIME) is near.
/// Then confirms or reverts the waiting transaction `id`. The report is that of the outcome; its
/// error names the failed probe.
Result<Report> settle_by_probes(Context& context, const std::vector<Probe>& probes,
                                const std::string& id, std::int64_t deadline_s);

}  // namespace nettune::node::confirm
