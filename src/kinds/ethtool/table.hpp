// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/setting.hpp"
#include "kernel/ethtool_settings.hpp"
#include "kinds/ethtool/grammar.hpp"

namespace nettune::kinds::ethtool {

/// A key with an attribute of its own; features and flags are addressed by name.
struct EthtoolParameter {
  std::string_view key;
  kernel::EthtoolGroup group;
  int attribute;
  int maximum = 0;  ///< the attribute with its maximum; 0 for none
};
std::span<const EthtoolParameter> ethtool_parameters();

/// The parts of an address ethtool:IF:KEY.
struct EthtoolTarget {
  std::string interface;
  std::string_view key;
  kernel::EthtoolGroup group;
  const EthtoolParameter* parameter = nullptr;  ///< null for features and flags
  std::string_view name;                        ///< the feature or flag
};
/// Nothing for another address; the views live as long as the address.
std::optional<EthtoolTarget> ethtool_target(const Address& address);

/// The address of a key, or of a name after a prefix, on an interface.
Address ethtool_address(std::string_view interface, std::string_view key);

/// "rings", "features", ...: the word in the names of units and in messages.
std::string_view group_text(kernel::EthtoolGroup group);

/// The canonical text of a kernel number.
std::string ethtool_text(std::string_view key, std::uint32_t number);
/// The reverse; the text must be canonical.
std::uint32_t ethtool_number(const std::string& text);

}  // namespace nettune::kinds::ethtool
