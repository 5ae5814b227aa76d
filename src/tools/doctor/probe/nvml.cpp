// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <dlfcn.h>
#include <poll.h>

#include "base/text.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// The used part of NVML, declared here because its header is not free software. Only functions
/// whose arguments have not changed since driver 450.
namespace nvml {
using Device = void*;
using Return = int;
constexpr Return kSuccess = 0;
constexpr Return kInsufficientSize = 7;

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
/// nvmlRowRemapperHistogramValues_t: memory banks by how many spare rows they have left.
struct Histogram {
  unsigned max;
  unsigned high;
  unsigned partial;
  unsigned low;
  unsigned none;
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

  std::string run(int gap_ms) {
    const nvml::Return started = Call<>(library_, "nvmlInit_v2")();
    if (started != nvml::kSuccess) return cat("error ", error(started), "\n");
    system();
    unsigned count = 0;
    Call<unsigned*>(library_, "nvmlDeviceGetCount_v2")(&count);
    constexpr unsigned kMost = 64;
    for (unsigned i = 0; i < count && i < kMost; ++i) gpu(i);
    look_again(gap_ms);
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

  /// Whether there is a value; otherwise the answer is noted.
  bool has(const char* key, nvml::Return code) {
    const Answer answer = answer_of_code(code);
    if (answer == Answer::value) return true;
    tell("refuses", cat(key, " ", answer_word(answer)));
    return false;
  }

  template <class... Arguments>
  bool ask(const char* key, const char* function, Arguments... arguments) {
    return has(key, Call<Arguments...>(library_, function)(arguments...));
  }

  void number(const char* key, const char* function, nvml::Device device) {
    unsigned value = 0;
    if (ask(key, function, device, &value)) tell(key, value);
  }

  void gpu(unsigned index) {
    nvml::Device device = nullptr;
    const nvml::Return found =
        Call<unsigned, nvml::Device*>(library_, "nvmlDeviceGetHandleByIndex_v2")(index, &device);
    if (found != nvml::kSuccess) {
      text_ += cat("gpu unknown-", index, "\n");
      has("handle", found);
      return;
    }
    nvml::PciInfo pci{};
    const nvml::Return located =
        Call<nvml::Device, nvml::PciInfo*>(library_, "nvmlDeviceGetPciInfo_v3")(device, &pci);
    pci.address[sizeof pci.address - 1] = '\0';
    text_ += cat("gpu ", located == nvml::kSuccess ? pci.address : "unknown", "\n");
    has("address", located);
    devices_.emplace_back(device);
    char name[96] = "";
    if (ask("name", "nvmlDeviceGetName", device, &name[0], unsigned{sizeof name}))
      tell("name", std::string_view(name));
    int state = 0;
    if (ask("pstate", "nvmlDeviceGetPerformanceState", device, &state))
      tell("pstate", static_cast<unsigned long long>(state));
    unsigned use[2] = {0, 0};  // nvmlUtilization_t: GPU, memory
    if (ask("utilisation", "nvmlDeviceGetUtilizationRates", device, use))
      tell("utilisation", use[0]);
    memory(device);
    wear(device);
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

  void errors(const char* key, int kind, nvml::Device device) {
    constexpr int kVolatile = 0;
    unsigned long long count = 0;
    if (ask(key, "nvmlDeviceGetTotalEccErrors", device, kind, kVolatile, &count)) tell(key, count);
  }

  void memory(nvml::Device device) {
    errors("ecc-uncorrected", 1, device);
    errors("ecc-corrected", 0, device);
    unsigned corrected = 0;
    unsigned uncorrected = 0;
    unsigned pending = 0;
    unsigned failed = 0;
    if (ask("remapped-rows", "nvmlDeviceGetRemappedRows", device, &corrected, &uncorrected,
            &pending, &failed)) {
      tell("remap-pending", pending);
      tell("remap-failure", failed);
      tell("remapped-uncorrectable", uncorrected);
    }
    number("retired-pending", "nvmlDeviceGetRetiredPagesPendingStatus", device);
    nvml::Memory bar{};
    if (ask("bar1", "nvmlDeviceGetBAR1MemoryInfo", device, &bar)) tell("bar1-mib", bar.total >> 20);
  }

  void wear(nvml::Device device) {
    nvml::Histogram banks{};
    if (ask("row-histogram", "nvmlDeviceGetRowRemapperHistogram", device, &banks))
      tell("banks-without-rows", banks.none);
    // A buffer of none: the library says how many there are.
    unsigned pages = 0;
    bool known = true;
    for (const int cause : {0, 1}) {
      unsigned count = 0;
      const nvml::Return code = Call<nvml::Device, int, unsigned*, unsigned long long*>(
          library_, "nvmlDeviceGetRetiredPages")(device, cause, &count, nullptr);
      if (code != nvml::kInsufficientSize) known = has("retired-pages", code) && known;
      pages += count;
    }
    if (known) tell("retired-pages", pages);
    constexpr int kSm = 1;
    unsigned clock = 0;
    if (ask("application-mhz", "nvmlDeviceGetApplicationsClock", device, kSm, &clock))
      tell("application-mhz", clock);
    if (ask("most-mhz", "nvmlDeviceGetMaxClockInfo", device, kSm, &clock)) tell("most-mhz", clock);
  }

  /// The corrected errors again: only two looks have a rate.
  void look_again(int gap_ms) {
    if (gap_ms <= 0 || devices_.empty()) return;
    ::poll(nullptr, 0, gap_ms);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      tell("again", static_cast<unsigned long long>(i));
      errors("ecc-corrected-later", 0, devices_[i]);
    }
  }

  void modes(nvml::Device device) {
    unsigned now = 0;
    unsigned later = 0;
    if (ask("mig", "nvmlDeviceGetMigMode", device, &now, &later)) {
      tell("mig", now);
      tell("mig-pending", later);
    }
    unsigned long long reasons = 0;
    if (ask("throttle", "nvmlDeviceGetCurrentClocksThrottleReasons", device, &reasons))
      tell("throttle", reasons);
    nvml::FieldValue field{};
    field.field = nvml::kRecoveryField;
    if (ask("recovery", "nvmlDeviceGetFieldValues", device, 1, &field) &&
        has("recovery", field.result))
      tell("recovery", field.value.u);
  }

  void links(nvml::Device device) {
    constexpr unsigned kMostLinks = 18;
    unsigned links = 0;
    unsigned up = 0;
    const Call<nvml::Device, unsigned, unsigned*> link(library_, "nvmlDeviceGetNvLinkState");
    for (unsigned i = 0; i < kMostLinks; ++i) {
      unsigned active = 0;
      if (!has("nvlink", link(device, i, &active))) continue;
      ++links;
      up += active != 0 ? 1U : 0U;
    }
    if (links > 0) {
      tell("nvlinks", links);
      tell("nvlinks-up", up);
    }
    nvml::FabricInfo fabric{};
    if (ask("fabric", "nvmlDeviceGetGpuFabricInfo", device, &fabric)) {
      tell("fabric-state", fabric.state);
      tell("fabric-status", fabric.status == nvml::kSuccess ? "success" : error(fabric.status));
    }
  }

  void* library_;
  std::string text_;
  std::vector<nvml::Device> devices_;  ///< those with a handle, in order
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
constexpr std::array kSpeedsOfNvml = {0, 25, 50, 80, 160, 320, 640};

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
  else if (number > 0 && number < static_cast<std::int64_t>(kSpeedsOfNvml.size()))
    link->speed_tenths = kSpeedsOfNvml[static_cast<std::size_t>(number)];
}

void take_value(GpuState& gpu, std::string_view key, const std::string& value) {
  if (key == "name") gpu.name = value;
  if (key == "fabric-status")
    gpu.fabric_status = value == "success" ? value : cat("the error ", value);
  if (key == "refuses")
    if (const auto end = value.find(' '); end != std::string::npos)
      gpu.take(value.substr(0, end), answer_of_word(value.substr(end + 1)));
  const auto parsed = parse_int(value);
  if (!parsed || *parsed < 0) return;  // NVML's numbers are unsigned
  const std::int64_t number = *parsed;
  const bool on = number != 0;
  if (key == "lost") gpu.take("handle", Answer::lost);
  if (key == "ecc-corrected") gpu.ecc_corrected = number;
  if (key == "ecc-corrected-later") gpu.ecc_corrected_later = number;
  if (key == "retired-pages") gpu.retired_pages = number;
  if (key == "banks-without-rows") gpu.banks_without_rows = number;
  if (key == "application-mhz") gpu.application_mhz = number;
  if (key == "most-mhz") gpu.most_mhz = number;
  if (key == "utilisation") gpu.utilisation = static_cast<int>(number);
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

/// The place of the GPU that is number `wanted` of those with a handle; the end if there is none.
std::size_t with_handle(const std::vector<GpuState>& gpus, std::int64_t wanted) {
  for (std::size_t i = 0; i < gpus.size(); ++i)
    if (!gpus[i].refused.contains("handle") && wanted-- == 0) return i;
  return gpus.size();
}

}  // namespace

std::string ask_nvml(const std::string& library, int gap_ms) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return cat("error ", library, " cannot be loaded\n");
  return Asker(handle).run(gap_ms);
}

void parse_nvml(std::string_view text, Nvidia& nvidia) {
  std::vector<GpuState> gpus;
  std::size_t at = 0;
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
      at = gpus.size() - 1;
    } else if (key == "again") {
      at = with_handle(gpus, parse_int(value).value_or(-1));
    } else if (at < gpus.size()) {
      take_value(gpus[at], key, value);
    }
  }
  if (nvidia.nvml_error.empty() && nvidia.driver_version.empty() && gpus.empty())
    nvidia.gpus = unknown("NVML gave no answer");
  else if (nvidia.nvml_error.empty())
    nvidia.gpus = std::move(gpus);
  else
    nvidia.gpus = unknown(cat("NVML does not answer: ", nvidia.nvml_error));
}

}  // namespace nettune::tools::doctor::probe
