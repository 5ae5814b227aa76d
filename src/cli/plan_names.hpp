// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/setting.hpp"
#include "facts/facts.hpp"

/// The names of settings and ports in a plan for people.
namespace nettune::cli::text {

/// Stands for the device in an address; a control character, so it is in no address.
inline constexpr const char* kAnyDevice = "\x01";

/// The setting without its device, and without what its name implies: "mtu", "arp_ignore",
/// "net.core.rmem_max", "module rdma_cm". The address may be of a folded row.
std::string short_name(const Address& address);

/// The ports of a node: an RDMA device is the port of its interface, as far as the facts show it.
class Ports {
 public:
  /// Without facts each device is a port of its own.
  explicit Ports(const facts::Facts* facts);

  /// The port of a device by its name.
  std::string of_device(const std::string& name) const;
  /// The port in an address; "" for a setting of the host.
  std::string of(const Address& address) const;

 private:
  std::map<std::string, std::string> interface_of_;  ///< of an RDMA device
};

}  // namespace nettune::cli::text
