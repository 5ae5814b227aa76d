// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "facts/observe.hpp"
#include "kernel/sysfs.hpp"

/// The parts of observe(). Each reports to a Tell: what, value, text. Without a value it is
/// unknown, and the text says why.
namespace nettune::facts {

using Tell =
    std::function<void(const Observable& what, std::optional<std::string> value, std::string text)>;

// observe_pci.cpp
/// The PCI devices above one, from the root port down.
std::vector<std::string> bridges_above(const kernel::Directory& root,
                                       const std::string& pci_address);
void observe_pci(const kernel::Directory& root, const std::string& pci_address, const Tell& tell);
/// Whether a switch above sends peer-to-peer traffic to the root: pci.acs-redirect.
void observe_acs(const kernel::Directory& root, const std::string& pci_address, const Tell& tell);

// pci_config.cpp
/// The relevant part of a PCI device's configuration space. Nothing if it is not readable: without
/// CAP_SYS_ADMIN the kernel shows 64 bytes (pci_read_config, drivers/pci/pci-sysfs.c).
struct PciConfig {
  std::optional<int> max_read_request;
  std::optional<int> max_payload;
  std::optional<bool> relaxed_ordering;
  /// A switch port with ACS P2P Request Redirect on; false without ACS, and for all other devices.
  std::optional<bool> redirects;
  bool is_silent = false;        ///< it reads as ones: the device sleeps or is gone
  std::optional<int> port_type;  ///< PCI_EXP_TYPE_*; nothing without PCI Express
  /// ACS control (PCI_ACS_*), 0 without ACS; nothing if it was not readable.
  std::optional<int> acs;
};
PciConfig parse_pci_config(std::string_view bytes);

// observe_irq.cpp
void observe_interrupts(const kernel::Directory& root, const std::string& pci_address,
                        const Tell& tell);

// observe_firmware.cpp
/// `has_gid`: the port of RDMA over Ethernet has a GID now.
void observe_firmware(const ObservationSources& sources, const std::string& pci_address,
                      bool is_ethernet, bool has_gid, const Tell& tell);

// observe_infiniband.cpp
void observe_infiniband(const kernel::Directory& root, const RdmaDevice& device,
                        const RdmaPort& port, const Tell& tell);

}  // namespace nettune::facts
