// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firewall/walk/leg.hpp"
#include "kernel/nf_tables.hpp"

namespace nettune::firewall::walk {

/// Whether an input or output chain alone accepts all plain packets: TCP, UDP and pings of its
/// families between this node and anybody, by any interface, on that leg of what this node begins
/// (output) or others begin (input). Unknown counts as no.
bool passes_plain(const kernel::NfRuleset& ruleset, const kernel::NfChain& chain, Leg leg);

}  // namespace nettune::firewall::walk
