// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "facts/facts.hpp"
#include "profile/devices.hpp"
#include "profile/merge.hpp"
#include "profile/named_texts.hpp"
#include "profile/profile.hpp"

namespace nettune::profile {

/// A node on which the devices of the sets have tokens for names. The sets point into `facts`.
struct Nameless {
  facts::Facts facts;
  DeviceSets sets;
  std::vector<NamedDevice> devices;
};
Nameless without_names(const facts::Facts& facts, const DeviceSets& sets);

/// The texts of `resolved` that have names in them, and what they are on the nameless node. A text
/// whose names are not all from device sets is left out.
NamedTexts named_texts(const Resolved& resolved, const Resolved& nameless,
                       std::vector<NamedDevice> devices);

/// The variables of [env] with ${SET.gid_index} in them.
std::vector<NamedGid> named_gids(const Merged& merged, const DeviceSets& sets);

}  // namespace nettune::profile
