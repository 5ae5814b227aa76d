// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profile/compose.hpp"

namespace nettune::kinds::common {

/// The value of an item in the section of a device set ([link.fabric] mtu).
struct DeviceItem {
  toml::Node value;  ///< of a type that the schema allows
  bool optional = false;
  bool nearest = false;
  std::vector<const facts::NetDevice*> devices;  ///< none if the set is empty, which is noted
  const profile::DeviceSet* set = nullptr;       ///< never null in an answer
};

/// Nothing if it was skipped, which is noted: it uses a variable of an empty set.
Result<std::optional<DeviceItem>> device_item(profile::Composer& composer,
                                              const profile::Item& item);

/// The setting SECTION:DEVICE:KEY of one of the devices.
Setting setting_for(const profile::Item& item, const DeviceItem& parts,
                    const facts::NetDevice& device, std::string want);

}  // namespace nettune::kinds::common
