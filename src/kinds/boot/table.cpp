// SPDX-License-Identifier: Apache-2.0
#include "kinds/boot/table.hpp"

#include <algorithm>
#include <array>

namespace nettune::kinds::boot {

namespace {

constexpr std::string_view kParameters =
    "Linux 6.12, Documentation/admin-guide/kernel-parameters.txt";
constexpr std::int64_t kMostPages = 1 << 24;

constexpr auto kArguments = std::to_array<Argument>({
    {.name = "amd_iommu",
     .choices = "off fullflush force_isolation force_enable pgtbl_v1 pgtbl_v2",
     .source = kParameters},
    {.name = "apparmor",
     .form = Form::number,
     .most = 1,
     .shown = Shown::on_off,
     .path = "/sys/module/apparmor/parameters/enabled",
     .weak = "0",
     .opens = "nothing confines programs (AppArmor)",
     .source = kParameters},
    {.name = "console", .form = Form::list, .repeat = Repeat::each, .source = kParameters},
    {.name = "default_hugepagesz", .form = Form::size, .source = kParameters},
    {.name = "hugepages",
     .form = Form::number,
     .repeat = Repeat::group,
     .least = 0,
     .most = kMostPages,
     .shown = Shown::at_least,
     .path = "/sys/kernel/mm/hugepages/hugepages-*kB/nr_hugepages",
     .source = "Linux 6.12, Documentation/admin-guide/mm/hugetlbpage.rst"},
    {.name = "idle", .choices = "poll halt nomwait", .source = kParameters},
    {.name = "init_on_alloc",
     .form = Form::number,
     .most = 1,
     .weak = "0",
     .opens = "memory that the kernel gives out has its old contents",
     .source = kParameters},
    {.name = "intel_idle.max_cstate",
     .form = Form::number,
     .most = 9,
     .shown = Shown::equal,
     .path = "/sys/module/intel_idle/parameters/max_cstate",
     .source = "Linux 6.12, drivers/idle/intel_idle.c"},
    {.name = "intel_iommu",
     .choices = "on off igfx_off forcedac strict sp_off sm_on sm_off",
     .source = kParameters},
    {.name = "iommu",
     .choices = "off force noforce pt nopt strict soft on",
     .shown = Shown::identity,
     .source = "Linux 6.12, arch/x86/kernel/pci-dma.c, iommu_setup()"},
    {.name = "iommu.forcedac", .form = Form::number, .most = 1, .source = kParameters},
    {.name = "iommu.passthrough",
     .form = Form::number,
     .most = 1,
     .shown = Shown::identity,
     .source = "Linux 6.12, drivers/iommu/iommu.c"},
    {.name = "iommu.strict", .form = Form::number, .most = 1, .source = kParameters},
    {.name = "isolcpus",
     .form = Form::cpus,
     .shown = Shown::cpus,
     .path = "/sys/devices/system/cpu/isolated",
     .source = kParameters},
    {.name = "lockdown",
     .choices = "integrity confidentiality none",
     .weak = "none",
     .opens = "root may change the running kernel",
     .source = kParameters},
    {.name = "mce",
     .choices = "off no_cmci dont_log_ce ignore_ce nobootlog bootlog",
     .source = "Linux 6.12, arch/x86/kernel/cpu/mce/core.c, mcheck_enable()"},
    {.name = "mitigations",
     .choices = "off auto auto,nosmt",
     .weak = "off",
     .opens = "faults of this CPU let processes read each other's memory",
     .source = kParameters},
    {.name = "module.sig_enforce",
     .form = Form::number,
     .most = 1,
     .shown = Shown::on_off,
     .path = "/sys/module/module/parameters/sig_enforce",
     .weak = "0",
     .opens = "root may load modules that nobody signed",
     .source = kParameters},
    {.name = "nohz_full",
     .form = Form::cpus,
     .shown = Shown::cpus,
     .path = "/sys/devices/system/cpu/nohz_full",
     .source = kParameters},
    {.name = "numa_balancing",
     .choices = "enable disable",
     .shown = Shown::on_off,
     .path = "/proc/sys/kernel/numa_balancing",
     .source = "Linux 6.12, mm/mempolicy.c, setup_numabalancing()"},
    {.name = "pci#config_acs",
     .form = Form::flags,
     .repeat = Repeat::part,
     .source = "Linux 6.12, drivers/pci/pci.c, pci_acs_enable(): since 6.11"},
    {.name = "pci#disable_acs_redir",
     .form = Form::ports,
     .repeat = Repeat::part,
     .shown = Shown::acs,
     .source = "Linux, drivers/pci/pci.c, pci_disable_acs_redir(): since 4.19"},
    {.name = "pci#realloc",
     .repeat = Repeat::part,
     .choices = "on off",
     .source = "Linux 6.12, drivers/pci/setup-bus.c, pci_realloc_get_opt()"},
    {.name = "pcie_aspm",
     .choices = "off force",
     .source = "Linux 6.12, drivers/pci/pcie/aspm.c, pcie_aspm_disable()"},
    {.name = "processor.max_cstate",
     .form = Form::number,
     .most = 9,
     .shown = Shown::equal,
     .path = "/sys/module/processor/parameters/max_cstate",
     .source = "Linux 6.12, drivers/acpi/processor_idle.c"},
    {.name = "skew_tick", .form = Form::number, .most = 1, .source = kParameters},
    {.name = "transparent_hugepage",
     .choices = "always madvise never",
     .shown = Shown::chosen,
     .path = "/sys/kernel/mm/transparent_hugepage/enabled",
     .source = "Linux 6.12, mm/huge_memory.c, setup_transparent_hugepage()"},
});

constexpr Argument kOther = {.name = "*", .form = Form::any, .source = "the site file"};

}  // namespace

const Argument& other_argument() { return kOther; }

std::span<const Argument> arguments() { return kArguments; }

const Argument* find_argument(std::string_view name) {
  const auto* const found = std::ranges::find(kArguments, name, &Argument::name);
  return found == kArguments.end() ? nullptr : found;
}

}  // namespace nettune::kinds::boot
