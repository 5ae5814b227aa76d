// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "profile/compose.hpp"
#include "profile/items.hpp"
#include "profile/schema.hpp"

namespace nettune::profile {

/// One section of a profile: its rows of the schema, how its keys become items, and the settings
/// that they yield. Each kind of setting and each intent has one. This room knows them only through
/// this struct.
struct Section {
  std::string_view name = {};        ///< "sysctl" of [sysctl]; "link" of [link.SET]
  std::span<const Rule> rules = {};  ///< with paths from "profile/NAME" on
  /// The items of `table`, which is [NAME] of one profile file.
  Result<> (*collect)(ItemCollector& out, const Section& section,
                      const toml::Node& table) = nullptr;
  /// For collect_of_devices(): true if it took the key itself, an error if the section has no such
  /// key.
  Result<bool> (*take_key)(ItemCollector& out, const std::string& set, const std::string& key,
                           const toml::Node& value) = nullptr;
  /// For `remove`: the prefix of its items' ids, and the rest in the form that ids have.
  std::string_view items = {};
  Result<std::string> (*canonical)(std::string_view typed) = nullptr;
  /// What the device sets need to know before values are inserted.
  Result<> (*prepare)(const Merged& merged, const Expander& expander, DeviceSets& sets) = nullptr;
  /// Adds the settings.
  Result<> (*compose)(Composer& composer) = nullptr;
};

/// All sections, in the order in which they are composed. src/kinds/registry.cpp has the list.
std::span<const Section* const> sections();

/// Each key of [NAME] is an item "NAME:KEY".
Result<> collect_plain(ItemCollector& out, const Section& section, const toml::Node& table);
/// Each key of [NAME.SET] is an item "NAME:SET:KEY".
Result<> collect_of_devices(ItemCollector& out, const Section& section, const toml::Node& table);

}  // namespace nettune::profile
