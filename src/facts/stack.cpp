// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"
#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

using ByName = std::unordered_map<std::string, std::size_t>;
using ByIndex = std::unordered_map<int, std::size_t>;

class Stack {
 public:
  explicit Stack(std::vector<NetDevice>& net) : net_(net) {
    for (std::size_t i = 0; i < net.size(); ++i) {
      by_name_.emplace(net[i].name, i);
      by_index_.emplace(net[i].ifindex, i);
    }
  }

  void connect(int lower, int upper) {
    const auto low = by_index_.find(lower);
    const auto high = by_index_.find(upper);
    if (low != by_index_.end() && high != by_index_.end()) connect_at(low->second, high->second);
  }

  void enslave(int lower, int master) {
    connect(lower, master);
    const auto low = by_index_.find(lower);
    const auto high = by_index_.find(master);
    if (low != by_index_.end() && high != by_index_.end())
      net_[low->second].master = net_[high->second].name;
  }

  void connect(const std::string& lower, const std::string& upper) {
    const auto low = by_name_.find(lower);
    const auto high = by_name_.find(upper);
    if (low != by_name_.end() && high != by_name_.end()) connect_at(low->second, high->second);
  }

  void sort() {
    for (NetDevice& device : net_) {
      for (auto* names : {&device.lowers, &device.uppers}) {
        std::sort(names->begin(), names->end());
        names->erase(std::unique(names->begin(), names->end()), names->end());
      }
    }
  }

 private:
  void connect_at(std::size_t lower, std::size_t upper) {
    if (lower == upper) return;
    net_[upper].lowers.push_back(net_[lower].name);
    net_[lower].uppers.push_back(net_[upper].name);
  }

  std::vector<NetDevice>& net_;
  ByName by_name_;
  ByIndex by_index_;
};

/// The kernel's own record of upper and lower devices (netdev_adjacent_sysfs_add, net/core/dev.c).
void connect_adjacent(const kernel::Directory& root, const NetDevice& device, Stack& stack) {
  constexpr std::string_view kLower = "lower_";
  constexpr std::string_view kUpper = "upper_";
  for (const std::string& entry : root.list(cat("sys/class/net/", device.name))) {
    if (entry.starts_with(kLower)) stack.connect(entry.substr(kLower.size()), device.name);
    if (entry.starts_with(kUpper)) stack.connect(device.name, entry.substr(kUpper.size()));
  }
}

}  // namespace

void connect_stack(const kernel::Directory& root, const std::vector<kernel::Link>& links,
                   std::vector<NetDevice>& net) {
  Stack stack(net);
  for (const kernel::Link& link : links) {
    // The other end of a veth pair is not a lower device, although it is in the same attribute.
    if (link.link > 0 && !link.link_netns && link.kind != "veth") {
      stack.connect(link.link, link.ifindex);
    }
    if (link.master > 0) stack.enslave(link.ifindex, link.master);
  }
  for (const NetDevice& device : net) {
    // Without a sysfs of this namespace the names there are other devices.
    if (root.number(cat("sys/class/net/", device.name, "/ifindex")) != device.ifindex) continue;
    connect_adjacent(root, device, stack);
    if (device.pci_address.empty()) continue;
    const std::string physical_function = cat("sys/class/net/", device.name, "/device/physfn/net");
    for (const std::string& name : root.list(physical_function)) stack.connect(name, device.name);
  }
  stack.sort();
}

}  // namespace nettune::facts
