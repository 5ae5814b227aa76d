// SPDX-License-Identifier: Apache-2.0
#include "facts/platform.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "base/text.hpp"
#include "facts/parts.hpp"

namespace nettune::facts {
namespace {

constexpr const char* kCpu = "sys/devices/system/cpu/";

/// Firmware that nobody filled in says so in many words.
std::string dmi(const kernel::Directory& root, const char* name) {
  constexpr auto kFillers = std::to_array<std::string_view>(
      {"To Be Filled By O.E.M.", "To be filled by O.E.M.", "Default string", "Not Specified",
       "Not Applicable", "N/A", "System Product Name", "Unknown", "None"});
  const std::string text = root.line(cat("sys/class/dmi/id/", name)).value_or("");
  return std::ranges::find(kFillers, text) == kFillers.end() ? text : std::string();
}

void read_firmware(const kernel::Directory& root, Platform& platform) {
  platform.vendor = dmi(root, "sys_vendor");
  platform.product = dmi(root, "product_name");
  platform.board_vendor = dmi(root, "board_vendor");
  platform.board = dmi(root, "board_name");
  platform.bios_vendor = dmi(root, "bios_vendor");
  platform.bios_version = dmi(root, "bios_version");
  platform.bios_date = dmi(root, "bios_date");
  platform.controller_firmware = dmi(root, "ec_firmware_release");
}

/// "name : value" in the lines of the first CPU.
std::string cpuinfo_value(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == name)
      return std::string(trim(line.substr(colon + 1)));
  }
  return {};
}

void read_cpu(const kernel::Directory& root, Platform& platform) {
  constexpr std::size_t kLargest = std::size_t{16} << 20;  // some kilobytes for each CPU
  const auto cpuinfo = root.read("proc/cpuinfo", kLargest);
  const std::string first = cpuinfo ? cpuinfo->substr(0, cpuinfo->find("\n\n")) : std::string();
  platform.cpu_model = cpuinfo_value(first, "model name");
  if (platform.cpu_model.empty()) {
    const std::string maker = cpuinfo_value(first, "CPU implementer");
    const std::string part = cpuinfo_value(first, "CPU part");
    if (!maker.empty() && !part.empty()) platform.cpu_model = cat("ARM ", maker, " ", part);
  }
  platform.microcode = root.line(cat(kCpu, "cpu0/microcode/version")).value_or("");
  if (platform.microcode.empty()) platform.microcode = cpuinfo_value(first, "microcode");
  std::set<std::string> governors;
  for (const std::string& policy : root.list(cat(kCpu, "cpufreq")))
    if (policy.starts_with("policy"))
      if (const auto governor = root.line(cat(kCpu, "cpufreq/", policy, "/scaling_governor")))
        governors.insert(*governor);
  platform.governor = join(std::vector<std::string>(governors.begin(), governors.end()), ", ");
  platform.cpufreq_driver = root.line(cat(kCpu, "cpufreq/policy0/scaling_driver")).value_or("");
}

void read_idle(const kernel::Directory& root, Platform& platform) {
  platform.cpuidle_driver = root.line(cat(kCpu, "cpuidle/current_driver")).value_or("");
  platform.cpuidle_governor = root.line(cat(kCpu, "cpuidle/current_governor_ro")).value_or("");
  if (platform.cpuidle_governor.empty())
    platform.cpuidle_governor = root.line(cat(kCpu, "cpuidle/current_governor")).value_or("");
  const auto states = root.entries(cat(kCpu, "cpu0/cpuidle"));
  if (!states) return;
  platform.idle_states.emplace();
  for (const std::string& state : *states) {
    const std::string path = cat(kCpu, "cpu0/cpuidle/", state);
    const auto name = root.line(path + "/name");
    const auto disabled = root.number(path + "/disable");
    // Half a list would make the rest look disabled.
    if (!name || !disabled) return platform.idle_states.reset();
    if (*disabled == 0) platform.idle_states->push_back(*name);
  }
}

/// The size of a memory device (SMBIOS 3.7, 7.18) is not zero if its slot is populated.
std::optional<int> count_dimms(const kernel::Directory& root) {
  constexpr std::size_t kLargest = 4096;
  constexpr std::size_t kSize = 0x0c;
  int count = 0;
  bool any = false;
  for (const std::string& entry : root.list("sys/firmware/dmi/entries")) {
    if (!entry.starts_with("17-")) continue;
    const auto raw = root.read(cat("sys/firmware/dmi/entries/", entry, "/raw"), kLargest);
    if (!raw || raw->size() < kSize + 2) return std::nullopt;
    any = true;
    if ((*raw)[kSize] != 0 || (*raw)[kSize + 1] != 0) ++count;
  }
  return any ? std::optional(count) : std::nullopt;
}

