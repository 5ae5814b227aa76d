// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kGpuComputeMode = observable("gpu.compute-mode");
const Observable kGpuEcc = observable("gpu.ecc");
const Observable kGpuFabric = observable("gpu.fabric", "ready|not ready|rack not ready");
const Observable kGpuMig = observable("gpu.mig");
const Observable kGpuNvlink = observable("gpu.nvlink");
const Observable kGpuPersistence = observable("gpu.persistence");
const Observable kGpuPowerLimit = observable("gpu.power-limit");
const Observable kGpuRecovery =
    observable("gpu.recovery", "none|reset|reboot|drain p2p|drain and reset");
const Observable kGpuRowRemap = observable("gpu.row-remap");
const Observable kGpuRowRemapPending = observable("gpu.row-remap-pending");
const Observable kGpuThrottle =
    observable("gpu.throttle", "none|software|hardware|heat|power brake");

const auto kPerGpu = std::to_array<Observable>(
    {kGpuEcc, kGpuRowRemap, kGpuRowRemapPending, kGpuThrottle, kGpuPersistence, kGpuComputeMode,
     kGpuMig, kGpuRecovery, kGpuPowerLimit, kGpuNvlink, kGpuFabric});

/// Observations of one GPU.
class GpuSightings {
 public:
  GpuSightings(const GpuState& gpu, Sightings& out) : gpu_(gpu), out_(out) {}

  void add(const Observable& what, std::string value, std::string text) {
    auto& seen = out_.add(what, gpu_name(gpu_.pci_address), std::move(value), std::move(text));
    seen.concerns = {gpu_.pci_address};
    seen.sureness = facts::Sureness::measured;
  }
  void gap(const Observable& what, const Gap& gap) {
    out_.gap(what, gpu_name(gpu_.pci_address), gap).concerns = {gpu_.pci_address};
  }

 private:
  const GpuState& gpu_;
  Sightings& out_;
};

void observe_memory(const GpuState& gpu, GpuSightings& out) {
  if (!gpu.ecc_uncorrected && !gpu.sram_threshold)
    out.gap(kGpuEcc, not_said(gpu));
  else if (gpu.sram_threshold.value_or(false))
    out.add(kGpuEcc, "1000000", "its SRAM error threshold is exceeded");
  else
    out.add(kGpuEcc, std::to_string(gpu.ecc_uncorrected.value_or(0)),
            cat(gpu.ecc_uncorrected.value_or(0),
                " uncorrectable memory errors since the driver was loaded"));
  if (!gpu.remap_failure)
    out.gap(kGpuRowRemap, not_said(gpu));
  else
    out.add(kGpuRowRemap, *gpu.remap_failure ? "failed" : "good",
            *gpu.remap_failure ? "no spare row was left for a row with errors"
                               : "no row remapping has failed");
  if (!gpu.remap_pending && !gpu.retired_pending)
    out.gap(kGpuRowRemapPending, not_said(gpu));
  else {
    const bool pending = gpu.remap_pending.value_or(false) || gpu.retired_pending.value_or(false);
    out.add(kGpuRowRemapPending, pending ? "pending" : "none",
            pending ? "memory is due to be taken out of use at the next reset"
                    : "no memory is due to be taken out of use");
  }
}

/// What the hardware throttles for: the first of its reasons that says so.
std::string_view hardware_word(const std::vector<std::string>& reasons) {
  const auto has = [&](const char* reason) {
    return std::ranges::find(reasons, reason) != reasons.end();
  };
  return has("hw_power_brake") ? "power brake" : has("hw_thermal") ? "heat" : "hardware";
}

/// The share of its default limit below which a GPU is held far below its speed.
constexpr double kFarBelow = 0.75;

void observe_speed(const GpuState& gpu, GpuSightings& out) {
  if (!gpu.throttle)
    out.gap(kGpuThrottle, not_said(gpu));
  else {
    std::vector<std::string> hardware;
    std::vector<std::string> software;
    for (const std::string& reason : *gpu.throttle) {
      if (reason.starts_with("hw_")) hardware.push_back(reason);
      if (reason == "sw_thermal") software.push_back(reason);
    }
    out.add(kGpuThrottle,
            !hardware.empty()   ? std::string(hardware_word(hardware))
            : !software.empty() ? "software"
                                : "none",
            hardware.empty() && software.empty()
                ? "nothing but its load limits its clocks"
                : cat("its clocks are throttled: ",
                      join(hardware.empty() ? software : hardware, ", ")));
  }
  if (!gpu.power_limit_w || !gpu.default_power_limit_w)
    out.gap(kGpuPowerLimit, not_said(gpu));
  else {
    const double share = *gpu.power_limit_w / std::max(*gpu.default_power_limit_w, 1.0);
    out.add(kGpuPowerLimit,
            share < kFarBelow ? "far below"
            : share < 0.98    ? "lowered"
                              : "default",
            cat("its power limit is ", static_cast<int>(*gpu.power_limit_w), " W, by default ",
                static_cast<int>(*gpu.default_power_limit_w), " W"));
  }
}

