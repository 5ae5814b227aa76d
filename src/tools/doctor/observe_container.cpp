// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {

void observe_container(const Machine& machine, Sightings& out) {
  if (!machine.container) {
    for (const char* const what : {"container.network", "container.memlock", "container.numa"})
      out.gap(what, "", not_applicable("this is not a container"));
    return;
  }
  const Container& container = *machine.container;
  if (!container.own_network)
    out.gap("container.network", "", container.own_network.gap);
  else
    out.add("container.network", "", *container.own_network ? "own" : "fabric",
            *container.own_network
                ? "RDMA devices are in this container, but their interfaces are not"
                : "the interfaces of the RDMA devices are in this container");
  if (machine.facts.rdma.empty())
    out.gap("container.memlock", "", gap_without_rdma(machine));
  else if (!container.memlock)
    out.gap("container.memlock", "", container.memlock.gap);
  else
    out.add("container.memlock", "", *container.memlock.value ? "limited" : "unlimited",
            *container.memlock.value
                ? cat("processes here may lock ", **container.memlock.value >> 10, " KiB at most")
                : std::string("processes here may lock any amount of memory"));
  if (has_no_gpu(machine))
    out.gap("container.numa", "", gap_without_gpu(machine));
  else if (!container.numa_calls)
    out.gap("container.numa", "", container.numa_calls.gap);
  else
    out.add("container.numa", "", *container.numa_calls ? "allowed" : "denied",
            cat("get_mempolicy() is ", *container.numa_calls ? "allowed" : "denied", " here"));
}

}  // namespace nettune::tools::doctor
