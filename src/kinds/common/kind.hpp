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

namespace nettune::kinds {

/// Where providers find the system. Tests put directories of their own in place.
struct Places {
  std::string proc_sys = "/proc/sys";
  std::string sys = "/sys";
  std::string modules = "/lib/modules";  ///< above the directory of the kernel release
  std::string nccl_conf = "/etc/nccl.conf";

  /// All of them at `path`; at one that can never exist, providers see no system at all.
  static Places everything_at(const std::string& path) { return {path, path, path, path}; }
};

/// What a provider is made with.
struct System {
  Disk& disk;
  Places places;
  /// Shared with whoever else reads the rules; never null.
  std::shared_ptr<firewall::LiveRuleset> ruleset;
  std::string kernel_release;
};

/// Where the name of a device is in an address, behind "KIND:".
struct DeviceName {
  std::size_t begin = 0;
  std::size_t length = 0;
  bool slashes = false;  ///< dots of the name are written as slashes
};

/// One kind of setting. Its folder has all that is known of it; the registry lists it.
struct Kind {
  std::string_view name;  ///< of its addresses: "link" of link:eth0:mtu
  std::unique_ptr<Provider> (*make)(const System& system);
  bool of_files = false;  ///< an image has it, too
  /// The device that an address names, so that the setting follows a renamed card; null for a kind
  /// that names none.
  std::optional<DeviceName> (*find_device)(std::string_view rest) = nullptr;
};

/// For find_device: the device is the first component of "eth0:mtu".
inline std::optional<DeviceName> first_component(std::string_view rest) {
  const std::size_t end = rest.find(':');
  if (end == std::string_view::npos) return {};
  return DeviceName{0, end, false};
}

}  // namespace nettune::kinds
