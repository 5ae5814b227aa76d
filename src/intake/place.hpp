// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/setting.hpp"
#include "toml/value.hpp"

namespace nettune::intake {

/// Stands for the device in the key of a sysctl: "net.ipv4.conf.*.rp_filter".
inline constexpr std::string_view kDeviceOfKey = "*";

/// Where a profile has a setting, and its value there.
struct Place {
  std::string section;           ///< "sysctl", "link"
  std::vector<std::string> key;  ///< {"mtu"}; the key of a sysctl of a device has kDeviceOfKey
  toml::Node value;
  /// The interface or RDMA port ("mlx5_0/1") of a setting of devices, which a profile has by device
  /// set; "" for one of the host.
  std::string device;
  bool of_rdma = false;  ///< `device` is an RDMA port
};

/// Errc::invalid says why a profile cannot have this value.
Result<Place> place_of(const Address& address, const std::string& text);

/// A value of [sysctl]: an integer, a list of integers or a string. Errc::invalid for a text that
/// a profile reads as something else ("${...}", ">= 5").
Result<toml::Node> sysctl_node(Relation relation, const std::string& text);

}  // namespace nettune::intake
