// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "base/text.hpp"
#include "tools/doctor/counters.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// "0x1" of sm_lid.
Known<int> read_lid(const Directory& root, const std::string& path) {
  const auto text = root.line(path);
  if (!text || !text->starts_with("0x")) return unknown("it could not be read");
  int value = 0;
  const auto parsed = std::from_chars(text->data() + 2, text->data() + text->size(), value, 16);
  if (parsed.ec != std::errc() || value < 0 || value > 0xffff)
    return unknown("it could not be read");
  return value;
}

}  // namespace

std::map<std::string, std::uint64_t> read_counters(const Directory& root, const std::string& device,
                                                   int port) {
  std::map<std::string, std::uint64_t> counters;
  for (const char* const kind : {"counters", "hw_counters"}) {
    const std::string path = cat("sys/class/infiniband/", device, "/ports/", port, "/", kind);
    for (const std::string& name : root.list(path)) {
      if (!error_counter(name)) continue;
      const auto value = root.number(cat(path, "/", name));
      if (value && *value >= 0) counters[name] = static_cast<std::uint64_t>(*value);
    }
  }
  return counters;
}

void read_rdma_ports(const Place& place, Machine& machine) {
  for (const facts::RdmaDevice& device : machine.facts.rdma)
    for (const facts::RdmaPort& port : device.ports) {
      const std::string path = cat("sys/class/infiniband/", device.name, "/ports/", port.number);
      PortState state;
      state.device = device.name;
      state.port = port.number;
      state.sm_lid = read_lid(place.root, path + "/sm_lid");
      state.lid = read_lid(place.root, path + "/lid");
      machine.ports.push_back(std::move(state));
    }
}

void read_rdma_nodes(const Place& place, Machine& machine) {
  if (machine.facts.rdma.empty()) return;
  if (!place.live) {
    machine.rdma_nodes = recorded_nodes(place.root, "/dev/infiniband/");
    return;
  }
  std::vector<std::string> paths = {"/dev/infiniband/rdma_cm"};
  for (const std::string& name : place.root.list("sys/class/infiniband_verbs"))
    if (name.starts_with("uverbs")) paths.push_back(cat("/dev/infiniband/", name));
  for (const std::string& path : paths) machine.rdma_nodes[path] = state_of_node(path);
}

/// The three paths that NCCL checks (src/transport/net_ib, ncclIbGdrSupport()).
void read_peer_memory(const Place& place, bool quick, Machine& machine) {
  const Directory& root = place.root;
  if (!root.exists("sys/module")) {
    machine.peer_memory = unknown("the recording does not contain /sys/module");
    return;
  }
  machine.peer_memory = root.exists("sys/kernel/mm/memory_peers/nv_mem/version") ||
                        root.exists("sys/kernel/mm/memory_peers/nv_mem_nc/version") ||
                        root.exists("sys/module/nvidia_peermem/version");
  if (*machine.peer_memory || machine.facts.rdma.empty() || quick) {
    machine.peer_memory_possible = unknown("it was not checked");
    return;
  }
  constexpr std::size_t kLargest = std::size_t{64} << 20;
  const auto symbols = root.read("proc/kallsyms", kLargest);
  if (!symbols)
    machine.peer_memory_possible = unknown("/proc/kallsyms could not be read");
  else
    machine.peer_memory_possible =
        symbols->find(" ib_register_peer_memory_client") != std::string::npos;
}

}  // namespace nettune::tools::doctor::probe
