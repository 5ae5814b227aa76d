// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <dlfcn.h>

#include "base/text.hpp"
#include "doctor/probe/gather.hpp"

namespace nettune::doctor {
namespace {

/// The used part of NVML, declared here because its header is not free software. Only functions
/// whose arguments have not changed since driver 450.
namespace nvml {
using Device = void*;
using Return = int;
constexpr Return kSuccess = 0;
constexpr Return kLost = 15;

struct PciInfo {
  char legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned id;
  unsigned subsystem;
  char address[32];
};
struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct FabricInfo {
  unsigned char cluster[16];
  Return status;
  unsigned clique;
  unsigned char state;
};
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency;
  unsigned type;
  Return result;
  union {
    double d;
    unsigned u;
    unsigned long long ull;
  } value;
};
constexpr unsigned kRecoveryField = 230;  // NVML_FI_DEV_GET_GPU_RECOVERY_ACTION
}  // namespace nvml

/// One function of the library; if the library does not have it, its values are not known.
template <class... Arguments>
class Call {
 public:
  Call(void* library, const char* name)
      : call_(reinterpret_cast<nvml::Return (*)(Arguments...)>(::dlsym(library, name))) {}
  nvml::Return operator()(Arguments... arguments) const {
    constexpr nvml::Return kFunctionNotFound = 13;
    return call_ ? call_(arguments...) : kFunctionNotFound;
  }

 private:
  nvml::Return (*call_)(Arguments...);
};

class Asker {
 public:
  explicit Asker(void* library) : library_(library) {}

  std::string run() {
    const nvml::Return started = Call<>(library_, "nvmlInit_v2")();
    if (started != nvml::kSuccess) return cat("error ", error(started), "\n");
    system();
    unsigned count = 0;
    Call<unsigned*>(library_, "nvmlDeviceGetCount_v2")(&count);
    constexpr unsigned kMost = 64;
    for (unsigned i = 0; i < count && i < kMost; ++i) gpu(i);
    return text_;
  }

 private:
  std::string error(nvml::Return code) const {
    const auto text =
        reinterpret_cast<const char* (*)(nvml::Return)>(::dlsym(library_, "nvmlErrorString"));
    return text ? text(code) : std::to_string(code);
  }
  void tell(std::string_view key, std::string_view value) { text_ += cat(key, " ", value, "\n"); }
  void tell(std::string_view key, unsigned long long value) {
    tell(key, std::string_view(std::to_string(value)));
  }

  void system() {
    char version[96] = "";
    if (Call<char*, unsigned>(library_, "nvmlSystemGetDriverVersion")(version, sizeof version) ==
        nvml::kSuccess)
      tell("driver", std::string_view(version));
    int cuda = 0;
    if (Call<int*>(library_, "nvmlSystemGetCudaDriverVersion_v2")(&cuda) == nvml::kSuccess &&
        cuda > 0)
      tell("cuda", static_cast<unsigned long long>(cuda));
  }

  void number(const char* key, const char* function, nvml::Device device) {
    unsigned value = 0;
    if (Call<nvml::Device, unsigned*>(library_, function)(device, &value) == nvml::kSuccess)
      tell(key, value);
  }

  void gpu(unsigned index) {
    nvml::Device device = nullptr;
    const nvml::Return found =
        Call<unsigned, nvml::Device*>(library_, "nvmlDeviceGetHandleByIndex_v2")(index, &device);
    if (found != nvml::kSuccess) {
      text_ += cat("gpu unknown-", index, "\n");
      if (found == nvml::kLost) tell("lost", 1);
      return;
    }
    nvml::PciInfo pci{};
    const nvml::Return located =
        Call<nvml::Device, nvml::PciInfo*>(library_, "nvmlDeviceGetPciInfo_v3")(device, &pci);
    pci.address[sizeof pci.address - 1] = '\0';
    text_ += cat("gpu ", located == nvml::kSuccess ? pci.address : "unknown", "\n");
    char name[96] = "";
    const nvml::Return named = Call<nvml::Device, char*, unsigned>(library_, "nvmlDeviceGetName")(
        device, name, sizeof name);
    if (named == nvml::kSuccess) tell("name", std::string_view(name));
    int state = 0;
    const nvml::Return performs =
        Call<nvml::Device, int*>(library_, "nvmlDeviceGetPerformanceState")(device, &state);
    if (performs == nvml::kLost) tell("lost", 1);
    if (performs == nvml::kSuccess) tell("pstate", static_cast<unsigned long long>(state));
    memory(device);
    number("persistence", "nvmlDeviceGetPersistenceMode", device);
    number("compute-mode", "nvmlDeviceGetComputeMode", device);
    number("power-limit-mw", "nvmlDeviceGetEnforcedPowerLimit", device);
    number("default-power-limit-mw", "nvmlDeviceGetPowerManagementDefaultLimit", device);
    number("link-generation", "nvmlDeviceGetCurrPcieLinkGeneration", device);
    number("link-width", "nvmlDeviceGetCurrPcieLinkWidth", device);
    number("max-link-generation", "nvmlDeviceGetMaxPcieLinkGeneration", device);
    number("max-link-width", "nvmlDeviceGetMaxPcieLinkWidth", device);
    modes(device);
    links(device);
  }

