// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "core/setting.hpp"

namespace nettune::kinds::link {

enum class LinkProperty { mtu, txqueuelen, ipoib_mode };

/// The parts of an address link:IF:PROPERTY, as views into it.
struct LinkTarget {
  std::string_view interface;
  LinkProperty property = LinkProperty::mtu;
};
/// Nothing for another address.
std::optional<LinkTarget> link_target_of(const Address& address);

}  // namespace nettune::kinds::link
