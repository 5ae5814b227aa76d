// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profile/compose.hpp"

namespace nettune::profile {

/// What an item in the section of a device set ([link.fabric] mtu) says.
struct DeviceItem {
  Node value;  ///< of the type that the schema asks for
  bool optional = false;
  bool nearest = false;
  std::vector<const facts::NetDevice*> devices;  ///< none where the set is empty, which is noted
  const DeviceSet* set = nullptr;                ///< never null in an answer
};

/// Nothing where it was left out, which is noted: a variable in it hangs on an empty set.
Result<std::optional<DeviceItem>> device_item(Composer& composer, const Item& item);

/// The setting SECTION:DEVICE:KEY of one of them.
Setting setting_for(const Item& item, const DeviceItem& parts, const facts::NetDevice& device,
                    std::string want);

}  // namespace nettune::profile
