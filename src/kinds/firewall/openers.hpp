// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/setting.hpp"
#include "facts/facts.hpp"
#include "kinds/firewall/intent.hpp"

namespace nettune::profile {

/// How an owner of the firewall is told to let something in.
struct Opener {
  struct Rule {
    Address address;
    std::string want;
  };
  std::vector<Rule> rules;
  std::vector<std::string> notes;  ///< what a person has to know
  std::string misfit;              ///< why this cannot be done here; "" where it can
};

/// A rule at the head of each chain that can drop and is nobody else's: an input chain for what
/// comes in, an output chain for what goes out.
Opener open_in_nftables(std::span<const NamedOpening> openings, const facts::Firewall& firewall);
/// Rich rules in the zones of the interfaces, permanent and at run time, for what comes in.
Opener open_in_firewalld(std::span<const NamedOpening> openings, const facts::Firewall& firewall);
Opener open_in_ufw(std::span<const NamedOpening> openings, const facts::Firewall& firewall);

}  // namespace nettune::profile
