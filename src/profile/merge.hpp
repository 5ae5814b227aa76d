// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "profile/profile.hpp"
#include "toml/value.hpp"

namespace nettune::profile {

/// The unit of inheritance: what a child replaces as a whole and `remove` names.
struct Item {
  /// "sysctl:net.core.rmem_max", "sysctl:KEY#ELEMENT", "link:SET:mtu", "ethtool:SET:ring-rx",
  /// "dcb:SET:pfc", "dcb:SET:app#dscp-26", "rdma:SET:cma-roce-tos", "qdisc:SET:root",
  /// "lossless:SET:dscp", "firewall:SET:tcp", "module:NAME", "env:NAME", "env:outputs",
  /// "env-service:NAME", "file:/PATH", "limits:memlock", "service:NAME", "tcp:rate_gbps",
  /// "var:NAME", "devices:SET", "refuse:rdma_active"
  std::string id;
  std::string section;  ///< as a person writes it: "sysctl", "link.fabric"
  std::string key;
  std::string_view path;  ///< of the rule in the schema that its value must meet
  Node value;
};

/// A profile with everything that it inherits.
struct Merged {
  std::string name;
  std::string file;
  std::string summary;
  std::map<std::string, Item> items;  ///< by id
  std::vector<Source> sources;        ///< every file that went in

  const Item* find(const std::string& id) const;
  /// The items whose id starts with `prefix`, in order.
  std::vector<const Item*> with_prefix(std::string_view prefix) const;
};

/// Reads a profile and its parents, depth first and left to right. Errors: a cycle (named in full),
/// two parents that differ on an item the child does not decide, a removal that matches nothing.
Result<Merged> load_merged(Disk& disk, const Sources& sources, const std::string& name);

/// The items that one profile file sets itself, by id.
Result<std::map<std::string, Item>> items_of(const Node& root);

/// The canonical form of a sysctl key that may hold ${...}, which stays as it is.
Result<std::string> sysctl_template(std::string_view typed);
/// Whether a text can be an element of a sysctl's list, and stand in an address.
Result<> check_element(std::string_view element, const Origin& origin);
/// '-' and '_' are the same to the kernel; it reports '_'.
Result<std::string> module_name(std::string_view typed);
/// Absolute, below /etc, without empty parts, "." and "..".
Result<std::string> file_path(std::string_view typed);

}  // namespace nettune::profile
