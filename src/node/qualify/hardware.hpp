// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "facts/facts.hpp"
#include "kernel/driver_info.hpp"

namespace nettune::node::qualify {

/// What decides how a card takes a setting, as far as it is known; unknown texts are empty.
struct Hardware {
  std::string driver;
  std::string driver_version;
  std::string firmware;
  std::string pci_id;
  std::string kernel_series;  ///< "6.1": Debian's updates within a series rarely change drivers
};

/// "6.1" of "6.1.0-37-amd64".
std::string kernel_series(const std::string& release);

/// The interface of an RDMA device, if it has one: it names the card.
std::string card_of(const facts::Facts& facts, const std::string& device);

/// The interface or RDMA device with its RDMA devices or interfaces, one port or several: their
/// settings are tried together.
std::set<std::string> names_on_card(const facts::Facts& facts, const std::string& device);

/// The same, recursively: everything that a change to one of them concerns. It includes the
/// interface of the other port of an RDMA device with two ports.
std::set<std::string> with_siblings(const facts::Facts& facts, const std::string& device);

/// Asks this machine's driver; `sys` is the mount point of sysfs. Only reads.
Hardware hardware_of(const facts::Facts& facts, const std::string& device,
                     const std::string& sys = "/sys");

/// Adds what ethtool reports. The driver is that of the PCI function if there is one: IPoIB reports
/// "ib_ipoib" or "mlx5_core[ib_ipoib]" for the same card.
void take_driver_info(const kernel::DriverInfo& info, Hardware& hardware);

/// "mlx5_core, firmware 22.35.1012, Linux 6.1".
std::string combination_text(const Hardware& hardware);

}  // namespace nettune::node::qualify
