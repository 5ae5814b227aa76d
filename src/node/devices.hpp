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

namespace nettune::cli {

/// The device that an address names: the interface "eth0.100" of "link:eth0.100:mtu" and of
/// "sysctl:net.ipv4.conf.eth0/100.rp_filter", the RDMA device "mlx5_0" of
/// "rdma:mlx5_0/1:cma-roce-tos". Empty for addresses that name none.
std::string device_in(const Address& address);
/// The same address on another device.
Address with_device(const Address& address, const std::string& name);

/// What a check compares to see that every device is still called as before: kernel::link_token(),
/// and the same of the RDMA devices in the tree at `sys` where there are any.
std::string device_token(std::string link_token, const std::string& sys = "/sys");

/// Where the devices of a generation are now: udev and people rename interfaces, and what nettune
/// remembers is the card.
class DeviceNames {
 public:
  explicit DeviceNames(const facts::Facts& facts);

  /// `address` under the name that `device` (an identity) has now; nothing when it is gone. An
  /// address without a device stays.
  std::optional<Address> locate(const Address& address, const std::string& device) const;

 private:
  std::map<std::string, std::string> name_of_;
};

/// A generation's memory under the names of today.
struct Located {
  std::vector<Setting> settings;
  std::vector<Setting> gone;  ///< their device is not here
  std::map<Address, Owned> owned;
  std::vector<Owned> owned_gone;
};
Located locate_all(const std::vector<Setting>& settings, const std::map<Address, Owned>& owned,
                   const DeviceNames& names);

/// Marks the devices that the site file names, with all that is stacked above and below them, as
/// protected. A name may have * and ?.
void protect_named(facts::Facts& facts, const std::vector<std::string>& names);

}  // namespace nettune::cli
