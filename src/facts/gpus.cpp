// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

/// Vendor and class (PCI Code and ID Assignment: 0x0300 VGA, 0x0302 3D controller, 0x0380 other
/// display, 0x1200 processing accelerator) of training accelerators. NVIDIA's data centre GPUs are
/// 0302, AMD's Instinct 0380 and 1200, Intel's Max 0380, Gaudi 1200; an Intel 0300 is the console.
bool is_gpu(std::string_view vendor, std::string_view klass) {
  const bool console = klass.starts_with("0x0300");
  const bool display = klass.starts_with("0x0302") || klass.starts_with("0x0380");
  const bool accelerator = klass.starts_with("0x1200");
  if (vendor == "0x10de" || vendor == "0x1002") return console || display || accelerator;
  if (vendor == "0x8086") return display || accelerator;
  return vendor == "0x1da3" && accelerator;
}

}  // namespace

std::vector<Gpu> read_gpus(const kernel::Directory& root) {
  std::vector<Gpu> gpus;
  for (const std::string& address : root.list("sys/bus/pci/devices")) {
    const std::string path = pci_path(address);
    const auto klass = root.line(path + "/class");
    if (!klass || !is_gpu(root.line(path + "/vendor").value_or(""), *klass)) continue;
    gpus.push_back({address, read_pci_id(root, path), root.link_name(path + "/driver").value_or(""),
                    read_numa_node(root, path)});
  }
  return gpus;
}

}  // namespace nettune::facts
