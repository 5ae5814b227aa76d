// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "kernel/sysfs.hpp"

/// What several readers of a node need, so that all of them mean the same by it.
namespace nettune::facts {

/// The IOMMU, and the types of its groups with how many have each: "DMA-FQ", "identity".
struct Iommu {
  std::optional<bool> on;  ///< nothing if sysfs does not show it
  std::map<std::string, int> groups;
};
Iommu read_iommu(const kernel::Directory& root);
/// "off", "translating" or "passthrough"; "" if it is not known.
std::string iommu_mode(const Iommu& iommu);

/// The version of a driver's module, or kOwnDriver: only a module that is not part of the kernel
/// has one (OFED, DOCA). Nothing if the module is not loaded or sysfs does not show it.
std::optional<std::string> driver_version(const kernel::Directory& root, const std::string& driver);

/// The firmware of the BMC as the kernel's IPMI driver has it; "" if there is none. The driver may
/// ask the BMC, which takes its time: not part of collect().
std::string read_bmc_firmware(const kernel::Directory& root);

}  // namespace nettune::facts
