// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kContainerMemlock = observable("container.memlock");
const Observable kContainerNetwork = observable("container.network");
const Observable kContainerNuma = observable("container.numa");

}  // namespace

void observe_container(const Machine& machine, Sightings& out) {
  if (!machine.container) {
    for (const Observable& what : {kContainerNetwork, kContainerMemlock, kContainerNuma})
      out.gap(what, "", not_applicable("this is not a container"));
    return;
  }
  const Container& container = *machine.container;
  if (!container.own_network)
    out.gap(kContainerNetwork, "", container.own_network.gap);
  else
    out.add(kContainerNetwork, "", *container.own_network ? "own" : "fabric",
            *container.own_network
                ? "RDMA devices are in this container, but their interfaces are not"
                : "the interfaces of the RDMA devices are in this container");
  if (machine.facts.rdma.empty())
    out.gap(kContainerMemlock, "", gap_without_rdma(machine));
  else if (!container.memlock)
    out.gap(kContainerMemlock, "", container.memlock.gap);
  else
    out.add(kContainerMemlock, "", *container.memlock.value ? "limited" : "unlimited",
            *container.memlock.value
                ? cat("processes here may lock ", **container.memlock.value >> 10, " KiB at most")
                : std::string("processes here may lock any amount of memory"));
  if (has_no_gpu(machine))
    out.gap(kContainerNuma, "", gap_without_gpu(machine));
  else if (!container.numa_calls)
    out.gap(kContainerNuma, "", container.numa_calls.gap);
  else
    out.add(kContainerNuma, "", *container.numa_calls ? "allowed" : "denied",
            cat("get_mempolicy() is ", *container.numa_calls ? "allowed" : "denied", " here"));
}

}  // namespace nettune::tools::doctor
