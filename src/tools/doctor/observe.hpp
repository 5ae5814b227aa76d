// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/doctor/machine.hpp"

namespace nettune::tools::doctor {

/// Everything that rules can judge about a machine, in the order of the areas below.
std::vector<facts::Observation> observe(const Machine& machine);

using facts::Observable;

/// Declares what a file observes, beside the code that does. All that is declared is what rules may
/// look at, so no rule can wait for something that nothing observes.
Observable observable(std::string_view name, std::string_view values = {}) noexcept;
/// All of these, and those of facts/observe.hpp.
std::vector<Observable> all_observables();

/// Collects observations.
class Sightings {
 public:
  facts::Observation& add(const Observable& what, std::string device, std::string value,
                          std::string text);
  /// Adds an observation without a value.
  facts::Observation& gap(const Observable& what, std::string device, const Gap& gap);
  std::vector<facts::Observation> take() { return std::move(all_); }

 private:
  std::vector<facts::Observation> all_;
};

// What more than one file names.
extern const Observable kGdrGpu;          // observe_gpudirect.cpp
extern const Observable kGlooAddress;     // observe_names.cpp
extern const Observable kNcclInterface;   // observe_network.cpp
extern const Observable kNcclTurnedOff;   // observe_variables.cpp
extern const Observable kNcclVariable;    // observe_variables.cpp
extern const Observable kProfileMatches;  // fix.cpp
extern const Observable kProfileSetting;  // fix.cpp
extern const Observable kRdmaCeiling;     // observe_ceiling.cpp
extern const Observable kRdmaPort;        // observe_rdma.cpp
extern const Observable kRendezvousHost;  // observe_names.cpp

// Each observes one area.
void observe_names(const Machine& machine, Sightings& out);      // observe_names.cpp
void observe_network(const Machine& machine, Sightings& out);    // observe_network.cpp
void observe_limits(const Machine& machine, Sightings& out);     // observe_limits.cpp
void observe_rdma(const Machine& machine, Sightings& out);       // observe_rdma.cpp
void observe_roce(const Machine& machine, Sightings& out);       // observe_roce.cpp
void observe_counters(const Machine& machine, Sightings& out);   // observe_counters.cpp
void observe_ceiling(const Machine& machine, Sightings& out);    // observe_ceiling.cpp
void observe_pci(const Machine& machine, Sightings& out);        // observe_pci.cpp
void observe_paths(const Machine& machine, Sightings& out);      // observe_paths.cpp
void observe_gpudirect(const Machine& machine, Sightings& out);  // observe_gpudirect.cpp
void observe_driver(const Machine& machine, Sightings& out);     // observe_driver.cpp
void observe_gpus(const Machine& machine, Sightings& out);       // observe_gpus.cpp
void observe_wear(const Machine& machine, Sightings& out);       // observe_wear.cpp
void observe_fabric_services(const Machine& machine,
                             Sightings& out);                      // observe_fabric.cpp
void observe_xids(const Machine& machine, Sightings& out);         // xid.cpp
void observe_flaps(const Machine& machine, Sightings& out);        // flaps.cpp
void observe_host(const Machine& machine, Sightings& out);         // observe_host.cpp
void observe_versions(const Machine& machine, Sightings& out);     // observe_versions.cpp
void observe_job(const Machine& machine, Sightings& out);          // ras.cpp
void observe_cards(const Machine& machine, Sightings& out);        // observe_cards.cpp
void observe_statistics(const Machine& machine, Sightings& out);   // observe_statistics.cpp
void observe_container(const Machine& machine, Sightings& out);    // observe_container.cpp
void observe_job_process(const Machine& machine, Sightings& out);  // observe_job_process.cpp
void observe_peer(const Machine& machine, Sightings& out);         // observe_peer.cpp

// Helpers for several areas.
bool is_loopback(const std::string& address);
bool is_link_local(const std::string& address);
/// "10.0.0.1" of "10.0.0.1/24".
std::string without_prefix(const std::string& address);
/// "GPU 0000:19:00.0"
std::string gpu_name(const std::string& pci_address);
/// Why a GPU has no value for something.
Gap not_said(const GpuState& gpu);
/// The NVIDIA GPUs on the PCI bus; if it was not read, those of NVML.
std::vector<std::string> nvidia_gpus(const Machine& machine);
/// Why a GPU with a slow PCIe link need not be at fault: it is idle, or that is not known. Nothing
/// if kernels run on it, or if an idle GPU of its model runs at `full_tenths`. Only the speed
/// sleeps, not the width.
std::optional<Gap> may_sleep(const Machine& machine, const std::string& gpu, int speed_tenths,
                             int full_tenths);
/// True only if the PCI bus was read and has no GPU of any make, and NVML has none.
bool has_no_gpu(const Machine& machine);
/// Why rows of GPUs, or of RDMA devices, have no value where none is known: there is none, or they
/// were not listed.
Gap gap_without_gpu(const Machine& machine);
Gap gap_without_rdma(const Machine& machine);
/// The RDMA devices that are hardware and rails. Software devices, and the functions that manage
/// NVSwitches, are not judged.
std::vector<const facts::RdmaDevice*> rdma_cards(const Machine& machine);
/// Observes whether device nodes can be opened; `is_device` tells those of single devices, of which
/// a container has only what it was given, while /proc and sysfs show all of the host.
void observe_node_states(const Machine& machine, const Observable& what, const DeviceNodes& nodes,
                         bool (*is_device)(std::string_view path), Sightings& out);
/// True if the state of some of its ports was not read.
bool has_unread_port(const facts::RdmaDevice& device);
/// PCI functions like those of RDMA devices here that show none: a driver that did not take them,
/// or a recording that lacks them. Not those that were given to guests.
std::vector<std::string> cards_without_rdma(const Machine& machine);
const PortState* find_port(const Machine& machine, const std::string& device, int port);

}  // namespace nettune::tools::doctor
