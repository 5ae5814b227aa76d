// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_list.hpp"
#include "base/text.hpp"
#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

bool is_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// "15b3" of a file that contains "0x15b3".
std::string hex_number(const kernel::Directory& root, const std::string& path) {
  const auto text = root.line(path);
  if (!text || !text->starts_with("0x") || !is_hex(text->substr(2)) || text->size() > 10) return {};
  return text->substr(2);
}

/// A virtio device is the only child of its PCI function, and its number depends on probe order.
bool names_only_child(std::string_view name) { return name.starts_with("virtio"); }

}  // namespace

bool is_pci_address(std::string_view text) {
  // domain:bus:device.function; domains above 16 bits exist (VMD).
  const std::size_t first = text.find(':');
  if (first == std::string_view::npos || first < 4 || first > 8) return false;
  const std::string_view tail = text.substr(first + 1);
  return tail.size() == 7 && tail[2] == ':' && tail[5] == '.' && is_hex(text.substr(0, first)) &&
         is_hex(tail.substr(0, 2)) && is_hex(tail.substr(3, 2)) && tail[6] >= '0' && tail[6] <= '7';
}

std::string pci_path(const std::string& pci_address) {
  return cat("sys/bus/pci/devices/", pci_address);
}

Place place_of(const kernel::Directory& root, const std::string& class_entry) {
  // .../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0[/CHILD]/net/NAME
  const auto target = root.link(class_entry);
  if (!target) return {};
  const auto parts = split(*target, '/');
  Place place;
  std::string_view child;
  for (std::size_t i = 0; i + 2 < parts.size(); ++i) {
    if (is_pci_address(parts[i])) {
      place.pci_address = std::string(parts[i]);
      child = {};
    } else {
      child = parts[i];
    }
  }
  if (place.pci_address.empty()) return {};
  place.key = cat("pci ", place.pci_address);
  if (!child.empty() && !names_only_child(child)) place.key += cat(" ", child);
  return place;
}

std::string read_pci_id(const kernel::Directory& root, const std::string& device_path) {
  const std::string vendor = hex_number(root, device_path + "/vendor");
  const std::string device = hex_number(root, device_path + "/device");
  return vendor.empty() || device.empty() ? "" : cat(vendor, ":", device);
}

std::optional<int> read_numa_node(const kernel::Directory& root, const std::string& device_path) {
  constexpr long long kHighest = 1 << 16;
  const auto node = root.number(device_path + "/numa_node");
  if (!node || *node < 0 || *node > kHighest) return std::nullopt;
  return static_cast<int>(*node);
}

std::string read_near_cpus(const kernel::Directory& root, const std::string& device_path) {
  // Without a NUMA node the file has all CPUs (local_cpulist_show, drivers/pci/pci-sysfs.c). They
  // are near only where there is one node.
  if (!read_numa_node(root, device_path) && root.exists("sys/devices/system/node/node1")) return {};
  const auto cpus = parse_cpu_list(root.line(device_path + "/local_cpulist").value_or(""));
  return cpus && cpu_count(*cpus) != 0 ? cpu_list(*cpus) : std::string();
}

}  // namespace nettune::facts
