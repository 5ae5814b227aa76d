// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/disk.hpp"
#include "core/provider.hpp"
#include "firewall/live_ruleset.hpp"
#include "profile/section.hpp"

namespace nettune::kinds::common {

/// The paths of the system. Tests substitute directories of their own.
struct Places {
  std::string proc_sys = "/proc/sys";
  std::string sys = "/sys";
  std::string proc_irq = "/proc/irq";
  std::string modules = "/lib/modules";  ///< the parent of the kernel release's directory
  std::string nccl_conf = "/etc/nccl.conf";
  std::string module_options = "/etc/modprobe.d/zz-nettune.conf";
  std::string node = {};  ///< in front of the paths of units, and of what shows their state
  std::string kernel_command_line = "/proc/cmdline";

  /// All paths below `path`; with a path that cannot exist, providers see no system at all.
  static Places everything_at(const std::string& path) {
    return {path, path, path, path, path, path, path, path};
  }
};

/// The dependencies of a provider.
struct System {
  Disk& disk;
  Places places;
  /// It is shared with all other readers of the rules; never null.
  std::shared_ptr<nettune::firewall::LiveRuleset> ruleset;
  std::string kernel_release;
  bool of_image = false;  ///< no kernel is behind these files
};

/// Where an address has the name of a device, after "KIND:".
struct DeviceName {
  std::size_t begin = 0;
  std::size_t length = 0;
  bool slashes = false;  ///< dots in the name are written as slashes
};

/// One kind of setting. Its folder has everything about it; the registry lists it.
struct Kind {
  std::string_view name;  ///< the start of its addresses: "link" of link:eth0:mtu
  std::unique_ptr<Provider> (*make)(const System& system);
  bool of_files = false;  ///< an image also has it
  /// The device in an address, so that the setting follows a renamed card; null for a kind without
  /// devices.
  std::optional<DeviceName> (*find_device)(std::string_view rest) = nullptr;

  bool has(const Address& address) const { return address.kind() == name; }
};

/// For find_device: the device is the first component, as in "eth0:mtu".
inline std::optional<DeviceName> first_component(std::string_view rest) {
  const std::size_t end = rest.find(':');
  if (end == std::string_view::npos) return {};
  return DeviceName{0, end, false};
}

}  // namespace nettune::kinds::common
