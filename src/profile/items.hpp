// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/mistakes.hpp"
#include "base/origin.hpp"
#include "base/result.hpp"
#include "toml/value.hpp"

namespace nettune::profile {

/// The unit of inheritance: what a child replaces as a whole and `remove` names.
struct Item {
  /// "sysctl:net.core.rmem_max", "sysctl:KEY#ELEMENT", "link:SET:mtu", "dcb:SET:app#dscp-26",
  /// "module:NAME", "env:NAME", "file:/PATH", "tcp:rate_gbps", "var:NAME", "devices:SET", ...
  std::string id;
  std::string section;  ///< as a person writes it: "sysctl", "link.fabric"
  std::string key;
  std::string_view path;  ///< the schema rule that its value must satisfy
  toml::Node value;
};

/// Collects the items of one profile file.
class ItemCollector {
 public:
  /// An id that is already there is an error.
  Result<> add(const std::string& id, std::string section, std::string key, std::string_view path,
               toml::Node value);
  /// A list of systemd services: an item PREFIX + NAME each, without ".service".
  Result<> add_services(const toml::Node& list, std::string_view prefix, const std::string& section,
                        std::string_view path);

  std::map<std::string, Item> take() { return std::move(items_); }

 private:
  std::map<std::string, Item> items_;
};

/// The items that one profile file sets itself, by id. What is wrong in a section goes into
/// `mistakes`.
Result<std::map<std::string, Item>> items_of(const toml::Node& root, Mistakes& mistakes);

/// The id that a `remove` entry means.
Result<std::string> removal_id(const toml::Node& entry);

/// Gives an error without a place the place of the value.
template <class T>
Result<T> located(const Origin& origin, Result<T> result) {
  if (result) return result;
  return toml::fail_at(origin, result.error().text, result.error().code);
}

}  // namespace nettune::profile
