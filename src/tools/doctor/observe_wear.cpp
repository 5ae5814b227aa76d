// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kGpuAnswers = observable("gpu.answers", "yes|lost|reset required|error|fewer");
const Observable kGpuClocks = observable("gpu.clocks", "equal|application|maximum");
const Observable kGpuEccCorrected = observable("gpu.ecc-corrected");
const Observable kGpuRetiredPages = observable("gpu.retired-pages");
const Observable kGpuRowBanks = observable("gpu.row-banks");

const auto kAnswersOfGpu = std::to_array<Observable>(
    {kGpuAnswers, kGpuRetiredPages, kGpuRowBanks, kGpuEccCorrected, kGpuClocks});

/// Questions that a GPU answers whatever its settings are, by the words of NVML's probe and of
/// nvidia-smi's XML.
constexpr auto kAlways = std::to_array<std::string_view>(
    {"pstate", "performance_state", "persistence", "persistence_mode", "compute-mode",
     "compute_mode", "power-limit-mw", "gpu_power_readings/current_power_limit", "link-width",
     "pci/pci_gpu_link_info/link_widths/current_link_width"});

/// What this GPU refuses and another of its model answers.
std::vector<std::string> refused_alone(const GpuState& gpu, const std::vector<GpuState>& all) {
  std::vector<std::string> alone;
  for (const auto& refused : gpu.refused) {
    const std::string& key = refused.first;
    const Answer answer = refused.second;
    if (answer == Answer::no_permission) continue;
    if (answer == Answer::not_supported && std::ranges::find(kAlways, key) == kAlways.end())
      continue;
    if (std::ranges::any_of(all, [&](const GpuState& other) {
          return &other != &gpu && other.name == gpu.name &&
                 other.answer < Answer::reset_required && !other.refused.contains(key);
        }))
      alone.push_back(cat(key, " (", answer_word(answer), ")"));
  }
  return alone;
}

class OfGpu {
 public:
  OfGpu(const GpuState& gpu, const std::vector<GpuState>& all, Sightings& out)
      : gpu_(gpu), all_(all), out_(out) {}

  void observe() {
    answers();
    if (gpu_.lost()) {
      for (const Observable& what : kAnswersOfGpu)
        if (what.name != kGpuAnswers.name) gap(what, unknown("the GPU is lost"));
      return;
    }
    pages();
    banks();
    corrected();
    clocks();
  }

 private:
  void add(const Observable& what, std::string value, std::string text) {
    auto& seen = out_.add(what, gpu_name(gpu_.pci_address), std::move(value), std::move(text));
    seen.concerns = {gpu_.pci_address};
    seen.sureness = facts::Sureness::measured;
  }
  void gap(const Observable& what, const Gap& why) {
    out_.gap(what, gpu_name(gpu_.pci_address), why).concerns = {gpu_.pci_address};
  }

  void answers() {
    const std::vector<std::string> alone = refused_alone(gpu_, all_);
    if (gpu_.answer >= Answer::reset_required)
      add(kGpuAnswers, std::string(answer_word(gpu_.answer)),
          gpu_.lost() ? "the driver has lost it" : "the driver says that it must be reset");
    else if (gpu_.refused.contains("handle"))
      add(kGpuAnswers, "error", "the driver does not give access to it");
    else if (!alone.empty())
      add(kGpuAnswers, "fewer",
          cat("it does not answer what others of its model do: ", join(alone, ", ")));
    else
      add(kGpuAnswers, "yes", "it answers as others of its model do");
  }

  void pages() {
    if (!gpu_.retired_pages)
      gap(kGpuRetiredPages, not_said(gpu_));
    else
      add(kGpuRetiredPages, std::to_string(*gpu_.retired_pages),
          cat(*gpu_.retired_pages, " pages of its memory were taken out of use"));
  }

  void banks() {
    if (!gpu_.banks_without_rows)
      gap(kGpuRowBanks, not_said(gpu_));
    else if (*gpu_.banks_without_rows == 0)
      add(kGpuRowBanks, "spare", "every memory bank has spare rows left");
    else
      add(kGpuRowBanks, "none",
          cat(*gpu_.banks_without_rows, " of its memory banks have no spare row left"));
  }

  void corrected() {
    const std::int64_t now = gpu_.ecc_corrected_later.value_or(gpu_.ecc_corrected.value_or(0));
    const std::string total = cat(now, " corrected memory errors since the driver was loaded");
    if (!gpu_.ecc_corrected)
      gap(kGpuEccCorrected, not_said(gpu_));
    else if (now > *gpu_.ecc_corrected)
      add(kGpuEccCorrected, "growing",
          cat(now - *gpu_.ecc_corrected, " more while doctor looked; ", total));
    else if (gpu_.ecc_corrected_later || now == 0)
      add(kGpuEccCorrected, "quiet", total);
    else
      gap(kGpuEccCorrected, unknown(cat(total, "; a single look cannot say when")));
  }

  void clocks() {
    std::int64_t application = 0;
    std::int64_t most = 0;
    for (const GpuState& other : all_) {
      if (&other == &gpu_ || other.name != gpu_.name) continue;
      application = std::max(application, other.application_mhz.value_or(0));
      most = std::max(most, other.most_mhz.value_or(0));
    }
    if (!gpu_.most_mhz && !gpu_.application_mhz)
      gap(kGpuClocks, not_said(gpu_));
    else if (application == 0 && most == 0)
      gap(kGpuClocks, not_applicable("no other GPU is like it"));
    else if (gpu_.most_mhz && *gpu_.most_mhz < most)
      add(kGpuClocks, "maximum",
          cat("its highest clock is ", *gpu_.most_mhz, " MHz, that of others ", most, " MHz"));
    else if (gpu_.application_mhz && *gpu_.application_mhz < application)
      add(kGpuClocks, "application",
          cat("its clock for applications is ", *gpu_.application_mhz, " MHz, that of others ",
              application, " MHz"));
    else
      add(kGpuClocks, "equal", "its clocks are set as those of others of its model");
  }

  const GpuState& gpu_;
  const std::vector<GpuState>& all_;
  Sightings& out_;
};

}  // namespace

Gap not_said(const GpuState& gpu) {
  if (gpu.answer == Answer::value) return not_applicable("this GPU does not report it");
  return unknown(cat("this GPU refuses answers: ", answer_word(gpu.answer)));
}

void observe_wear(const Machine& machine, Sightings& out) {
  const bool none = nvidia_gpus(machine).empty();
  if (none || !machine.nvidia.gpus) {
    for (const Observable& what : kAnswersOfGpu)
      out.gap(what, "", none ? gap_without_gpu(machine) : machine.nvidia.gpus.gap);
    return;
  }
  for (const GpuState& gpu : *machine.nvidia.gpus) OfGpu(gpu, *machine.nvidia.gpus, out).observe();
}

}  // namespace nettune::tools::doctor
