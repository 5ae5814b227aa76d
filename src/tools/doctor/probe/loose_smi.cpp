// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "tools/doctor/log_lines.hpp"
#include "tools/doctor/probe/loose.hpp"

namespace nettune::tools::doctor::probe {
namespace {

/// Reads the subset of XML that nvidia-smi writes: elements, attributes in double quotes, text.
/// Entities are not resolved, and elements that are nested too deeply are left out.
class XmlReader {
 public:
  /// Calls `open` and `close` with the path of elements ("nvidia_smi_log/gpu/pci/tx_util"), and
  /// with the text of elements without children.
  template <class Open, class Close>
  void read(std::string_view text, const Open& open, const Close& close) {
    std::vector<std::string> path;
    std::string_view content;
    constexpr std::size_t kDeepest = 32;
    while (true) {
      const auto begin = text.find('<');
      if (begin == std::string_view::npos) return;
      const auto end = text.find('>', begin);
      if (end == std::string_view::npos) return;
      content = text.substr(0, begin);
      std::string_view tag = text.substr(begin + 1, end - begin - 1);
      text.remove_prefix(end + 1);
      if (tag.empty() || tag.front() == '?' || tag.front() == '!') continue;
      if (tag.front() == '/') {
        if (path.empty()) return;
        close(join(path, "/"), trim(content));
        path.pop_back();
        continue;
      }
      const bool is_whole = tag.back() == '/';
      if (is_whole) tag.remove_suffix(1);
      const auto blank = tag.find(' ');
      if (path.size() >= kDeepest) return;
      path.emplace_back(tag.substr(0, blank));
      open(join(path, "/"), blank == std::string_view::npos ? "" : tag.substr(blank + 1));
      if (is_whole) path.pop_back();
    }
  }
};

/// The number before a unit: "131072 MiB", "16x", "700.00 W".
std::optional<double> leading_number(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789.");
  const std::string_view number = text.substr(0, end);
  const auto dot = number.find('.');
  const auto whole = parse_int(number.substr(0, dot));
  if (!whole) return std::nullopt;
  double value = static_cast<double>(*whole);
  if (dot != std::string_view::npos) {
    double unit = 0.1;
    for (const char c : number.substr(dot + 1)) {
      value += unit * (c - '0');
      unit /= 10;
    }
  }
  return value;
}

std::optional<int> leading_int(std::string_view text) {
  const auto number = leading_number(text);
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

std::optional<bool> yes_or_no(std::string_view text) {
  if (text == "Yes" || text == "Enabled" || text == "Active") return true;
  if (text == "No" || text == "Disabled" || text == "Not Active") return false;
  return std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string out = lower(text);
  std::ranges::replace(out, '_', ' ');
  return out;
}

int speed_of_generation(int generation) {
  static constexpr int kSpeeds[] = {0, 25, 50, 80, 160, 320, 640};
  return generation > 0 && generation < 7 ? kSpeeds[generation] : 0;
}

void take_reason(std::string_view key, GpuState& gpu, std::string_view value) {
  if (!gpu.throttle) gpu.throttle.emplace();
  if (value != "Active") return;
  if (key.ends_with("reason_hw_slowdown")) gpu.throttle->emplace_back("hw_slowdown");
  if (key.ends_with("reason_hw_thermal_slowdown")) gpu.throttle->emplace_back("hw_thermal");
  if (key.ends_with("reason_hw_power_brake_slowdown")) gpu.throttle->emplace_back("hw_power_brake");
  if (key.ends_with("reason_sw_thermal_slowdown")) gpu.throttle->emplace_back("sw_thermal");
}

void take_wear(std::string_view key, std::string_view value, GpuState& gpu) {
  const auto number = leading_number(value);
  if (!number) return;
  const auto count = static_cast<std::int64_t>(*number);
  if (key.starts_with("retired_pages/") && key.ends_with("/retired_count"))
    gpu.retired_pages = gpu.retired_pages.value_or(0) + count;
  if (key == "remapped_rows/row_remapper_histogram/row_remapper_histogram_none")
    gpu.banks_without_rows = count;
  if (key == "ecc_errors/volatile/sram_correctable" ||
      key == "ecc_errors/volatile/dram_correctable" ||
      key == "ecc_errors/volatile/single_bit/total")
    gpu.ecc_corrected = gpu.ecc_corrected.value_or(0) + count;
  if (key == "applications_clocks/graphics_clock") gpu.application_mhz = count;
  if (key == "max_clocks/sm_clock") gpu.most_mhz = count;
}

void take_memory(std::string_view key, std::string_view value, GpuState& gpu) {
  if (key.starts_with("ecc_errors/volatile/") &&
      key.find("uncorrectable") != std::string_view::npos) {
    if (const auto number = leading_number(value))
      gpu.ecc_uncorrected = gpu.ecc_uncorrected.value_or(0) + static_cast<std::int64_t>(*number);
  } else if (key == "ecc_errors/volatile/double_bit/total") {
    if (const auto number = leading_number(value))
      gpu.ecc_uncorrected = static_cast<std::int64_t>(*number);
  }
  if (key == "ecc_errors/aggregate/sram_threshold_exceeded") gpu.sram_threshold = yes_or_no(value);
  if (key == "remapped_rows/remapped_row_pending") gpu.remap_pending = yes_or_no(value);
  if (key == "remapped_rows/remapped_row_failure") gpu.remap_failure = yes_or_no(value);
  if (key == "retired_pages/pending_retirement" || key == "retired_pages/pending_blacklist")
    gpu.retired_pending = yes_or_no(value);
  take_wear(key, value, gpu);
  if (key == "bar1_memory_usage/total")
    if (const auto mib = leading_number(value)) gpu.bar1_mib = static_cast<std::int64_t>(*mib);
  if (key == "fb_memory_usage/total")
    if (const auto mib = leading_number(value)) gpu.memory_mib = static_cast<std::int64_t>(*mib);
}

void take_link_value(std::string_view key, std::string_view value, GpuState& gpu) {
  const auto number = leading_int(value);
  if (!number || !key.starts_with("pci/pci_gpu_link_info/")) return;
  if (!gpu.link) gpu.link.emplace();
  if (!gpu.max_link) gpu.max_link.emplace();
  if (key.ends_with("pcie_gen/max_link_gen"))
    gpu.max_link->speed_tenths = speed_of_generation(*number);
  if (key.ends_with("pcie_gen/current_link_gen"))
    gpu.link->speed_tenths = speed_of_generation(*number);
  if (key.ends_with("link_widths/max_link_width")) gpu.max_link->lanes = *number;
  if (key.ends_with("link_widths/current_link_width")) gpu.link->lanes = *number;
}

/// Whether the value is one that a GPU is judged by.
bool is_read(std::string_view key) {
  constexpr auto kRead = std::to_array<std::string_view>(
      {"product_name", "persistence_mode", "performance_state", "compute_mode",
       "ecc_errors/volatile/", "remapped_rows", "pci/pci_gpu_link_info/", "gpu_power_readings/",
       "power_readings/", "fb_memory_usage/", "bar1_memory_usage/", "max_clocks/", "fabric/"});
  return std::ranges::any_of(kRead, [&](std::string_view head) { return key.starts_with(head); });
}

/// `key` is the path below <gpu>.
void take_gpu_value(std::string_view key, std::string_view value, GpuState& gpu, Machine& machine) {
  if (value.empty()) return;
  const Answer answer = answer_of_word(value);
  // The status of the fabric is itself one of NVML's texts.
  const bool is_text = key == "fabric/status" && answer == Answer::error;
  if (answer != Answer::value && !is_text) {
    // Whatever fails about something that is not judged says nothing of the GPU.
    if (answer != Answer::error || is_read(key)) gpu.take(std::string(key), answer);
    return;
  }
  take_memory(key, value, gpu);
  take_link_value(key, value, gpu);
  if (key.find("_reasons/") != std::string_view::npos) take_reason(key, gpu, value);
  if (key == "product_name") gpu.name = std::string(value);
  if (key == "persistence_mode") gpu.persistence = yes_or_no(value);
  if (key == "utilization/gpu_util") gpu.utilisation = leading_int(value);
  if (key == "performance_state" && value.starts_with('P'))
    gpu.performance_state = leading_int(value.substr(1));
  if (key == "compute_mode") gpu.compute_mode = lower_case(value);
  if (key == "mig_mode/current_mig") gpu.mig = yes_or_no(value);
  if (key == "mig_mode/pending_mig") gpu.mig_pending = yes_or_no(value);
  if (key == "gpu_recovery_action") gpu.recovery_action = lower_case(value);
  if (key == "fabric/state") gpu.fabric_state = lower_case(value);
  if (key == "fabric/status") gpu.fabric_status = lower_case(value);
  if (key == "fabric/health/summary") gpu.fabric_health = lower_case(value);
  if (key == "gpu_virtualization_mode/virtualization_mode" && value == "Pass-Through")
    machine.virtual_machine = true;
  const bool power = key.starts_with("gpu_power_readings/") || key.starts_with("power_readings/");
  if (power && (key.ends_with("/current_power_limit") || key.ends_with("/power_limit")))
    gpu.power_limit_w = leading_number(value);
  if (power && key.ends_with("/default_power_limit"))
    gpu.default_power_limit_w = leading_number(value);
}

/// "Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error", beside the XML or in
/// its place.
void take_refusals(std::string_view text, std::vector<GpuState>& gpus) {
  constexpr std::string_view kHead = "Unable to determine the device handle for ";
  for (std::string_view line : split(text, '\n')) {
    const auto at = line.find(kHead);
    if (at == std::string_view::npos) continue;
    line = trim(line.substr(at + kHead.size()));
    if (line.starts_with("GPU")) line = trim(line.substr(3));
    const auto end = line.find(": ");
    if (end == std::string_view::npos) continue;
    gpus.emplace_back();
    gpus.back().pci_address = kernel_address(trim(line.substr(0, end)));
    gpus.back().take("handle", std::max(answer_of_word(line.substr(end + 2)), Answer::error));
  }
}

}  // namespace

void take_smi_xml(std::string_view text, Machine& machine) {
  constexpr std::string_view kGpu = "nvidia_smi_log/gpu";
  std::vector<GpuState> gpus;
  const auto open = [&](const std::string& path, std::string_view attributes) {
    if (path != kGpu) return;
    gpus.emplace_back();
    const auto begin = attributes.find('"');
    const auto end = attributes.rfind('"');
    if (begin != std::string_view::npos && end > begin)
      gpus.back().pci_address = kernel_address(attributes.substr(begin + 1, end - begin - 1));
  };
  const auto close = [&](const std::string& path, std::string_view value) {
    if (path == "nvidia_smi_log/driver_version") {
      machine.nvidia.driver_version = std::string(value);
      if (!machine.nvidia.module_version) machine.nvidia.module_version = std::string(value);
    }
    if (path == "nvidia_smi_log/cuda_version") {
      machine.nvidia.cuda_major = leading_int(value);
      if (const auto dot = value.find('.'); dot != std::string_view::npos)
        machine.nvidia.cuda_minor = leading_int(value.substr(dot + 1));
    }
    if (!gpus.empty() && path.starts_with(kGpu) && path.size() > kGpu.size() + 1)
      take_gpu_value(std::string_view(path).substr(kGpu.size() + 1), value, gpus.back(), machine);
  };
  XmlReader().read(text, open, close);
  take_refusals(text, gpus);
  if (!gpus.empty() || text.find("No devices were found") != std::string_view::npos)
    machine.nvidia.gpus = std::move(gpus);
}

void take_topology(std::string_view text, Machine& machine) {
  std::vector<std::string> columns;
  std::map<std::string, std::string> names;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = words(line);
    if (fields.empty() || line.starts_with('#')) continue;
    // "  NIC0: mlx5_0" of the legend.
    if (fields.size() == 2 && fields[0].starts_with("NIC") && fields[0].ends_with(':'))
      names[std::string(fields[0].substr(0, fields[0].size() - 1))] = std::string(fields[1]);
    if (columns.empty()) {
      for (const std::string_view field : fields) {
        if (field == "CPU") break;
        columns.emplace_back(field);
      }
      if (!fields[0].starts_with("GPU")) columns.clear();
      continue;
    }
    if (std::ranges::find(columns, fields[0]) == columns.end()) continue;
    for (std::size_t i = 0; i < columns.size() && i + 1 < fields.size(); ++i)
      if (fields[i + 1] != "X")
        machine.topology.push_back(
            {std::string(fields[0]), columns[i], std::string(fields[i + 1])});
  }
  for (TopologyCell& cell : machine.topology)
    if (const auto found = names.find(cell.to); found != names.end()) cell.to = found->second;
}

void take_smi_nvlink(std::string_view text, Machine& machine) {
  std::vector<GpuState> gpus = machine.nvidia.gpus.value.value_or(std::vector<GpuState>());
  GpuState* gpu = nullptr;
  std::size_t index = 0;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.starts_with("GPU ")) {
      const auto colon = line.find(": ");
      const auto end = line.find(" (UUID");
      if (index == gpus.size()) {
        gpus.emplace_back();
        gpus.back().pci_address =
            std::string(line.substr(4, colon == std::string_view::npos ? 0 : colon - 4));
      }
      gpu = &gpus[index++];
      if (gpu->name.empty() && colon != std::string_view::npos && end != std::string_view::npos)
        gpu->name = std::string(line.substr(colon + 2, end - colon - 2));
      gpu->nvlinks = gpu->nvlinks_up = 0;
    }
    if (!gpu) continue;
    if (line.starts_with("Link ")) {
      gpu->nvlinks = gpu->nvlinks.value_or(0) + 1;
      if (!is_like("*inactive*", line)) gpu->nvlinks_up = gpu->nvlinks_up.value_or(0) + 1;
    }
    // NVML does not count any in this case.
    if (is_like("*all links are inactive*", line)) gpu->nvlinks = 1;
  }
  if (!gpus.empty()) machine.nvidia.gpus = std::move(gpus);
}

