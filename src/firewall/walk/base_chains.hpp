// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "firewall/walk/evaluate.hpp"
#include "firewall/walk/packets.hpp"
#include "firewall/walk/rule_index.hpp"

namespace nettune::firewall::walk {

/// netdev, or inet ingress.
bool is_ingress(const kernel::NfChain& base);
/// netdev egress.
bool is_egress(const kernel::NfChain& base);

/// The base chains on the way of packets, in the kernel's order, without those that accept
/// everything.
std::vector<const Chain*> base_chains_of(RuleIndex& index, const Shape& shape);

/// The verdict if a base chain is not walked, but sees these packets or something that they depend
/// on.
std::optional<Verdict> verdict_of_unmodelled(const RuleIndex& index, const Traffic& traffic,
                                             const Shape& shape);

}  // namespace nettune::firewall::walk
