// SPDX-License-Identifier: Apache-2.0
#include "doctor/observe.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::doctor {

facts::Observation& Sightings::add(std::string what, std::string device, std::string value,
                                   std::string text) {
  facts::Observation seen;
  seen.device = std::move(device);
  seen.what = std::move(what);
  seen.value = std::move(value);
  seen.text = std::move(text);
  return all_.emplace_back(std::move(seen));
}

facts::Observation& Sightings::gap(std::string what, std::string device, const Gap& gap) {
  facts::Observation seen;
  seen.device = std::move(device);
  seen.what = std::move(what);
  seen.text = gap.why;
  seen.blank = gap.blank;
  return all_.emplace_back(std::move(seen));
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

bool is_link_local(const std::string& address) {
  return address.starts_with("fe80:") || address.starts_with("169.254.");
}

std::string without_prefix(const std::string& address) {
  return address.substr(0, address.find('/'));
}

std::string gpu_name(const std::string& pci_address) { return cat("GPU ", pci_address); }

std::vector<std::string> nvidia_gpus(const Machine& machine) {
  std::vector<std::string> addresses;
  if (machine.pci)
    for (const PciFunction& function : *machine.pci)
      if (function.is_nvidia_gpu()) addresses.push_back(function.address);
  if (addresses.empty() && machine.nvidia.gpus)
    for (const GpuState& gpu : *machine.nvidia.gpus) addresses.push_back(gpu.pci_address);
  return addresses;
}

bool has_no_gpu(const Machine& machine) {
  return machine.pci && machine.facts.gpus.empty() && nvidia_gpus(machine).empty();
}

std::vector<const facts::RdmaDevice*> rdma_cards(const Machine& machine) {
  std::vector<const facts::RdmaDevice*> cards;
  for (const facts::RdmaDevice& device : machine.facts.rdma)
    if (!device.pci_address.empty() || !device.pci_id.empty()) cards.push_back(&device);
  return cards;
}

const PortState* find_port(const Machine& machine, const std::string& device, int port) {
  const auto found = std::ranges::find_if(machine.ports, [&](const PortState& state) {
    return state.device == device && state.port == port;
  });
  return found == machine.ports.end() ? nullptr : &*found;
}

namespace {

/// A probe that does not answer is a finding: a driver hangs, or a name server is not reachable.
void observe_probes(const Machine& machine, Sightings& out) {
  if (machine.silent_probes.empty())
    out.add("probe.answers", "", "yes", "every probe answered in time");
  for (const std::string& probe : machine.silent_probes)
    out.add("probe.answers", "", "no", probe).sureness = facts::Sureness::measured;
}

}  // namespace

std::vector<facts::Observation> observe(const Machine& machine) {
  Sightings out;
  observe_probes(machine, out);
  observe_names(machine, out);
  observe_network(machine, out);
  observe_limits(machine, out);
  observe_rdma(machine, out);
  observe_roce(machine, out);
  observe_counters(machine, out);
  observe_pci(machine, out);
  observe_ceiling(machine, out);
  observe_paths(machine, out);
  observe_gpudirect(machine, out);
  observe_driver(machine, out);
  observe_gpus(machine, out);
  observe_xids(machine, out);
  observe_flaps(machine, out);
  observe_host(machine, out);
  observe_versions(machine, out);
  observe_cards(machine, out);
  observe_statistics(machine, out);
  observe_container(machine, out);
  observe_job(machine, out);
  observe_job_process(machine, out);
  observe_peer(machine, out);
  std::vector<facts::Observation> all = out.take();
  all.insert(all.end(), machine.of_check.begin(), machine.of_check.end());
  return all;
}

}  // namespace nettune::doctor
