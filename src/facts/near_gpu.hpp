// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::facts {

/// The resources near a GPU.
struct NearGpu {
  std::string pci_address;
  int numa_node = 0;
  std::vector<bool> cpus;  ///< the CPUs of that node
};

/// For all GPUs, in the order of Facts::gpus; empty if sysfs cannot be read.
std::vector<std::string> gpu_addresses(const std::string& root);

/// For the GPU with this index in Facts::gpus, or this PCI address: "0", "0000:3b:00.0", also in
/// nvidia-smi's form ("00000000:3B:00.0"). Reads sysfs below `root`. Errc::invalid if it is not a
/// GPU of this node; Errc::unsupported if the firmware does not report its NUMA node, or the NUMA
/// node has no CPUs: a guess would be worse than no answer.
Result<NearGpu> near_gpu(const std::string& root, std::string_view gpu);

/// Those of `near` that are also `allowed`. If there is none: Errc::conflict, naming both.
Result<std::vector<bool>> allowed_near(const NearGpu& near, const std::vector<bool>& allowed);

}  // namespace nettune::facts
