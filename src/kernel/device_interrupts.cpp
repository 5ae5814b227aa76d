// SPDX-License-Identifier: Apache-2.0
#include "kernel/device_interrupts.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"

namespace nettune::kernel {

std::optional<std::vector<int>> device_interrupts(const Directory& root,
                                                  const std::string& interface) {
  std::string device = interface + "/device";
  // A virtio device is the only child of the function that has the interrupts.
  if (root.link_name(device + "/subsystem") == "virtio") device += "/..";
  std::vector<int> numbers;
  // Each interrupt has a file (msi_device_populate_sysfs, kernel/irq/msi.c, 6.1).
  for (const std::string& name : root.list(device + "/msi_irqs"))
    if (const auto number = parse_int(name);
        number && *number >= 0 && *number <= std::numeric_limits<int>::max())
      numbers.push_back(static_cast<int>(*number));
  if (numbers.empty()) return std::nullopt;
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace nettune::kernel
