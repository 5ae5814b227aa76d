// SPDX-License-Identifier: Apache-2.0
#include <sys/timex.h>

#include "base/text.hpp"
#include "facts/platform.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

constexpr std::size_t kLargestProc = std::size_t{16} << 20;

Known<std::string> read_line(const Directory& root, const std::string& path) {
  const auto line = root.line(path);
  if (line && !line->empty()) return *line;
  return unknown(cat("/", path, " could not be read"));
}

/// On x86, Linux lists the hypervisor bit of CPUID among the flags. Other machines have only DMI.
void read_virtual(const Directory& root, Machine& machine) {
  const std::string vendor = root.line("sys/class/dmi/id/sys_vendor").value_or("");
  const auto cpuinfo = root.read("proc/cpuinfo", kLargestProc);
  const bool emulated = vendor == "QEMU" || vendor.starts_with("VMware");
  if (cpuinfo && cpuinfo->find("flags\t") != std::string::npos)
    machine.virtual_machine = cpuinfo->find(" hypervisor") != std::string::npos;
  else if (!vendor.empty())
    machine.virtual_machine = emulated;
  else
    machine.virtual_machine = unknown("it is not known whether this is a virtual machine");
  machine.hypervisor = vendor;
}

/// Some drivers follow the load even with the governor powersave, depending on their preference.
void read_governors(const Directory& root, Machine& machine) {
  for (const std::string& policy : root.list("sys/devices/system/cpu/cpufreq")) {
    if (!policy.starts_with("policy")) continue;
    const std::string path = cat("sys/devices/system/cpu/cpufreq/", policy);
    const auto governor = root.line(path + "/scaling_governor");
    if (!governor) continue;
    const std::string driver = root.line(path + "/scaling_driver").value_or("");
    const std::string preference = root.line(path + "/energy_performance_preference").value_or("");
    const bool follows = driver == "intel_pstate" || driver == "amd-pstate-epp";
    machine.governors[policy] = *governor == "powersave" && follows && preference != "power"
                                    ? std::string("follows the load")
                                    : *governor;
  }
}

void read_iommu(const Directory& root, Machine& machine) {
  facts::Iommu iommu = facts::read_iommu(root);
  if (iommu.on)
    machine.iommu = *iommu.on;
  else
    machine.iommu = unknown("the recording does not have /sys/class");
  machine.iommu_groups = std::move(iommu.groups);
}

Known<std::pair<std::int64_t, std::int64_t>> read_edac(const Directory& root) {
  std::pair<std::int64_t, std::int64_t> counts{0, 0};
  bool any = false;
  for (const std::string& controller : root.list("sys/devices/system/edac/mc")) {
    const std::string path = cat("sys/devices/system/edac/mc/", controller);
    const auto corrected = root.number(path + "/ce_count");
    const auto uncorrected = root.number(path + "/ue_count");
    if (!corrected || !uncorrected) continue;
    any = true;
    counts.first += *corrected;
    counts.second += *uncorrected;
  }
  if (any) return counts;
  return not_applicable("no memory controller reports errors (EDAC)");
}

Known<std::string> time_sync(const Place& place) {
  if (!place.live) {
    const auto line = place.root.line("nettune/time");
    return line && !line->empty()
               ? Known<std::string>(*line)
               : Known<std::string>(unknown("the recording does not contain it"));
  }
  timex state{};
  if (::adjtimex(&state) < 0) return unknown("adjtimex() failed");
  return std::string((state.status & STA_UNSYNC) != 0 ? "unsynchronised" : "synchronised");
}

/// Reads the options of / in mountinfo(5): the sixth field, and those of the file system after
/// " - ".
Known<bool> root_is_read_only(const Directory& root) {
  auto text = root.read("proc/self/mountinfo", kLargestProc);
  if (!text) text = root.read("proc/1/mountinfo", kLargestProc);
  if (!text) return unknown("/proc/self/mountinfo could not be read");
  Known<bool> answer = unknown("no root file system is mounted");
  for (const std::string_view line : split(*text, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 10 || fields[4] != "/") continue;
    answer = fields[5] == "ro" || fields[5].starts_with("ro,") || fields.back() == "ro" ||
             fields.back().starts_with("ro,");
  }
  return answer;
}

}  // namespace

void read_host(const Place& place, Machine& machine) {
  const Directory& root = place.root;
  read_virtual(root, machine);
  machine.command_line = read_line(root, "proc/cmdline");
  read_governors(root, machine);
  read_iommu(root, machine);
  machine.clocksource =
      read_line(root, "sys/devices/system/clocksource/clocksource0/current_clocksource");
  const bool one_node =
      root.exists("sys/devices/system/node") && !root.exists("sys/devices/system/node/node1");
  machine.numa_balancing =
      one_node ? Known<std::string>(not_applicable("this machine has one NUMA node"))
               : read_line(root, "proc/sys/kernel/numa_balancing");
  machine.time_sync = time_sync(place);
  machine.edac = read_edac(root);
  machine.root_is_read_only = root_is_read_only(root);
}

}  // namespace nettune::tools::doctor::probe
