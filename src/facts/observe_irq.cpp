// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "base/cpu_list.hpp"
#include "base/text.hpp"
#include "facts/observe_parts.hpp"
#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

/// The files of every interrupt in /proc, sorted (register_irq_proc, kernel/irq/proc.c). There are
/// thousands, so known files are not opened to check for directories.
constexpr std::array<std::string_view, 7> kFiles = {
    "affinity_hint", "effective_affinity", "effective_affinity_list",
    "node",          "smp_affinity",       "smp_affinity_list",
    "spurious"};

/// An interrupt with a handler has a directory of the handler's name (register_handler_proc,
/// kernel/irq/proc.c).
bool is_in_use(const kernel::Directory& root, const std::string& path) {
  return std::ranges::any_of(root.list(path), [&](const std::string& entry) {
    return !std::ranges::binary_search(kFiles, entry) &&
           root.directory(cat(path, '/', entry)).has_value();
  });
}

/// The running daemon has a socket with its process number there (init_socket, irqbalance.c).
bool irqbalance_runs(const kernel::Directory& root) {
  return std::ranges::any_of(root.list("run/irqbalance"), [](const std::string& entry) {
    return entry.starts_with("irqbalance") && entry.ends_with(".sock");
  });
}

}  // namespace

void observe_interrupts(const kernel::Directory& root, const std::string& pci_address,
                        const Tell& tell) {
  constexpr const Observable& kWhat = kIrqOutsideNode;
  const std::string path = pci_path(pci_address);
  const auto unknown = [&](std::string why) { tell(kWhat, std::nullopt, std::move(why)); };
  const std::string near = root.line(path + "/local_cpulist").value_or("");
  const auto local = parse_cpu_list(near);
  if (!local || local->empty()) return unknown("the kernel does not report the CPUs near it");
  const bool one_node = !root.exists("sys/devices/system/node/node1");
  if (!read_numa_node(root, path) && !one_node)
    return unknown("the firmware does not report its NUMA node");
  std::size_t used = 0;
  std::size_t outside = 0;
  for (const std::string& number : root.list(path + "/msi_irqs")) {
    const std::string irq = cat("proc/irq/", number);
    if (!is_in_use(root, irq)) continue;
    auto where = root.line(irq + "/effective_affinity_list");
    if (!where || where->empty()) where = root.line(irq + "/smp_affinity_list");
    const auto cpus = where ? parse_cpu_list(*where) : std::nullopt;
    if (!cpus || cpus->empty()) continue;
    ++used;
    if (!is_within(*cpus, *local)) ++outside;
  }
  if (used == 0) return unknown("its interrupts are not visible here");
  tell(kWhat, std::to_string(outside),
       cat(outside, " of its ", used, " interrupts go to CPUs of another NUMA node (near: ", near,
           ")", irqbalance_runs(root) ? "; irqbalance is running and moves them" : ""));
}

}  // namespace nettune::facts
