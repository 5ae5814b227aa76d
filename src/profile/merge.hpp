// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "profile/items.hpp"
#include "profile/profile.hpp"
#include "toml/value.hpp"

namespace nettune::profile {

/// A profile with everything that it inherits.
struct Merged {
  std::string name;
  std::string file;
  std::string summary;
  std::map<std::string, Item> items;  ///< by id
  std::vector<Source> sources;        ///< every file that went in
  Mistakes mistakes;                  ///< of all of them, what is not in `items`

  const Item* find(const std::string& id) const;
  /// The items whose id starts with `prefix`, in order.
  std::vector<const Item*> with_prefix(std::string_view prefix) const;
};

/// Reads a profile and its parents, depth first and left to right. Errors: a loop (named in full),
/// two parents that differ on an item that the child does not decide, a removal that matches
/// nothing.
Result<Merged> load_merged(Disk& disk, const Sources& sources, const std::string& name);

}  // namespace nettune::profile
