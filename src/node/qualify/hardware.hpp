// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "facts/facts.hpp"
#include "kernel/driver_info.hpp"

namespace nettune::cli {

/// What decides how a card takes a setting, as far as it shows; texts are empty where it does not.
struct Hardware {
  std::string driver;
  std::string driver_version;
  std::string firmware;
  std::string pci_id;
  std::string kernel_series;  ///< "6.1": what Debian updates within it does not change drivers much
};

/// "6.1" of "6.1.0-37-amd64".
std::string kernel_series(const std::string& release);

/// The interface that an RDMA device belongs to, where it has one: the card is spoken of by it.
std::string card_of(const facts::Facts& facts, const std::string& device);

/// The interface or RDMA device, with the RDMA devices that belong to it or the interfaces that it
/// has, one port or several: whose settings are tried with it.
std::set<std::string> names_on_card(const facts::Facts& facts, const std::string& device);

/// The same with what belongs to each of those, and so on: what a change to one of them concerns.
/// The interface of the other port of an RDMA device with two is one.
std::set<std::string> with_siblings(const facts::Facts& facts, const std::string& device);

/// Asks the driver of this machine; `sys` is where sysfs is mounted. Reads only.
Hardware hardware_of(const facts::Facts& facts, const std::string& device,
                     const std::string& sys = "/sys");

/// Puts in what ethtool is told. The driver is that of the PCI function where it has one: IPoIB
/// says "ib_ipoib" or "mlx5_core[ib_ipoib]" of the same card.
void take_driver_info(const kernel::DriverInfo& info, Hardware& hardware);

/// "mlx5_core, firmware 22.35.1012, Linux 6.1".
std::string combination_text(const Hardware& hardware);

}  // namespace nettune::cli
