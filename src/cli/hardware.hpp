// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "facts/facts.hpp"

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
/// has, one port or several: what a change to one of them concerns.
std::set<std::string> with_siblings(const facts::Facts& facts, const std::string& device);

/// Asks the driver of this machine. Reads only.
Hardware hardware_of(const facts::Facts& facts, const std::string& device);

/// "mlx5_core, firmware 22.35.1012, Linux 6.1".
std::string combination_text(const Hardware& hardware);

}  // namespace nettune::cli
