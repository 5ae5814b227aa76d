// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// A link-layer address: 6 bytes on Ethernet, 20 on InfiniBand, at most MAX_ADDR_LEN.
struct HardwareAddress {
  std::array<std::uint8_t, 32> bytes{};
  std::uint8_t size = 0;

  bool empty() const { return size == 0; }
  std::string text() const;  ///< "0c:42:a1:..."; "" if empty
};

/// One entry of an RTM_GETLINK dump.
struct Link {
  int ifindex = 0;
  std::string name;
  std::uint32_t flags = 0;     ///< IFF_*
  std::uint16_t hardware = 0;  ///< ARPHRD_*
  std::uint32_t mtu = 0;
  std::uint32_t min_mtu = 0;  ///< 0: not reported
  std::uint32_t max_mtu = 0;  ///< 0: not reported
  std::uint32_t txqueuelen = 0;
  std::uint8_t operstate = 0;  ///< IF_OPER_*
  std::optional<bool> carrier;
  int link = 0;                   ///< IFLA_LINK: its lower device; 0 for none
  std::optional<int> link_netns;  ///< set: `link` is an index in another namespace (veth)
  int master = 0;                 ///< bond or bridge that it is a member of
  std::string kind;               ///< IFLA_INFO_KIND
  /// For IP over InfiniBand (IFLA_IPOIB_MODE): connected mode, otherwise datagram.
  std::optional<bool> ipoib_connected;
  HardwareAddress mac;
  HardwareAddress permanent_mac;  ///< empty if the driver reports none
  std::string parent_bus;         ///< IFLA_PARENT_DEV_BUS_NAME: "pci" (Linux 5.14)
  std::string parent_device;      ///< IFLA_PARENT_DEV_NAME: "0000:3b:00.0"
};

struct Route {
  int family = 0;  ///< AF_INET or AF_INET6
  std::uint32_t table = 0;
  bool is_default = false;
  std::vector<int> ifindexes;  ///< every nexthop's device
  std::string gateway;         ///< address of the first nexthop; "" if there is none
  std::uint32_t priority = 0;  ///< the metric; of equal destinations the smallest counts
};

struct InterfaceAddress {
  int family = 0;
  int ifindex = 0;
  std::string text;  ///< "10.0.0.1"
  int prefix = 0;
};

/// All links of this network namespace, from one dump. Needs no privilege.
Result<std::vector<Link>> dump_links();

/// A checksum over the identities of the devices in a dump (names, parents, permanent addresses),
/// in any order, without their state: an equal one means that no device came, went or was renamed.
std::string link_token(const std::vector<Link>& links);

/// Every unicast route of every table, both families.
Result<std::vector<Route>> dump_routes();
Result<std::vector<InterfaceAddress>> dump_addresses();
/// The outgoing device for packets to `address` (IPv4 or IPv6 text); 0 if there is none.
Result<int> route_device(const std::string& address);

/// RTM_SETLINK with IFLA_MTU or IFLA_TXQLEN. Needs CAP_NET_ADMIN. The error has the kernel's errno
/// and the driver's extended-ack text, if any.
Result<> set_mtu(int ifindex, std::uint32_t mtu);
Result<> set_txqueuelen(int ifindex, std::uint32_t length);

}  // namespace nettune::kernel
