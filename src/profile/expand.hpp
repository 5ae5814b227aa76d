// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/devices.hpp"
#include "profile/vars.hpp"
#include "toml/value.hpp"

namespace nettune::profile {

/// The result of inserting ${...}.
struct Expanded {
  toml::Node node;
  bool of_this_node = false;            ///< it contains a device set: other nodes get another value
  std::vector<std::string> empty_sets;  ///< used sets that are empty
  std::string disagree = {};            ///< why the members of a set have no value in common
};

/// One sysctl key for one device.
struct EachKey {
  std::string key;
  const facts::NetDevice* device = nullptr;  ///< null for a key without ${SET.each}
};
struct EachKeys {
  std::vector<EachKey> keys;
  std::string empty_set;  ///< the set that has no members, when that is why there are no keys
};

/// Inserts ${variable} and ${set.property} and nothing else: inserted text is not expanded again.
class Expander {
 public:
  /// `sets` may be null while sets are still being chosen: then only variables are known.
  Expander(const Variables& variables, const DeviceSets* sets, const facts::Facts& facts)
      : variables_(variables), sets_(sets), facts_(facts) {}

  /// Every string in `node`, all the way down. A string that is exactly one ${variable} takes the
  /// variable's type.
  Result<Expanded> expand(const toml::Node& node) const;

  /// A sysctl key with ${SET.each} becomes one key for every member of the set.
  Result<EachKeys> expand_key(const std::string& key, const Origin& origin) const;

  /// The set of this name, or an error with the closest name.
  Result<const DeviceSet*> set(const std::string& name, const Origin& origin) const;

 private:
  Result<> expand_into(const toml::Node& node, toml::Node& out, Expanded& notes) const;
  Result<toml::Node> reference(std::string_view name, const Origin& origin, Expanded& notes) const;
  Result<toml::Node> variable(std::string_view name, const Origin& origin) const;
  Result<toml::Node> property(std::string_view name, const Origin& origin, Expanded& notes) const;

  const Variables& variables_;
  const DeviceSets* sets_;
  const facts::Facts& facts_;
};

}  // namespace nettune::profile
