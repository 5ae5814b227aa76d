// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "facts/parts.hpp"
#include "facts/platform.hpp"

namespace nettune::facts {
namespace {

/// "ACTIVE" of "4: ACTIVE", the form of state and phys_state.
std::string behind_number(const std::string& text) {
  const std::size_t colon = text.find(": ");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

/// Parses "2.5 Gb/sec (1X SDR)": rate_show() in drivers/infiniband/core/sysfs.c (6.1) prints whole
/// numbers or halves. std::from_chars() is avoided: for doubles it loads libm at every start.
std::optional<double> rate_gbps(std::string_view text) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto whole = parse_int(text.substr(0, end));
  const std::string_view behind = text.substr(end);
  const bool half = behind.starts_with(".5 ");
  if (!whole || *whole > 1'000'000 || !(half || behind.starts_with(' '))) return std::nullopt;
  const double rate = static_cast<double>(*whole) + (half ? 0.5 : 0);
  return rate > 0 ? std::optional(rate) : std::nullopt;
}

/// "32.0 GT/s" of "32.0 GT/s PCIe"; "" for "Unknown".
std::string pcie_speed(const std::string& text) {
  const auto end = text.find(" GT/s");
  return end == std::string::npos ? "" : text.substr(0, end + 5);
}

/// sysfs has 0 or 255 lanes where it does not know.
std::optional<int> pcie_width(const kernel::Directory& root, const std::string& path) {
  const auto lanes = root.number(path + "/current_link_width");
  return lanes && *lanes > 0 && *lanes <= 32 ? std::optional(static_cast<int>(*lanes))
                                             : std::nullopt;
}

/// The functions that mlx5_core treats as virtual (mlx5_core_pci_table,
/// drivers/net/ethernet/mellanox/mlx5/core/main.c, Linux 6.12): in a guest nothing else shows it.
constexpr auto kVirtualFunctions =
    std::to_array<std::string_view>({"15b3:1012", "15b3:1014", "15b3:1016", "15b3:1018",
                                     "15b3:101a", "15b3:101c", "15b3:101e", "15b3:a2d3"});

void read_function(const kernel::Directory& root, RdmaDevice& device) {
  const std::string path = pci_path(device.pci_address);
  device.driver = root.link_name(path + "/driver").value_or("");
  device.pci_id = read_pci_id(root, path);
  device.numa_node = read_numa_node(root, path);
  device.virtual_function = root.link(path + "/physfn").has_value() ||
                            std::find(kVirtualFunctions.begin(), kVirtualFunctions.end(),
                                      device.pci_id) != kVirtualFunctions.end();
}

std::optional<int> small_index(const std::string& name) {
  const auto index = parse_int(name);
  if (!index || *index < 0 || *index > 0xffff) return std::nullopt;
  return static_cast<int>(*index);
}

/// The used entries of the GID table. The empty ones (1024 of them on some cards) cost one read
/// each: all zero, or an error.
std::vector<Gid> read_gids(const kernel::Directory& port) {
  const auto table = port.directory("gids");
  if (!table) return {};
  std::vector<Gid> gids;
  for (const std::string& entry : table->list("")) {
    const auto index = small_index(entry);
    const auto text = table->line(entry);
    if (!index || !text || text->find_first_not_of("0:") == std::string::npos) continue;
    gids.push_back({*index, *text, port.line(cat("gid_attrs/types/", entry)).value_or(""),
                    port.line(cat("gid_attrs/ndevs/", entry)).value_or("")});
  }
  std::sort(gids.begin(), gids.end(),
            [](const Gid& left, const Gid& right) { return left.index < right.index; });
  return gids;
}

/// Whether a GID table was read whole. An entry that is empty, or that has only a type, was left
/// out of a recording.
bool has_whole_table(const kernel::Directory& port) {
  const std::vector<std::string> entries = port.list("gids");
  const auto is_listed = [&](const std::string& entry) {
    return std::binary_search(entries.begin(), entries.end(), entry);
  };
  const auto is_empty = [&](const std::string& entry) {
    return port.line(cat("gids/", entry)) == "";
  };
  const std::vector<std::string> types = port.list("gid_attrs/types");
  return !entries.empty() && std::all_of(types.begin(), types.end(), is_listed) &&
         std::none_of(entries.begin(), entries.end(), is_empty);
}

RdmaPort read_port(const kernel::Directory& directory, int number) {
  RdmaPort port;
  port.number = number;
  port.link_layer = directory.line("link_layer").value_or("");
  port.state = behind_number(directory.line("state").value_or(""));
  port.physical_state = behind_number(directory.line("phys_state").value_or(""));
  port.rate = directory.line("rate").value_or("");
  port.rate_gbps = rate_gbps(port.rate);
  port.gids = read_gids(directory);
  const auto with_device = std::find_if(port.gids.begin(), port.gids.end(),
                                        [](const Gid& gid) { return !gid.netdev.empty(); });
  if (with_device != port.gids.end()) port.netdev = with_device->netdev;
  return port;
}

/// For software devices the node GUID is made from the interface's address; all zero is none.
std::string identity_of(const RdmaDevice& device, const Place& place) {
  if (!place.key.empty()) return cat("rdma ", place.key);
  const bool has_guid = device.node_guid.find_first_not_of("0:") != std::string::npos;
  return has_guid ? cat("rdma guid ", device.node_guid) : cat("rdma name ", device.name);
}

void add_unique(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

NetDevice* find(std::vector<NetDevice>& net, const std::string& name) {
  const auto found = std::find_if(net.begin(), net.end(),
                                  [&](const NetDevice& device) { return device.name == name; });
  return found == net.end() ? nullptr : &*found;
}

/// The interface of the same card and port: ports count from 1 here and from 0 there.
NetDevice* same_port(std::vector<NetDevice>& net, const std::string& key, int number) {
  if (key.empty()) return nullptr;
  const std::string identity = cat(key, " port ", number - 1);
  const auto found = std::find_if(
      net.begin(), net.end(), [&](const NetDevice& device) { return device.identity == identity; });
  return found == net.end() ? nullptr : &*found;
}

/// Records the RDMA device of each interface. The GID table names the interface that carries the
/// traffic, which is the bond under RoCE LAG; its members also belong to the device.
void connect(std::vector<NetDevice>& net, const std::string& key, const std::string& name,
             RdmaPort& port) {
  NetDevice* own = same_port(net, key, port.number);
  if (own != nullptr) {
    add_unique(own->rdma_devices, name);
    if (port.netdev.empty()) port.netdev = own->name;
  }
  NetDevice* named = find(net, port.netdev);
  if (named == nullptr) return;
  add_unique(named->rdma_devices, name);
  if (named->kind != "bond") return;
  for (const std::string& member : named->lowers) {
    NetDevice* device = find(net, member);
    if (device != nullptr && device->physical) add_unique(device->rdma_devices, name);
  }
}

}  // namespace

std::vector<RdmaDevice> read_rdma(const kernel::Directory& root, std::vector<NetDevice>& net) {
  constexpr std::string_view kClass = "sys/class/infiniband/";
  std::vector<RdmaDevice> devices;
  for (const std::string& name : root.list(std::string(kClass))) {
    const std::string path = cat(kClass, name);
    const Place place = place_of(root, path);
    RdmaDevice device;
    device.name = name;
    device.pci_address = place.pci_address;
    device.node_guid = root.line(path + "/node_guid").value_or("");
    device.identity = identity_of(device, place);
    device.firmware = root.line(path + "/fw_ver").value_or("");
    if (!place.pci_address.empty()) read_function(root, device);
    for (const std::string& entry : root.list(path + "/ports")) {
      const auto number = small_index(entry);
      const auto directory = root.directory(cat(path, "/ports/", entry));
      if (!number || !directory) continue;
      device.ports.push_back(read_port(*directory, *number));
      connect(net, place.key, name, device.ports.back());
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

void describe_rdma(const kernel::Directory& root, std::vector<RdmaDevice>& devices) {
  for (RdmaDevice& device : devices) {
    const std::string path = cat("sys/class/infiniband/", device.name);
    device.system_guid = root.line(path + "/sys_image_guid").value_or("");
    device.psid = root.line(path + "/board_id").value_or("");
    for (RdmaPort& port : device.ports)
      if (const auto directory = root.directory(cat(path, "/ports/", port.number)))
        port.gids_listed = has_whole_table(*directory);
    if (device.pci_address.empty()) continue;
    const std::string function = pci_path(device.pci_address);
    device.driver_version = driver_version(root, device.driver).value_or("");
    device.pcie_speed = pcie_speed(root.line(function + "/current_link_speed").value_or(""));
    device.pcie_width = pcie_width(root, function);
  }
}

}  // namespace nettune::facts
