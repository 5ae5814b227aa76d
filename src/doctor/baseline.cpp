// SPDX-License-Identifier: Apache-2.0
#include "doctor/baseline.hpp"

#include "base/text.hpp"
#include "doctor/counters.hpp"

namespace nettune::doctor {

Baseline baseline_of(const Machine& machine) {
  Baseline baseline;
  auto& things = baseline.things;
  if (!machine.facts.node.kernel.empty()) things["kernel"] = machine.facts.node.kernel;
  if (machine.nvidia.module_version) things["nvidia module"] = *machine.nvidia.module_version;
  for (const std::string& gpu : nvidia_gpus(machine)) {
    const GpuState* const state = machine.find_gpu(gpu);
    const PciFunction* const function = machine.find_pci(gpu);
    things[gpu_name(gpu)] = cat(state ? state->name : "", state && state->lost ? " (lost)" : "",
                                function && function->now ? cat(" x", function->now->lanes) : "");
  }
  for (const facts::RdmaDevice& device : machine.facts.rdma) {
    things[cat("firmware of ", device.name)] = device.firmware;
    for (const facts::RdmaPort& port : device.ports)
      things[cat("rdma ", device.name, "/", port.number)] = cat(port.state, ", ", port.rate);
  }
  for (const facts::NetDevice& device : machine.facts.net) {
    if (!device.physical) continue;
    things[cat("interface ", device.name)] =
        cat("MTU ", device.mtu.value_or(0),
            device.speed_mbps ? cat(", ", *device.speed_mbps, " Mb/s") : "");
  }
  for (const PortState& port : machine.ports)
    for (const auto& [name, value] : port.counters)
      if (error_counter(name))
        baseline.counters[cat(port.device, "/", port.port, " ", name)] = value;
  return baseline;
}

void observe_baseline(const Baseline& before, const Machine& machine, Sightings& out) {
  const Baseline now = baseline_of(machine);
  for (const auto& [thing, was] : before.things) {
    const auto found = now.things.find(thing);
    if (found == now.things.end())
      out.add("baseline.present", thing, "gone", cat("it was there before: ", was));
    else
      out.add("baseline.same", thing, found->second == was ? "same" : "changed",
              found->second == was ? cat("it is ", was)
                                   : cat("it was ", was, ", it is ", found->second));
    if (found != now.things.end())
      out.add("baseline.present", thing, "present", "it is still there");
  }
  std::vector<std::string> grown;
  for (const auto& [counter, was] : before.counters) {
    const auto found = now.counters.find(counter);
    // A counter that fell was reset in between: its value is new.
    if (found == now.counters.end() || found->second == was) continue;
    grown.push_back(found->second > was ? cat(counter, " grew by ", found->second - was)
                                        : cat(counter, " was reset, and is ", found->second));
  }
  if (before.counters.empty())
    out.gap("baseline.counters", "", not_applicable("the baseline has no error counters"));
  else if (now.counters.empty())
    out.gap("baseline.counters", "", unknown("no counters were read"));
  else
    out.add("baseline.counters", "", grown.empty() ? "quiet" : "grown",
            grown.empty() ? "no error counter has grown since" : join(grown, ", "))
        .sureness = facts::Sureness::measured;
}

}  // namespace nettune::doctor
