// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/text.hpp"
#include "doctor/probe/gather.hpp"

namespace nettune::doctor {
namespace {

constexpr std::size_t kLargestProc = std::size_t{16} << 20;

Known<std::string> read_line(const Directory& root, const std::string& path) {
  const auto line = root.line(path);
  if (line) return *line;
  return unknown(cat("/", path, " could not be read"));
}

/// The hypervisor bit of CPUID, which Linux lists among the flags of x86; elsewhere DMI has to do.
void read_virtual(const Directory& root, Machine& machine) {
  const std::string vendor = root.line("sys/class/dmi/id/sys_vendor").value_or("");
  const auto cpuinfo = root.read("proc/cpuinfo", kLargestProc);
  const bool emulated = vendor == "QEMU" || vendor.starts_with("VMware");
  if (cpuinfo && cpuinfo->find("flags\t") != std::string::npos)
    machine.virtual_machine = cpuinfo->find(" hypervisor") != std::string::npos;
  else if (!vendor.empty())
    machine.virtual_machine = emulated;
  else
    machine.virtual_machine = unknown("whether this is a virtual machine is not known");
  machine.hypervisor = vendor;
}

/// A driver of its own follows the load with the governor powersave, as far as its preference goes.
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
  if (!root.exists("sys/class")) {
    machine.iommu = unknown("the recording does not have /sys/class");
    return;
  }
  machine.iommu = !root.list("sys/class/iommu").empty();
  for (const std::string& group : root.list("sys/kernel/iommu_groups"))
    if (const auto type = root.line(cat("sys/kernel/iommu_groups/", group, "/type")))
      ++machine.iommu_groups[*type];
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

Known<FileSystem> space_of(const std::string& path) {
  struct statvfs status {};
  if (::statvfs(path.c_str(), &status) != 0)
    return unknown(cat(path, ": its space could not be read"));
  return FileSystem{path, static_cast<std::uint64_t>(status.f_blocks) * status.f_frsize,
                    static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize, status.f_files,
                    status.f_favail};
}

/// "PATH SIZE FREE INODES FREE_INODES" of a recording.
std::vector<FileSystem> recorded_space(const Directory& root) {
  std::vector<FileSystem> all;
  const auto text = root.read("nettune/space", kLargestProc);
  if (!text) return all;
  for (const std::string_view line : split(*text, '\n')) {
    const auto fields = words(line);
    if (fields.size() != 5) continue;
    const auto number = [&](std::size_t i) {
      return static_cast<std::uint64_t>(
          std::max<std::int64_t>(parse_int(fields[i]).value_or(0), 0));
    };
    all.push_back({std::string(fields[0]), number(1), number(2), number(3), number(4)});
  }
  return all;
}

void read_space(const Place& place, Machine& machine) {
  if (place.live) {
    for (const char* const path : {"/", "/tmp", "/var/tmp"}) {
      Known<FileSystem> system = space_of(path);
      const bool known =
          std::ranges::any_of(machine.file_systems, [&](const Known<FileSystem>& other) {
            return other && system && other->size == system->size && other->free == system->free;
          });
      if (!known) machine.file_systems.push_back(std::move(system));
    }
    machine.shm = space_of("/dev/shm");
    return;
  }
  machine.shm = unknown("the recording does not have it");
  for (FileSystem& system : recorded_space(place.root)) {
    if (system.path == "/dev/shm")
      machine.shm = system;
    else
      machine.file_systems.emplace_back(system);
  }
  if (machine.file_systems.empty())
    machine.file_systems.emplace_back(unknown("the recording does not have it"));
}

Known<std::string> time_sync(const Place& place) {
  if (!place.live) {
    const auto line = place.root.line("nettune/time");
    return line ? Known<std::string>(*line)
                : Known<std::string>(unknown("the recording does not have it"));
  }
  timex state{};
  if (::adjtimex(&state) < 0) return unknown("adjtimex() failed");
  return std::string((state.status & STA_UNSYNC) != 0 ? "unsynchronised" : "synchronised");
}

/// The options of / in mountinfo(5): the sixth field, and those of the file system behind " - ".
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
  read_space(place, machine);
  machine.root_is_read_only = root_is_read_only(root);
}

}  // namespace nettune::doctor
