// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// Whether the container has ports of RDMA devices, but none of their interfaces.
Known<bool> has_own_network(const Directory& root, const Machine& machine) {
  bool any = false;
  for (const facts::RdmaDevice& device : machine.facts.rdma) {
    if (device.pci_address.empty()) continue;
    any = true;
    if (!root.list(cat("sys/class/infiniband/", device.name, "/device/net")).empty()) return false;
    if (std::ranges::any_of(device.ports, [&](const facts::RdmaPort& port) {
          return machine.facts.find_net(port.netdev) != nullptr;
        }))
      return false;
  }
  if (!any) return not_applicable("there is no RDMA card here");
  return true;
}

/// docker's system call filter answers EPERM without CAP_SYS_NICE.
bool allows_numa_calls() {
  int mode = 0;
  return ::syscall(SYS_get_mempolicy, &mode, nullptr, 0, nullptr, 0) == 0 || errno != EPERM;
}

}  // namespace

void read_container(const Place& place, Machine& machine) {
  if (!place.live || machine.facts.node.container.empty()) return;
  Container container;
  container.own_network = has_own_network(place.root, machine);
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
    container.memlock = limit.rlim_max == RLIM_INFINITY
                            ? std::optional<std::uint64_t>()
                            : std::optional<std::uint64_t>(limit.rlim_max);
  container.numa_calls = allows_numa_calls();
  machine.container = std::move(container);
}

}  // namespace nettune::tools::doctor::probe
