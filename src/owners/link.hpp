// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conf/files.hpp"

namespace nettune::owners {

/// What other people's files match an interface by. Unknown is an empty string.
struct LinkFacts {
  std::string name;
  int ifindex = 0;
  std::string mac;
  std::string permanent_mac;
  std::string driver;      ///< of hardware: "mlx5_core"
  std::string kind;        ///< IFLA_INFO_KIND: "bond", "vlan", ...; "" for hardware
  std::string link_layer;  ///< "Ethernet", "InfiniBand", "Loopback", ...
  bool physical = false;   ///< stands on a bus
};

/// An interface, with what udev knows of it.
struct Link {
  LinkFacts facts;
  std::map<std::string, std::string> udev;  ///< ID_PATH, NM_UNMANAGED, ...

  std::string udev_property(const std::string& name) const;
};
/// Reads the interface's file in the database of udev (/run/udev/data).
Link with_udev(const Files& files, LinkFacts facts);

/// True for the same hardware address, whatever its case and separators; never for an empty one.
bool same_mac(std::string_view left, std::string_view right);
/// What is in an address of an interface's sysctl: a dot in a name is written as a slash.
std::string sysctl_name(std::string name);

}  // namespace nettune::owners