/// U is up, D is down; X (disabled) and _ (none) do not count.
void take_dcgmi_nvlink(std::string_view text, Machine& machine) {
  std::vector<GpuState> gpus;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.starts_with("NvSwitches")) break;
    if (line.starts_with("gpuId ")) {
      gpus.emplace_back();
      gpus.back().pci_address = std::string(line.substr(6, line.find(':') - 6));
      // Only a link with a peer counts as down: DCGM distinguishes it from one that is off.
      gpus.back().name = "GPU with NVLink (SXM or bridge)";
    }
    const auto fields = words(line);
    const bool letters = !fields.empty() && std::ranges::all_of(fields, [](std::string_view field) {
      return field.size() == 1 && std::string_view("UDX_").find(field[0]) != std::string_view::npos;
    });
    if (gpus.empty() || !letters) continue;
    for (const std::string_view field : fields) {
      if (field != "U" && field != "D") continue;
      gpus.back().nvlinks = gpus.back().nvlinks.value_or(0) + 1;
      gpus.back().nvlinks_up = gpus.back().nvlinks_up.value_or(0) + (field == "U" ? 1 : 0);
    }
  }
  if (!gpus.empty() && !machine.nvidia.gpus) machine.nvidia.gpus = std::move(gpus);
}

}  // namespace nettune::tools::doctor::probe