  void memory(nvml::Device device) {
    constexpr int kUncorrected = 1;
    constexpr int kVolatile = 0;
    unsigned long long errors = 0;
    if (Call<nvml::Device, int, int, unsigned long long*>(library_, "nvmlDeviceGetTotalEccErrors")(
            device, kUncorrected, kVolatile, &errors) == nvml::kSuccess)
      tell("ecc-uncorrected", errors);
    unsigned corrected = 0;
    unsigned uncorrected = 0;
    unsigned pending = 0;
    unsigned failed = 0;
    if (Call<nvml::Device, unsigned*, unsigned*, unsigned*, unsigned*>(
            library_, "nvmlDeviceGetRemappedRows")(device, &corrected, &uncorrected, &pending,
                                                   &failed) == nvml::kSuccess) {
      tell("remap-pending", pending);
      tell("remap-failure", failed);
      tell("remapped-uncorrectable", uncorrected);
    }
    number("retired-pending", "nvmlDeviceGetRetiredPagesPendingStatus", device);
    nvml::Memory bar{};
    if (Call<nvml::Device, nvml::Memory*>(library_, "nvmlDeviceGetBAR1MemoryInfo")(device, &bar) ==
        nvml::kSuccess)
      tell("bar1-mib", bar.total >> 20);
  }

  void modes(nvml::Device device) {
    unsigned now = 0;
    unsigned later = 0;
    if (Call<nvml::Device, unsigned*, unsigned*>(library_, "nvmlDeviceGetMigMode")(
            device, &now, &later) == nvml::kSuccess) {
      tell("mig", now);
      tell("mig-pending", later);
    }
    unsigned long long reasons = 0;
    if (Call<nvml::Device, unsigned long long*>(
            library_, "nvmlDeviceGetCurrentClocksThrottleReasons")(device, &reasons) ==
        nvml::kSuccess)
      tell("throttle", reasons);
    nvml::FieldValue field{};
    field.field = nvml::kRecoveryField;
    if (Call<nvml::Device, int, nvml::FieldValue*>(library_, "nvmlDeviceGetFieldValues")(
            device, 1, &field) == nvml::kSuccess &&
        field.result == nvml::kSuccess)
      tell("recovery", field.value.u);
  }

  void links(nvml::Device device) {
    constexpr unsigned kMostLinks = 18;
    unsigned links = 0;
    unsigned up = 0;
    const Call<nvml::Device, unsigned, unsigned*> link(library_, "nvmlDeviceGetNvLinkState");
    for (unsigned i = 0; i < kMostLinks; ++i) {
      unsigned active = 0;
      if (link(device, i, &active) != nvml::kSuccess) continue;
      ++links;
      up += active != 0 ? 1U : 0U;
    }
    if (links > 0) {
      tell("nvlinks", links);
      tell("nvlinks-up", up);
    }
    nvml::FabricInfo fabric{};
    if (Call<nvml::Device, nvml::FabricInfo*>(library_, "nvmlDeviceGetGpuFabricInfo")(
            device, &fabric) == nvml::kSuccess) {
      tell("fabric-state", fabric.state);
      tell("fabric-status", fabric.status == nvml::kSuccess ? "success" : error(fabric.status));
    }
  }

