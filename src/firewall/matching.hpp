// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "firewall/packets.hpp"
#include "firewall/rule_index.hpp"

namespace nettune::firewall {

/// What a rule does with some of the packets.
struct Outcome {
  enum class Effect { next, judged, rejected, diverted };
  Effect effect = Effect::next;
  Packets packets;
  Judgement judgement = {};
  std::string diverted_by = {};           ///< of diverted: what takes them elsewhere
  std::optional<std::string> doubt = {};  ///< whether it does so hangs on this; nothing: it does
};

/// netdev, or inet ingress.
bool is_ingress(const kernel::NfChain& base);
/// netdev egress.
bool is_egress(const kernel::NfChain& base);

/// What a rule does with packets; every one of them is in one of the outcomes. `base` is the base
/// chain that they came by. `steps` grows with the work that it was.
std::vector<Outcome> outcomes_of(const kernel::NfRule& rule, const kernel::NfChain& base,
                                 const Packets& packets, const Shape& shape, RuleIndex& index,
                                 std::size_t& steps);

}  // namespace nettune::firewall
