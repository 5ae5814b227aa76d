// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "tools/compare/findings.hpp"

namespace nettune::tools::compare {

namespace {

/// The most frequent values in a group.
class UsualRails {
 public:
  UsualRails(const Fleet& fleet, const Index& index, const Group& group) {
    std::vector<std::uint32_t> in_part(fleet.part_count());
    for (const std::uint32_t node : group.nodes)
      for (const std::uint32_t part : fleet.nodes()[node].parts) ++in_part[part];
    std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> counts;
    for (const Index::Entry& entry : index.entries()) {
      if (in_part[entry.part] == 0) continue;
      const std::string& schema = fleet.schema(entry.path).text;
      if (schema.starts_with("rdma[]") || schema == "net[].mtu")
        counts[entry.path][entry.value] += in_part[entry.part];
    }
    for (const auto& [path, values] : counts) {
      const auto most =
          std::ranges::max_element(values, {}, [](const auto& one) { return one.second; });
      values_[fleet.path_text(path)] = fleet.value(most->first);
    }
  }

  std::string at(const std::string& path) const {
    const auto found = values_.find(path);
    return found == values_.end() ? std::string() : found->second;
  }
  /// The RDMA devices, by PCI address.
  std::vector<std::string> devices() const {
    std::map<std::string, std::string> by_address;
    for (const auto& [path, value] : values_)
      if (path.starts_with("rdma[") && path.ends_with("].pci_address") &&
          at(path.substr(0, path.size() - 12) + ".virtual_function") != "true")
        by_address[value] = path.substr(0, path.size() - 12);
    std::vector<std::string> devices;
    for (const auto& [address, device] : by_address) devices.push_back(device);
    return devices;
  }

 private:
  std::map<std::string, std::string> values_;
};

struct RailField {
  const char* name;
  const char* below;  ///< the device
  const char* why;
};
constexpr RailField kFields[] = {
    {"link_layer", ".ports[1].link_layer",
     "NCCL does not mix InfiniBand and Ethernet ports in one communicator"},
    {"rate_gbps", ".ports[1].rate_gbps", "a ring over both shapes runs at the slower rate"},
    {"pci_id", ".pci_id", "generations of one card differ in firmware, limits and speed"},
    {"mtu", "", "both ends send with the smaller of their two MTUs"},
};

std::string field_at(const UsualRails& usual, const std::string& device, const RailField& field) {
  if (*field.below != '\0') return usual.at(device + field.below);
  const std::string netdev = usual.at(device + ".ports[1].netdev");
  return netdev.empty() ? std::string() : usual.at(cat("net[", netdev, "].mtu"));
}

}  // namespace

void find_rails(const Fleet& fleet, Comparison& comparison) {
  struct OfGroup {
    UsualRails usual;
    std::vector<std::string> devices;
    const Group* group;
  };
  const auto is_large = [](const Group& group) { return group.nodes.size() >= kFewestForMajority; };
  if (std::ranges::count_if(comparison.groups, is_large) < 2) return;
  const Index index(fleet);
  std::vector<OfGroup> groups;
  for (const Group& group : comparison.groups) {
    if (!is_large(group)) continue;
    UsualRails usual(fleet, index, group);
    std::vector<std::string> devices = usual.devices();
    if (!devices.empty()) groups.push_back({std::move(usual), std::move(devices), &group});
  }
  if (groups.size() < 2) return;
  const auto add = [&](std::string path, const char* why,
                       const std::map<std::string, std::vector<std::uint32_t>>& by_value) {
    if (by_value.size() < 2 || by_value.contains("")) return;
    Finding finding;
    finding.kind = Kind::rails;
    finding.cost = Cost::slows;
    finding.paths = {std::move(path)};
    finding.why = why;
    for (const auto& [value, nodes] : by_value) finding.others.push_back({value, nodes});
    std::ranges::stable_sort(finding.others, [](const Holders& left, const Holders& right) {
      return left.nodes.size() > right.nodes.size();
    });
    comparison.findings.push_back(std::move(finding));
  };
  std::map<std::string, std::vector<std::uint32_t>> by_count;
  std::size_t most = 0;
  const auto join_nodes = [](std::vector<std::uint32_t>& to, const Group& group) {
    to.insert(to.end(), group.nodes.begin(), group.nodes.end());
    std::ranges::sort(to);
  };
  for (const OfGroup& one : groups) {
    join_nodes(by_count[std::to_string(one.devices.size())], *one.group);
    most = std::max(most, one.devices.size());
  }
  add("rails", "NCCL pairs the n-th device of each node; one without a partner carries less",
      by_count);
  if (by_count.size() > 1) return;
  for (std::size_t rail = 0; rail < most; ++rail)
    for (const RailField& field : kFields) {
      std::map<std::string, std::vector<std::uint32_t>> by_value;
      for (const OfGroup& one : groups)
        join_nodes(by_value[field_at(one.usual, one.devices[rail], field)], *one.group);
      add(cat("rail[", rail, "].", field.name), field.why, by_value);
    }
}

}  // namespace nettune::tools::compare
