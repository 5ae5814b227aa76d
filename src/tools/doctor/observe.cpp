// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/observe.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "checks/advice.hpp"

namespace nettune::tools::doctor {
namespace {

/// Filled before main(), by the constants of the files.
std::vector<Observable>& declared() {
  static std::vector<Observable> all;
  return all;
}

const Observable kProbeAnswers = observable("probe.answers");

}  // namespace

Observable observable(std::string_view name, std::string_view values) noexcept {
  return declared().emplace_back(Observable{name, values});
}

std::vector<Observable> all_observables() {
  std::vector<Observable> all(facts::kObservables.begin(), facts::kObservables.end());
  all.push_back(checks::kKernelLog);
  all.insert(all.end(), declared().begin(), declared().end());
  return all;
}

facts::Observation& Sightings::add(const Observable& what, std::string device, std::string value,
                                   std::string text) {
  facts::Observation seen;
  seen.device = std::move(device);
  seen.what = what.name;
  seen.value = std::move(value);
  seen.text = std::move(text);
  return all_.emplace_back(std::move(seen));
}

facts::Observation& Sightings::gap(const Observable& what, std::string device, const Gap& gap) {
  facts::Observation seen;
  seen.device = std::move(device);
  seen.what = what.name;
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

Gap gap_without_gpu(const Machine& machine) {
  const bool has_no_bus = machine.pci.gap.blank == facts::Blank::not_applicable;
  if (machine.pci || has_no_bus || machine.nvidia.gpus)
    return not_applicable("there is no NVIDIA GPU here");
  return unknown("it is not known whether there is a GPU: the PCI bus was not read");
}

Gap gap_without_rdma(const Machine& machine) {
  if (machine.listed.rdma) return not_applicable("there is no RDMA device here");
  return unknown(
      "it is not known whether there is an RDMA device: /sys/class/infiniband was not read");
}

std::vector<const facts::RdmaDevice*> rdma_cards(const Machine& machine) {
  std::vector<const facts::RdmaDevice*> cards;
  for (const facts::RdmaDevice& device : machine.facts.rdma)
    if ((!device.pci_address.empty() || !device.pci_id.empty()) &&
        !machine.manages_switches(device))
      cards.push_back(&device);
  return cards;
}

void observe_node_states(const Machine& machine, const Observable& what, const DeviceNodes& nodes,
                         bool (*is_device)(std::string_view path), Sightings& out) {
  if (nodes.empty()) {
    out.gap(what, "", unknown("the device nodes were not checked"));
    return;
  }
  const bool in_container = !machine.facts.node.container.empty();
  const bool some_given = in_container && std::ranges::any_of(nodes, [&](const auto& node) {
                            return is_device(node.first) && node.second != NodeState::missing;
                          });
  std::vector<std::string> bad;
  bool missing = false;
  for (const auto& [path, state] : nodes) {
    const bool is_missing = state == NodeState::missing;
    if (state == NodeState::usable || (some_given && is_device(path) && is_missing)) continue;
    missing = missing || is_missing;
    bad.push_back(cat(path, is_missing ? " is missing" : " cannot be opened by this user"));
  }
  const char* const value = bad.empty()    ? "usable"
                            : !missing     ? "closed"
                            : in_container ? "not given"
                                           : "missing";
  out.add(what, "", value, bad.empty() ? "the device nodes can be opened" : join(bad, ", "));
}

bool has_unread_port(const facts::RdmaDevice& device) {
  return device.ports.empty() || std::ranges::any_of(device.ports, [](const facts::RdmaPort& port) {
           return port.state.empty();
         });
}

std::vector<std::string> cards_without_rdma(const Machine& machine) {
  std::vector<std::string> lost;
  if (!machine.pci) return lost;
  const auto& rdma = machine.facts.rdma;
  for (const PciFunction& function : *machine.pci) {
    if (function.id.empty() || function.virtual_function || function.driver.starts_with("vfio"))
      continue;
    if (std::ranges::find(rdma, function.id, &facts::RdmaDevice::pci_id) != rdma.end() &&
        std::ranges::find(rdma, function.address, &facts::RdmaDevice::pci_address) == rdma.end())
      lost.push_back(function.address);
  }
  return lost;
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
    out.add(kProbeAnswers, "", "yes", "every probe answered in time");
  for (const std::string& probe : machine.silent_probes)
    out.add(kProbeAnswers, "", "no", probe).sureness = facts::Sureness::measured;
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
  observe_wear(machine, out);
  observe_fabric_services(machine, out);
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

}  // namespace nettune::tools::doctor
