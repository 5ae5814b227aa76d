// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/setting.hpp"
#include "kernel/ethtool_settings.hpp"
#include "kinds/ethtool/grammar.hpp"

namespace nettune::providers {

/// A key that has an attribute of its own; features and flags go by name.
struct EthtoolParameter {
  std::string_view key;
  kernel::EthtoolGroup group;
  int attribute;
  int maximum = 0;  ///< the attribute that says how many there can be; 0 for none
};
std::span<const EthtoolParameter> ethtool_parameters();

/// What an address ethtool:IF:KEY means.
struct EthtoolTarget {
  std::string interface;
  std::string_view key;
  kernel::EthtoolGroup group;
  const EthtoolParameter* parameter = nullptr;  ///< null for features and flags
  std::string_view name;                        ///< of the feature or flag
};
/// Nothing for an address that is none; its views live as long as the address.
std::optional<EthtoolTarget> ethtool_target(const Address& address);

/// The address of something on an interface: of a key, or of what stands behind a prefix.
Address ethtool_address(std::string_view interface, std::string_view key);

/// "rings", "features", ...: the word in the names of units and in messages.
std::string_view group_text(kernel::EthtoolGroup group);

/// The canonical text of a number of the kernel's.
std::string ethtool_text(std::string_view key, std::uint32_t number);
/// The other way; the text must be canonical.
std::uint32_t ethtool_number(const std::string& text);

}  // namespace nettune::providers
