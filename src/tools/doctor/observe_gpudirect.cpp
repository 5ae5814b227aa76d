// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/paths.hpp"

namespace nettune::tools::doctor {

const Observable kGdrGpu = observable("gdr.gpu");

namespace {

const Observable kGdrDistance = observable("gdr.distance");
const Observable kGdrPeerMemory =
    observable("gdr.peer-memory", "loaded|not-needed|absent|impossible");

/// Whether a card can access GPU memory, and how.
struct NicSide {
  std::optional<bool> can;
  std::string how;  ///< "peer memory", "DMA-BUF"; or why not
  Gap gap;
};

NicSide nic_side(const Machine& machine, const std::string& hca) {
  if (machine.peer_memory && *machine.peer_memory) return {true, "nvidia_peermem", {}};
  const auto verbs = std::ranges::find(machine.verbs, hca, &VerbsDevice::device);
  if (verbs == machine.verbs.end())
    return {std::nullopt, "", unknown(cat("whether ", hca, " supports DMA-BUF was not checked"))};
  if (!verbs->dmabuf) return {std::nullopt, "", verbs->dmabuf.gap};
  if (!*verbs->dmabuf)
    return {
        false,
        cat("nvidia_peermem is not loaded, and the driver of ", hca, " does not support DMA-BUF"),
        {}};
  if (!machine.nvidia.open_module)
    return {std::nullopt, "", unknown("it is not known which kind of nvidia module is loaded")};
  if (!*machine.nvidia.open_module)
    return {
        false,
        "nvidia_peermem is not loaded, and the proprietary nvidia module does not offer DMA-BUF",
        {}};
  return {true, "DMA-BUF", {}};
}

/// NCCL_NET_GDR_LEVEL by name; the default is PXB (src/graph/paths.cc, ncclTopoCheckGdr).
Distance farthest(const Machine& machine) {
  const auto set = machine.environment.find("NCCL_NET_GDR_LEVEL");
  if (set == machine.environment.end()) return Distance::pxb;
  return parse_distance(set->second).value_or(Distance::pxb);
}

std::vector<std::string> gpus_of(const Machine& machine) {
  std::vector<std::string> gpus = nvidia_gpus(machine);
  if (!gpus.empty()) return gpus;
  for (const TopologyCell& cell : machine.topology)
    if (cell.from.starts_with("GPU") && std::ranges::find(gpus, cell.from) == gpus.end())
      gpus.push_back(cell.from);
  return gpus;
}

void observe_gpu(const Machine& machine, const std::string& gpu, std::size_t index,
                 Sightings& out) {
  const std::string name = gpu.starts_with("GPU") ? gpu : gpu_name(gpu);
  std::optional<Gap> unseen;
  const std::vector<NearHca> near = near_hcas(machine, gpu, index, unseen);
  if (near.empty() || (unseen && near.front().distance > Distance::pxb)) {
    for (const Observable& what : {kGdrGpu, kGdrDistance})
      out.gap(what, name,
              unseen.value_or(not_applicable(
                  "there is no active HCA with a place of its own in the PCI tree")));
    return;
  }
  const NearHca& best = near.front();
  const std::string pair =
      cat("its nearest HCA is ", best.hca, " (", distance_text(best.distance), ")");
  const bool is_near = best.distance <= farthest(machine);
  facts::Observation& distance =
      out.add(kGdrDistance, name, is_near ? "near" : "far",
              is_near ? pair
                      : cat(pair, ", farther than ", distance_text(farthest(machine)),
                            ": NCCL does not use GPUDirect RDMA for it, or goes through a nearer "
                            "GPU with NVLink"));
  distance.sureness = facts::Sureness::inferred;
  distance.concerns = {best.hca, gpu};
  const NicSide side = nic_side(machine, best.hca);
  facts::Observation* seen = nullptr;
  if (!side.can)
    seen = &out.gap(kGdrGpu, name, side.gap);
  else if (*side.can)
    seen = &out.add(kGdrGpu, name, "yes", cat(pair, "; GPUDirect RDMA by ", side.how));
  else
    seen = &out.add(kGdrGpu, name, "no", cat(pair, "; ", side.how));
  seen->sureness = facts::Sureness::inferred;
  seen->concerns = {best.hca, gpu};
}

void observe_peer_memory(const Machine& machine, Sightings& out) {
  const bool all_take_dmabuf = !machine.verbs.empty() &&
                               machine.nvidia.open_module.value_or(false) &&
                               std::ranges::all_of(machine.verbs, [](const VerbsDevice& device) {
                                 return device.dmabuf.value.value_or(false);
                               });
  if (!machine.peer_memory)
    out.gap(kGdrPeerMemory, "", machine.peer_memory.gap);
  else if (*machine.peer_memory)
    out.add(kGdrPeerMemory, "", "loaded", "NCCL finds nvidia_peermem");
  else if (all_take_dmabuf)
    out.add(kGdrPeerMemory, "", "not-needed",
            "nvidia_peermem is not loaded, and DMA-BUF works without it");
  else if (!machine.peer_memory_possible)
    out.gap(kGdrPeerMemory, "", machine.peer_memory_possible.gap);
  else
    out.add(kGdrPeerMemory, "", *machine.peer_memory_possible ? "absent" : "impossible",
            *machine.peer_memory_possible
                ? "nvidia_peermem is not loaded, although the RDMA stack supports it"
                : "the RDMA stack of this kernel has no interface for nvidia_peermem, so only "
                  "DMA-BUF remains");
}

}  // namespace

void observe_gpudirect(const Machine& machine, Sightings& out) {
  const std::vector<std::string> gpus = gpus_of(machine);
  const bool any_hca = !rdma_cards(machine).empty() || !machine.topology.empty();
  if (gpus.empty() || !any_hca) {
    for (const Observable& what : {kGdrGpu, kGdrDistance, kGdrPeerMemory})
      out.gap(what, "", gpus.empty() ? gap_without_gpu(machine) : gap_without_rdma(machine));
    return;
  }
  observe_peer_memory(machine, out);
  for (std::size_t i = 0; i < gpus.size(); ++i) observe_gpu(machine, gpus[i], i, out);
}

}  // namespace nettune::tools::doctor
