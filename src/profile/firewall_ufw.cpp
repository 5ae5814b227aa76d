// SPDX-License-Identifier: Apache-2.0
#include "profile/firewall_openers.hpp"

namespace nettune::profile {

Opener open_in_ufw(std::span<const NamedOpening>, const facts::Firewall&) {
  return {{}, {}, "ufw is not handled yet"};
}

}  // namespace nettune::profile
