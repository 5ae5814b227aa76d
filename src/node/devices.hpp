// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/setting.hpp"
#include "facts/facts.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::node {

/// The device in an address: the interface "eth0.100" of "link:eth0.100:mtu" and of
/// "sysctl:net.ipv4.conf.eth0/100.rp_filter", the RDMA device "mlx5_0" of
/// "rdma:mlx5_0/1:cma-roce-tos". Empty if the address has none.
std::string device_in(const Address& address);
/// The same address on another device.
Address with_device(const Address& address, const std::string& name);

/// A token that changes when any device is renamed: kernel::link_token(), plus the same for the
/// RDMA devices below `sys` if there are any.
std::string device_token(std::string link_token, const std::string& sys = "/sys");

/// Finds the present names of a generation's devices: udev and people rename interfaces, and
/// nettune remembers the card.
class DeviceNames {
 public:
  explicit DeviceNames(const facts::Facts& facts);

  /// `address` with the present name of `device` (an identity); nothing if the device is gone. An
  /// address without a device stays the same.
  std::optional<Address> locate(const Address& address, const std::string& device) const;
  /// The present name of a device; nothing if it is gone.
  std::optional<std::string> name_of(const std::string& device) const;
  /// The device that has a name now; "" for none. Of an interface before an RDMA device.
  std::string identity_of(const std::string& name) const;

 private:
  std::map<std::string, std::string> name_of_;
};

/// The records of a generation, under today's names.
struct Located {
  std::vector<Setting> settings;
  std::vector<Setting> gone;  ///< their device is not present
  std::map<Address, Owned> owned;
  std::vector<Owned> owned_gone;
};
Located locate_all(const std::vector<Setting>& settings, const std::map<Address, Owned>& owned,
                   const DeviceNames& names);

/// Likewise the settings that a generation found right (Transaction::found).
std::vector<Owned> found_under(const std::map<Address, Owned>& found, const DeviceNames& names);

/// Marks the devices in the site file as protected, with all links stacked above and below them. A
/// name may contain * and ?.
void protect_named(facts::Facts& facts, const std::vector<std::string>& names);

}  // namespace nettune::node
