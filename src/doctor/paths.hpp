// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "doctor/machine.hpp"

namespace nettune::doctor {

/// How far two PCI functions are from one another, as nvidia-smi topo -m and NCCL name it.
enum class Distance { pix, pxb, phb, node, sys };
std::string_view distance_text(Distance distance);  ///< "PIX"
std::optional<Distance> parse_distance(std::string_view text);

struct PciPath {
  Distance distance = Distance::sys;
  /// Ports of switches below the common switch, from either side: where ACS redirects.
  std::vector<const PciFunction*> switch_ports;
  /// Root ports that a path over the root complex leaves and enters by.
  std::vector<const PciFunction*> root_ports;
};

/// The path of peer-to-peer traffic between two functions; nothing where one of them is not known.
std::optional<PciPath> pci_path(const Machine& machine, const std::string& from,
                                const std::string& to);

/// What peer-to-peer traffic meets at these ports: "on", "off", or why it is not known.
struct Redirect {
  bool on = false;
  std::vector<std::string> ports;  ///< that redirect: "0000:17:01.0 (ReqRedir CmpltRedir)"
  std::optional<Gap> gap;
};
/// ACS request redirect, completion redirect or egress control is on. Source validation, upstream
/// forwarding and translation blocking redirect nothing (PCI Express Base Specification, 6.12).
Redirect redirect_at(const std::vector<const PciFunction*>& ports);

}  // namespace nettune::doctor
