// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::facts {

/// What is near to a GPU.
struct NearGpu {
  std::string pci_address;
  int numa_node = 0;
  std::vector<bool> cpus;  ///< of that node
};

/// Of all GPUs, in the order of Facts::gpus; none where sysfs cannot be read.
std::vector<std::string> gpu_addresses(const std::string& root);

/// Of the GPU with this index in Facts::gpus, or this PCI address: "0", "0000:3b:00.0", also as
/// nvidia-smi writes it ("00000000:3B:00.0"). Reads sysfs below `root`. Errc::invalid for what is
/// no GPU of this node; Errc::unsupported where the firmware does not say on which node it is, or
/// that node has no CPUs: a guess would be worse than none.
Result<NearGpu> near_gpu(const std::string& root, std::string_view gpu);

/// Those of `near` that are `allowed`, too. Errc::conflict where there is none, naming both.
Result<std::vector<bool>> allowed_near(const NearGpu& near, const std::vector<bool>& allowed);

/// "0-3,8", as sysfs writes it; "none" for none.
std::string cpu_list(const std::vector<bool>& cpus);

}  // namespace nettune::facts
