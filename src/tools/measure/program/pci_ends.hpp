// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "kernel/sysfs.hpp"
#include "tools/measure/ceiling.hpp"

namespace nettune::tools::measure::program {

/// Adds the slowest PCI Express link between the end's card and the root.
void add_pci(const kernel::Directory& root, End& end);

/// The GPU of NVIDIA's driver with the longest common PCI path with the card at `pci_address`; of
/// those, the first on `numa_node`, else the first. Nothing if there is no such GPU.
std::optional<GpuEnd> nearest_gpu(const kernel::Directory& root,
                                  const std::vector<facts::Gpu>& gpus,
                                  const std::string& pci_address,
                                  const std::optional<int>& numa_node);

}  // namespace nettune::tools::measure::program