void read_memory(const kernel::Directory& root, Platform& platform) {
  // "MemTotal:       2113420812 kB" is the first line.
  const std::string line = root.line("proc/meminfo").value_or("");
  const auto fields = words(line);
  if (fields.size() == 3 && fields[0] == "MemTotal:")
    if (const auto size = parse_int(fields[1]); size && *size > 0 && *size >> 10 < 1 << 30)
      platform.memory_mib = static_cast<int>(*size >> 10);
  platform.dimms = count_dimms(root);
}

/// Options that have a value of their own on each machine, or that may hold a secret.
bool is_of_one_machine(std::string_view name, std::string_view value) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"BOOT_IMAGE", "initrd", "root",   "resume",  "resume_offset", "crypt_root", "cryptdevice",
       "luks",       "ip",     "ifname", "bootdev", "BOOTIF",        "nfsroot",    "hostname",
       "ds",         "url",    "ks",     "fetch",   "live-netdev",   "zfs"});
  constexpr auto kFamilies = std::to_array<std::string_view>(
      {"rd.luks", "luks.", "rd.lvm", "rd.md", "rd.iscsi", "rd.znet", "iscsi", "systemd.hostname",
       "systemd.machine_id", "systemd.set_credential", "systemd.random_seed"});
  const auto is_hex = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  // UUID=4bd1c60e-..., a MAC, a URL
  const bool is_id = value.find("UUID=") != std::string_view::npos ||
                     value.find("://") != std::string_view::npos ||
                     (value.size() >= 16 && std::ranges::all_of(value, [&](char c) {
                        return is_hex(c) || c == '-' || c == ':';
                      }));
  return is_id || std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kFamilies, [&](auto family) { return name.starts_with(family); });
}

std::optional<std::vector<KernelOption>> read_options(const kernel::Directory& root) {
  const auto line = root.line("proc/cmdline");
  if (!line) return std::nullopt;
  std::vector<KernelOption> options;
  for (const std::string_view word : words(*line)) {
    if (word == "--") break;  // the rest is for init
    const auto equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    if (is_of_one_machine(name, value)) continue;
    const auto same = std::ranges::find(options, name, &KernelOption::name);
    if (same == options.end())
      options.push_back({std::string(name), std::string(value)});
    else
      same->value += cat(" ", value);
  }
  std::ranges::sort(options, {}, &KernelOption::name);
  return options;
}

}  // namespace

Iommu read_iommu(const kernel::Directory& root) {
  Iommu iommu;
  if (!root.exists("sys/class")) return iommu;
  iommu.on = !root.list("sys/class/iommu").empty();
  for (const std::string& group : root.list("sys/kernel/iommu_groups"))
    if (const auto type = root.line(cat("sys/kernel/iommu_groups/", group, "/type")))
      ++iommu.groups[*type];
  return iommu;
}

std::string iommu_mode(const Iommu& iommu) {
  if (!iommu.on) return {};
  if (!*iommu.on) return "off";
  const bool translates =
      iommu.groups.empty() || std::ranges::any_of(iommu.groups, [](const auto& group) {
        return group.first.starts_with("DMA");
      });
  return translates ? "translating" : "passthrough";
}

std::optional<std::string> driver_version(const kernel::Directory& root,
                                          const std::string& driver) {
  const std::string module = cat("sys/module/", driver);
  if (driver.empty() || !root.exists(module)) return std::nullopt;
  return root.line(module + "/version").value_or(kOwnDriver);
}

std::string read_bmc_firmware(const kernel::Directory& root) {
  return root.line("sys/devices/platform/ipmi_bmc.0/firmware_revision").value_or("");
}

Platform read_platform(const kernel::Directory& root) {
  Platform platform;
  read_firmware(root, platform);
  read_cpu(root, platform);
  read_idle(root, platform);
  read_memory(root, platform);
  platform.iommu = iommu_mode(read_iommu(root));
  platform.kernel_options = read_options(root);
  return platform;
}

}  // namespace nettune::facts
