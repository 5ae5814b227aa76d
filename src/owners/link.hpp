// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conf/files.hpp"

namespace nettune::owners {

/// The properties by which other managers' files match an interface. Unknown is an empty string.
struct LinkFacts {
  std::string name;
  int ifindex = 0;
  std::string mac;
  std::string permanent_mac;
  std::string driver;      ///< the hardware's driver: "mlx5_core"
  std::string kind;        ///< IFLA_INFO_KIND: "bond", "vlan", ...; "" for hardware
  std::string link_layer;  ///< "Ethernet", "InfiniBand", "Loopback", ...
  bool physical = false;   ///< is a device on a bus
};

/// An interface, with its udev properties.
struct Link {
  LinkFacts facts;
  std::map<std::string, std::string> udev;  ///< ID_PATH, NM_UNMANAGED, ...

  std::string udev_property(const std::string& name) const;
};
/// Adds the properties from the interface's file in udev's database (/run/udev/data).
Link with_udev(const conf::Files& files, LinkFacts facts);

/// True if install/udev/85-nettune.rules starts nettune when the interface appears, after udev's
/// own work.
bool nettune_follows(const LinkFacts& link);

/// True for the same hardware address in any case and with any separators; false for an empty one.
bool same_mac(std::string_view left, std::string_view right);
/// The interface name as it is in a sysctl address: a dot becomes a slash.
std::string sysctl_name(std::string name);

}  // namespace nettune::owners
