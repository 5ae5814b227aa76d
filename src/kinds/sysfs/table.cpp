// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysfs/table.hpp"

#include <algorithm>
#include <array>

namespace nettune::kinds::sysfs {
namespace {

constexpr auto kRows = std::to_array<SysfsRow>({
    {"transparent-hugepage", "kernel/mm/transparent_hugepage/enabled", SysfsForm::choice,
     "Transparent hugepages: \"always\", \"madvise\" or \"never\"",
     "enabled_store, mm/huge_memory.c (6.1)", "sysctl:vm.min_free_kbytes",
     "set_recommended_min_free_kbytes, mm/khugepaged.c"},
    {"transparent-hugepage-defrag", "kernel/mm/transparent_hugepage/defrag", SysfsForm::choice,
     "When to wait for hugepages: \"always\", \"defer\", \"defer+madvise\", \"madvise\" or "
     "\"never\"",
     "defrag_store, mm/huge_memory.c (6.1)"},
    {"cpu-governor", "devices/system/cpu/cpufreq/policy*/scaling_governor", SysfsForm::word,
     "Frequency governor of all CPUs, one of scaling_available_governors: \"performance\", ...",
     "store_scaling_governor, drivers/cpufreq/cpufreq.c (6.1)", "sysfs:cpu-energy-preference",
     "intel_pstate_hwp_set, drivers/cpufreq/intel_pstate.c (6.1)", "scaling_available_governors",
     "performance powersave userspace ondemand conservative schedutil", "performance powersave"},
    {"cpu-energy-preference", "devices/system/cpu/cpufreq/policy*/energy_performance_preference",
     SysfsForm::word,
     "Energy preference of all CPUs, one of energy_performance_available_preferences: "
     "\"performance\", \"balance_performance\", ...; the governor \"performance\" takes no other",
     "store_energy_performance_preference, drivers/cpufreq/intel_pstate.c (6.1)"},
    {"cpu-energy-bias", "devices/system/cpu/cpu*/power/energy_perf_bias", SysfsForm::word,
     "Energy bias of all CPUs of Intel, \"0\" (performance) to \"15\" (powersave)",
     "energy_perf_bias_store, arch/x86/kernel/cpu/intel_epb.c (6.1)"},
    {"cpu-min-percent", "devices/system/cpu/intel_pstate/min_perf_pct", SysfsForm::word,
     "Least performance of all CPUs of Intel, in percent of the most: \"100\"",
     "store_min_perf_pct, drivers/cpufreq/intel_pstate.c (6.1)"},
    {"power-control", "class/net/{}/device/power/control", SysfsForm::word,
     "Whether the kernel may suspend an idle card: \"on\" (it may not) or \"auto\"",
     "control_store, drivers/base/power/sysfs.c (6.1)"},
    {"rps-cpus", "class/net/{}/queues/rx-*/rps_cpus", SysfsForm::cpus,
     "CPUs that process received packets: \"0-7,16\", or \"none\"",
     "store_rps_map, net/core/net-sysfs.c (6.1)"},
    {"xps-cpus", "class/net/{}/queues/tx-*/xps_cpus", SysfsForm::cpus,
     "CPUs that each send queue serves: \"0-7\", or \"none\"",
     "xps_cpus_store, net/core/net-sysfs.c (6.1)"},
});

}  // namespace

std::span<const SysfsRow> sysfs_rows() { return kRows; }

const SysfsRow* find_sysfs(std::string_view key) {
  const auto* const found = std::ranges::find(kRows, key, &SysfsRow::key);
  return found == kRows.end() ? nullptr : found;
}

}  // namespace nettune::kinds::sysfs
