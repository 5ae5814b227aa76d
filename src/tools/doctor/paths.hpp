// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/doctor/machine.hpp"

namespace nettune::tools::doctor {

/// The distance between two PCI functions, in the words of nvidia-smi topo -m and NCCL.
enum class Distance { pix, pxb, phb, node, sys };
std::string_view distance_text(Distance distance);  ///< "PIX"
std::optional<Distance> parse_distance(std::string_view text);

struct PciPath {
  Distance distance = Distance::sys;
  /// The ports of the switches below the common one, on either side: this is where ACS redirects.
  std::vector<const PciFunction*> switch_ports;
  /// The root ports of a path through the root complex.
  std::vector<const PciFunction*> root_ports;
};

/// The path of peer-to-peer traffic between two functions. It does not apply to a function without
/// a bridge above it, and is unknown if a bridge above either was not read.
Known<PciPath> pci_path(const Machine& machine, const std::string& from, const std::string& to);

/// An HCA and its distance from a GPU.
struct NearHca {
  std::string hca;
  Distance distance = Distance::sys;
};

/// The active HCAs from the PCI tree, the nearest first; without one, from nvidia-smi topo -m,
/// where the GPU has this index. `unseen` is set to why some HCA may be nearer than these.
std::vector<NearHca> near_hcas(const Machine& machine, const std::string& gpu, std::size_t index,
                               std::optional<Gap>& unseen);

/// Whether these ports redirect peer-to-peer traffic: "on", "off", or why that is not known.
struct Redirect {
  bool on = false;
  std::vector<std::string> ports;  ///< those that redirect: "0000:17:01.0 (ReqRedir CmpltRedir)"
  std::optional<Gap> gap;
};
/// A port redirects if ACS request redirect, completion redirect or egress control is on. Source
/// validation, upstream forwarding and translation blocking do not redirect (PCI Express Base
/// Specification, 6.12).
Redirect redirect_at(const std::vector<const PciFunction*>& ports);

}  // namespace nettune::tools::doctor
