// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "firewall/walk/packets.hpp"
#include "firewall/walk/rule_index.hpp"
#include "firewall/walk/translation.hpp"

namespace nettune::firewall::walk {

/// The effect of a rule on some of the packets.
struct Outcome {
  enum class Effect { next, judged, rejected, diverted };
  Effect effect = Effect::next;
  Packets packets;
  rules::Judgement judgement = {};
  std::string diverted_by = {};  ///< for diverted: the expression that takes them elsewhere
  std::optional<NewDestination> to = {};  ///< for diverted: to one destination
  std::optional<std::string> doubt = {};  ///< what the effect depends on; nothing: it is certain
};

/// Applies a rule to packets; every packet is in one of the outcomes. `base` is the base chain that
/// they came through. `steps` grows with the work done.
std::vector<Outcome> outcomes_of(const kernel::NfRule& rule, const kernel::NfChain& base,
                                 const Packets& packets, const Shape& shape, RuleIndex& index,
                                 std::size_t& steps);

}  // namespace nettune::firewall::walk
