// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.hpp"
#include "doctor/probe/gather.hpp"

namespace nettune::doctor {
namespace {

/// Finds the files that docker and podman create; other runtimes show in the name of the cgroup.
std::string container_kind(const Directory& root) {
  constexpr std::size_t kLargest = 65536;
  if (root.exists(".dockerenv")) return "docker";
  if (root.exists("run/.containerenv")) return "podman";
  const std::string cgroup = root.read("proc/1/cgroup", kLargest).value_or("");
  for (const char* const word : {"/docker/", "/docker-", "kubepods", "/libpod-", "containerd"})
    if (cgroup.find(word) != std::string::npos) return "a container";
  return {};
}

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
  if (!place.live) return;
  Container container;
  container.kind = container_kind(place.root);
  if (container.kind.empty()) return;
  container.own_network = has_own_network(place.root, machine);
  rlimit limit{};
  if (::getrlimit(RLIMIT_MEMLOCK, &limit) == 0)
    container.memlock = limit.rlim_max == RLIM_INFINITY
                            ? std::optional<std::uint64_t>()
                            : std::optional<std::uint64_t>(limit.rlim_max);
  container.numa_calls = allows_numa_calls();
  machine.container = std::move(container);
}

}  // namespace nettune::doctor