void observe_modes(const GpuState& gpu, GpuSightings& out) {
  if (!gpu.persistence)
    out.gap(kGpuPersistence, not_said(gpu));
  else
    out.add(kGpuPersistence, *gpu.persistence ? "on" : "off",
            cat("persistence mode is ", *gpu.persistence ? "on" : "off"));
  if (gpu.compute_mode.empty())
    out.gap(kGpuComputeMode, not_said(gpu));
  else
    out.add(kGpuComputeMode, gpu.compute_mode, cat("its compute mode is ", gpu.compute_mode));
  if (!gpu.mig)
    out.gap(kGpuMig, not_said(gpu));
  else
    out.add(
        kGpuMig, *gpu.mig ? "on" : "off",
        cat("MIG is ", *gpu.mig ? "on" : "off",
            gpu.mig_pending && *gpu.mig_pending != *gpu.mig ? ", and will change at the next reset"
                                                            : ""));
  if (gpu.recovery_action.empty())
    out.gap(kGpuRecovery, not_said(gpu));
  else
    out.add(kGpuRecovery, gpu.recovery_action,
            cat("the driver asks for this recovery action: ", gpu.recovery_action));
}

/// How many links should be up: what somebody says; all of a GPU that is soldered to a board with
/// NVLink; for others (cards with bridges, a GH200 that has only its own CPU), as many as other
/// ones of the model have.
int expected_nvlinks(const GpuState& gpu, const std::vector<GpuState>& all, const Owed& owed) {
  if (owed.nvlinks) return *owed.nvlinks;
  for (const char* const word : {"SXM", "HGX", "HBM3", "GB200", "GB300", "B200", "B300"})
    if (gpu.name.find(word) != std::string::npos) return gpu.nvlinks.value_or(0);
  int most = 0;
  for (const GpuState& other : all)
    if (other.name == gpu.name) most = std::max(most, other.nvlinks_up.value_or(0));
  return most;
}

void observe_nvlink(const GpuState& gpu, const std::vector<GpuState>& all, const Owed& owed,
                    GpuSightings& out) {
  if (!gpu.nvlinks || !gpu.nvlinks_up || *gpu.nvlinks == 0) {
    out.gap(kGpuNvlink,
            gpu.answer == Answer::value ? not_applicable("it reports no NVLink") : not_said(gpu));
    return;
  }
  const int expected = expected_nvlinks(gpu, all, owed);
  if (expected == 0)
    out.gap(kGpuNvlink,
            not_applicable("no NVLink is up on any GPU of its kind: no bridge is fitted"));
  else
    out.add(kGpuNvlink, *gpu.nvlinks_up >= expected ? "full" : "missing",
            cat(*gpu.nvlinks_up, " of ", expected, " NVLinks are up"));
}

void observe_fabric(const GpuState& gpu, GpuSightings& out) {
  if (gpu.fabric_state.empty() || gpu.fabric_state == "not supported") {
    out.gap(kGpuFabric, not_applicable("it is not part of an NVLink fabric"));
    return;
  }
  const bool complete = gpu.fabric_state == "completed";
  const bool success = gpu.fabric_status.empty() || gpu.fabric_status == "success";
  const bool healthy = gpu.fabric_health.empty() || gpu.fabric_health == "healthy";
  // The switches of a rack are outside the node, and so is what set them up.
  const bool in_rack =
      gpu.name.find("GB200") != std::string::npos || gpu.name.find("GB300") != std::string::npos;
  out.add(kGpuFabric,
          complete && success && healthy ? "ready"
          : in_rack                      ? "rack not ready"
                                         : "not ready",
          cat("its NVLink fabric is ", gpu.fabric_state,
              success ? "" : cat(" with ", gpu.fabric_status),
              healthy ? "" : cat(", ", gpu.fabric_health)));
}

}  // namespace

void observe_gpus(const Machine& machine, Sightings& out) {
  if (nvidia_gpus(machine).empty()) {
    for (const Observable& what : kPerGpu) out.gap(what, "", gap_without_gpu(machine));
    return;
  }
  if (!machine.nvidia.gpus) {
    for (const Observable& what : kPerGpu) out.gap(what, "", machine.nvidia.gpus.gap);
    return;
  }
  for (const GpuState& gpu : *machine.nvidia.gpus) {
    GpuSightings sightings(gpu, out);
    if (gpu.lost()) {
      for (const Observable& what : kPerGpu) sightings.gap(what, unknown("the GPU is lost"));
      continue;
    }
    observe_memory(gpu, sightings);
    observe_speed(gpu, sightings);
    observe_modes(gpu, sightings);
    observe_nvlink(gpu, *machine.nvidia.gpus, machine.owed, sightings);
    observe_fabric(gpu, sightings);
  }
}

}  // namespace nettune::tools::doctor
