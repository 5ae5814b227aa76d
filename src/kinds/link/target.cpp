// SPDX-License-Identifier: Apache-2.0
#include "kinds/link/target.hpp"

namespace nettune::kinds::link {

std::optional<LinkTarget> link_target_of(const Address& address) {
  if (address.body() != address.rest()) return std::nullopt;
  const std::string_view property = address.key();
  if (property == "mtu") return LinkTarget{address.object(), LinkProperty::mtu};
  if (property == "txqueuelen") return LinkTarget{address.object(), LinkProperty::txqueuelen};
  if (property == "ipoib-mode") return LinkTarget{address.object(), LinkProperty::ipoib_mode};
  return std::nullopt;
}

}  // namespace nettune::kinds::link
