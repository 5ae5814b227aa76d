// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/probe/loose.hpp"

#include <array>

#include "base/text.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

constexpr std::size_t kLargestLoose = std::size_t{96} << 20;

struct Loose {
  const char* file;
  void (*take)(std::string_view, Machine&);
};
constexpr auto kLoose = std::to_array<Loose>({{"lspci.txt", take_lspci},
                                              {"nvidia-smi.xml", take_smi_xml},
                                              {"nvidia-smi-topo.txt", take_topology},
                                              {"nvidia-smi-nvlink.txt", take_smi_nvlink},
                                              {"dcgmi-nvlink.txt", take_dcgmi_nvlink},
                                              {"ibstat.txt", take_ibstat},
                                              {"ibv_devinfo.txt", take_devinfo},
                                              {"dev-shm.txt", take_shm_list}});

/// "mlx5_0" of "counters-mlx5_0.txt"; "" for other names.
std::string device_of(std::string_view name) {
  for (const std::string_view kind : {"counters-", "ethtool-"})
    if (name.starts_with(kind) && name.ends_with(".txt") && name.size() > kind.size() + 4)
      return std::string(name.substr(kind.size(), name.size() - kind.size() - 4));
  return {};
}

}  // namespace

void read_loose_texts(const Place& place, Machine& machine) {
  for (const Loose& loose : kLoose)
    if (const auto text = place.root.read(loose.file, kLargestLoose)) loose.take(*text, machine);
  for (const std::string& name : place.root.list(""))
    if (const std::string device = device_of(name); !device.empty())
      if (const auto text = place.root.read(name, kLargestLoose)) {
        take_counters(device, *text, machine);
        if (name.starts_with("ethtool-"))
          machine.statistics[device] = machine.ports.back().counters;
      }
  for (const char* const name : {"kernel.log", "dmesg.txt"})
    if (const auto text = place.root.read(name, kLargestLoose)) {
      machine.log = parse_kernel_log(*text);
      machine.log.value->found_in = name;
      take_boot_lines(*machine.log, machine);
    }
  for (const char* const name : {"ras.json", "ras.txt"})
    if (const auto text = place.root.read(name, kLargestLoose)) machine.ras = Ras{true, *text, ""};
}

void take_counters(const std::string& device, std::string_view text, Machine& machine) {
  PortState state;
  state.device = device;
  for (const std::string_view line : split(text, '\n')) {
    // "name value" of sysfs, "  name: value" of ethtool.
    const auto fields = words(line);
    if (fields.size() != 2) continue;
    std::string_view name = fields[0];
    if (name.ends_with(':')) name.remove_suffix(1);
    if (const auto value = parse_int(fields[1]); value && *value >= 0)
      state.counters[std::string(name)] = static_cast<std::uint64_t>(*value);
  }
  machine.ports.push_back(std::move(state));
}

void take_shm_list(std::string_view text, Machine& machine) {
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.size() >= 9 && fields[0].starts_with('-') && fields.back().starts_with("nccl-"))
      machine.shm_leftovers.emplace_back(fields.back());
  }
}

}  // namespace nettune::tools::doctor::probe
