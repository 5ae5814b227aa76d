// SPDX-License-Identifier: Apache-2.0
#include "facts/near_gpu.hpp"

#include <algorithm>

#include "base/cpu_list.hpp"
#include "base/text.hpp"
#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

/// In lower case, with a domain of four digits if it had more zeros, or no domain.
std::string canonical(std::string_view text) {
  std::string address = lower(text);
  if (std::ranges::count(address, ':') == 1) address = cat("0000:", address);
  while (address.find(':') > 4 && address.starts_with('0')) address.erase(0, 1);
  return address;
}

std::string known(const std::vector<Gpu>& gpus) {
  if (gpus.empty()) return "this node has no GPU";
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < gpus.size(); ++i) texts.push_back(cat(i, " ", gpus[i].pci_address));
  return cat("this node has ", join(texts, ", "));
}

}  // namespace

std::vector<std::string> gpu_addresses(const std::string& root_path) {
  std::vector<std::string> addresses;
  if (const auto root = kernel::Directory::open_node(root_path))
    for (const Gpu& gpu : read_gpus(*root)) addresses.push_back(gpu.pci_address);
  return addresses;
}

Result<NearGpu> near_gpu(const std::string& root_path, std::string_view gpu) {
  TRY_ASSIGN(const kernel::Directory root, kernel::Directory::open_node(root_path));
  std::vector<Gpu> gpus = read_gpus(root);
  const auto index = parse_int(gpu);
  auto found = gpus.end();
  if (!index)
    found = std::ranges::find(gpus, canonical(gpu), &Gpu::pci_address);
  else if (*index >= 0 && *index < std::ssize(gpus))
    found = gpus.begin() + *index;
  if (found == gpus.end())
    return fail(Errc::invalid, cat("no such GPU: '", printable(gpu), "'; ", known(gpus)));
  if (!found->numa_node)
    return fail(Errc::unsupported,
                cat("the NUMA node of GPU ", found->pci_address,
                    " is not known: the firmware does not report it, as in many virtual machines; "
                    "remove the option"));
  NearGpu near{found->pci_address, *found->numa_node, {}};
  const std::string file = cat("sys/devices/system/node/node", near.numa_node, "/cpulist");
  const auto cpus = parse_cpu_list(root.line(file).value_or(""));
  if (!cpus || cpus->empty())
    return fail(Errc::unsupported, cat("NUMA node ", near.numa_node, " of GPU ", near.pci_address,
                                       " has no CPUs (/", file, "); remove the option"));
  near.cpus = *cpus;
  return near;
}

Result<std::vector<bool>> allowed_near(const NearGpu& near, const std::vector<bool>& allowed) {
  Cpus usable = in_both(near.cpus, allowed);
  if (cpu_count(usable) != 0) return usable;
  return fail(
      Errc::conflict,
      cat("GPU ", near.pci_address, " is on NUMA node ", near.numa_node, " with the CPUs ",
          cpu_list(near.cpus), ", but this process may use only ", cpu_list(allowed),
          " (cpuset, taskset or scheduler); request CPUs near the GPU, or remove the option"));
}

}  // namespace nettune::facts
