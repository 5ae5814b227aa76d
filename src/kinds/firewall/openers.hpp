// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/setting.hpp"
#include "facts/facts.hpp"
#include "kinds/firewall/intent.hpp"

namespace nettune::kinds::firewall {

/// The settings of a firewall manager that allow something.
struct Opener {
  struct Rule {
    Address address;
    std::string want;
  };
  std::vector<Rule> rules;
  std::vector<std::string> notes;  ///< notes for the reader of the plan
  std::string misfit;              ///< why this is not possible here; "" if it is
};

/// A rule at the head of each chain that can drop and that no other manager owns: an input chain
/// for incoming traffic, an output chain for outgoing traffic.
Opener open_in_nftables(std::span<const NamedOpening> openings, const facts::Firewall& firewall);
/// Rich rules in the zones of the interfaces, permanent and runtime, for incoming traffic.
Opener open_in_firewalld(std::span<const NamedOpening> openings, const facts::Firewall& firewall);
Opener open_in_ufw(std::span<const NamedOpening> openings, const facts::Firewall& firewall);

}  // namespace nettune::kinds::firewall