  void* library_;
  std::string text_;
};

template <std::size_t N>
std::string word_of(const std::array<const char*, N>& words, std::int64_t number) {
  return number >= 0 && number < static_cast<std::int64_t>(N)
             ? words[static_cast<std::size_t>(number)]
             : std::to_string(number);
}

constexpr std::array kComputeModes = {"default", "exclusive thread", "prohibited",
                                      "exclusive process"};
constexpr std::array kRecoveries = {"none", "reset", "reboot", "drain p2p", "drain and reset"};
constexpr std::array kFabricStates = {"not supported", "not started", "in progress", "completed"};
/// The speeds of PCI Express by generation, in tenths of GT/s.
constexpr std::array kSpeeds = {0, 25, 50, 80, 160, 320, 640};

/// The bits of nvmlClocksThrottleReasons that mean neither load nor an administrator's choice.
std::vector<std::string> throttle_words(std::int64_t bits) {
  std::vector<std::string> reasons;
  if ((bits & 0x08) != 0) reasons.emplace_back("hw_slowdown");
  if ((bits & 0x20) != 0) reasons.emplace_back("sw_thermal");
  if ((bits & 0x40) != 0) reasons.emplace_back("hw_thermal");
  if ((bits & 0x80) != 0) reasons.emplace_back("hw_power_brake");
  return reasons;
}

void take_link(GpuState& gpu, std::string_view key, std::int64_t number) {
  std::optional<PciLink>& link = key.starts_with("max-") ? gpu.max_link : gpu.link;
  if (!link) link.emplace();
  if (key.ends_with("width"))
    link->lanes = static_cast<int>(number);
  else if (number > 0 && number < static_cast<std::int64_t>(kSpeeds.size()))
    link->speed_tenths = kSpeeds[static_cast<std::size_t>(number)];
}

void take_value(GpuState& gpu, std::string_view key, const std::string& value) {
  if (key == "name") gpu.name = value;
  if (key == "fabric-status")
    gpu.fabric_status = value == "success" ? value : cat("the error ", value);
  const auto parsed = parse_int(value);
  if (!parsed) return;
  const std::int64_t number = *parsed;
  const bool on = number != 0;
  if (key == "lost") gpu.lost = on;
  if (key == "pstate") gpu.performance_state = static_cast<int>(number);
  if (key == "ecc-uncorrected") gpu.ecc_uncorrected = number;
  if (key == "remap-pending") gpu.remap_pending = on;
  if (key == "remap-failure") gpu.remap_failure = on;
  if (key == "remapped-uncorrectable") gpu.remapped_uncorrectable = number;
  if (key == "retired-pending") gpu.retired_pending = on;
  if (key == "bar1-mib") gpu.bar1_mib = number;
  if (key == "persistence") gpu.persistence = on;
  if (key == "compute-mode") gpu.compute_mode = word_of(kComputeModes, number);
  if (key == "power-limit-mw") gpu.power_limit_w = static_cast<double>(number) / 1000;
  if (key == "default-power-limit-mw")
    gpu.default_power_limit_w = static_cast<double>(number) / 1000;
  if (key == "mig") gpu.mig = on;
  if (key == "mig-pending") gpu.mig_pending = on;
  if (key == "throttle") gpu.throttle = throttle_words(number);
  if (key == "recovery") gpu.recovery_action = word_of(kRecoveries, number);
  if (key == "nvlinks") gpu.nvlinks = static_cast<int>(number);
  if (key == "nvlinks-up") gpu.nvlinks_up = static_cast<int>(number);
  if (key == "fabric-state") gpu.fabric_state = word_of(kFabricStates, number);
  if (key.find("link-") != std::string_view::npos) take_link(gpu, key, number);
}

}  // namespace

std::string ask_nvml(const std::string& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return cat("error ", library, " cannot be loaded\n");
  return Asker(handle).run();
}

void parse_nvml(std::string_view text, Nvidia& nvidia) {
  std::vector<GpuState> gpus;
  for (const std::string_view line : split(text, '\n')) {
    const auto blank = line.find(' ');
    if (blank == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, blank);
    const std::string value(line.substr(blank + 1));
    if (key == "error") nvidia.nvml_error = value;
    if (key == "driver") nvidia.driver_version = value;
    if (key == "cuda") {
      const auto number = parse_int(value).value_or(0);
      nvidia.cuda_major = static_cast<int>(number / 1000);
      nvidia.cuda_minor = static_cast<int>(number % 1000 / 10);
    }
    if (key == "gpu") {
      gpus.emplace_back();
      gpus.back().pci_address = kernel_address(value);
    } else if (!gpus.empty()) {
      take_value(gpus.back(), key, value);
    }
  }
  if (nvidia.nvml_error.empty())
    nvidia.gpus = std::move(gpus);
  else
    nvidia.gpus = unknown(cat("NVML does not answer: ", nvidia.nvml_error));
}

}  // namespace nettune::doctor
