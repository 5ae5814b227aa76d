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

namespace nettune::cli {

/// Probes with the names in them looked up, tried once each before anything is changed. The error
/// names the one that does not succeed now: it would show nothing later. What a program of the site
/// may take is the window.
Result<std::vector<Probe>> probes_that_succeed_now(const std::vector<Probe>& probes,
                                                   std::int64_t window_s);

/// The interfaces whose MTU `plan` changes, that carry addresses (themselves or what stands on
/// them), and that no path probe leaves by, itself or by what stands on them, with packets of
/// that size.
std::vector<std::string> unprobed_mtu(const Plan& plan, const facts::Facts& facts,
                                      const std::vector<Probe>& probes);

/// Tries the probes until all have succeeded or `deadline_s` (CLOCK_BOOTTIME) is near, without the
/// lock. Then confirms the waiting transaction `id`, or takes it back. The report is that of the
/// outcome; its error names the probe that failed.
Result<Report> settle_by_probes(Context& context, const std::vector<Probe>& probes,
                                const std::string& id, std::int64_t deadline_s);

}  // namespace nettune::cli
