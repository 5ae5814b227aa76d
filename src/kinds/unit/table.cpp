// SPDX-License-Identifier: Apache-2.0
#include "kinds/unit/table.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace nettune::kinds::unit {
namespace {

constexpr std::size_t kMaxNameBytes = 255;  ///< UNIT_NAME_MAX less 1, src/basic/unit-name.h

/// The name and type of each is in src/core/load-fragment-gperf.gperf.in (systemd 252 and 257);
/// the rows of /proc/PID/limits in fs/proc/base.c (6.1), the files of cgroups in
/// src/core/cgroup.c.
constexpr auto kDirectives = std::to_array<Directive>({
    {"LimitMEMLOCK", "Service", Form::size_limit, Shown::limits, "Max locked memory"},
    {"LimitSTACK", "Service", Form::size_limit, Shown::limits, "Max stack size"},
    {"LimitCORE", "Service", Form::size_limit, Shown::limits, "Max core file size"},
    {"LimitDATA", "Service", Form::size_limit, Shown::limits, "Max data size"},
    {"LimitAS", "Service", Form::size_limit, Shown::limits, "Max address space"},
    {"LimitFSIZE", "Service", Form::size_limit, Shown::limits, "Max file size"},
    {"LimitMSGQUEUE", "Service", Form::size_limit, Shown::limits, "Max msgqueue size"},
    {"LimitNOFILE", "Service", Form::count_limit, Shown::limits, "Max open files"},
    {"LimitNPROC", "Service", Form::count_limit, Shown::limits, "Max processes"},
    {"LimitLOCKS", "Service", Form::count_limit, Shown::limits, "Max file locks"},
    {"LimitSIGPENDING", "Service", Form::count_limit, Shown::limits, "Max pending signals"},
    {"LimitRTPRIO", "Service", Form::count_limit, Shown::limits, "Max realtime priority"},
    {"OOMScoreAdjust", "Service", Form::number, Shown::process, "oom_score_adj", -1000, 1000},
    {"Nice", "Service", Form::number, Shown::process, "stat", -20, 19},
    {"CPUAffinity", "Service", Form::cpus, Shown::process, "status"},
    {"OOMPolicy", "Service", Form::word, Shown::manager, "", 0, 0, "continue stop kill"},
    {"Delegate", "Service", Form::boolean},
    {"KillMode", "Service", Form::word, Shown::manager, "", 0, 0,
     "control-group mixed process none"},
    {"Restart", "Service", Form::word, Shown::manager, "", 0, 0,
     "no on-success on-failure on-abnormal on-watchdog on-abort always"},
    {"RestartSec", "Service", Form::span, Shown::manager},
    {"TimeoutStartSec", "Service", Form::span, Shown::manager},
    {"TimeoutStopSec", "Service", Form::span, Shown::manager},
    {"TasksMax", "Service Slice", Form::tasks, Shown::cgroup, "pids.max"},
    {"MemoryMin", "Service Slice", Form::bytes, Shown::cgroup, "memory.min"},
    {"MemoryLow", "Service Slice", Form::bytes, Shown::cgroup, "memory.low"},
    {"MemoryHigh", "Service Slice", Form::bytes, Shown::cgroup, "memory.high"},
    {"MemoryMax", "Service Slice", Form::bytes, Shown::cgroup, "memory.max"},
    {"MemorySwapMax", "Service Slice", Form::bytes, Shown::cgroup, "memory.swap.max"},
    {"CPUWeight", "Service Slice", Form::number, Shown::cgroup, "cpu.weight", 1, 10000},
    {"IOWeight", "Service Slice", Form::number, Shown::cgroup, "io.weight", 1, 10000},
    {"CPUQuota", "Service Slice", Form::quota, Shown::cgroup, "cpu.max"},
    {"AllowedCPUs", "Service Slice", Form::cpus, Shown::cgroup, "cpuset.cpus"},
    {"AllowedMemoryNodes", "Service Slice", Form::cpus, Shown::cgroup, "cpuset.mems"},
    {"After", "Unit", Form::units, Shown::manager},
    {"Before", "Unit", Form::units, Shown::manager},
    {"Wants", "Unit", Form::units, Shown::manager},
    {"StartLimitBurst", "Unit", Form::number, Shown::manager, "", 0, 1000000},
    {"StartLimitIntervalSec", "Unit", Form::span, Shown::manager},
});

/// Directives that nettune refuses, by the start of their name.
struct Refused {
  std::string_view prefix;
  std::string_view why;
};
constexpr auto kRefused = std::to_array<Refused>({
    {"Exec", "runs programs, and a profile never does that"},
    {"Environment", "is for [env] services, which gives variables to a service"},
    {"PassEnvironment", "is for [env] services, which gives variables to a service"},
    {"LoadCredential", "reads secrets, and a profile never does that"},
    {"SetCredential", "holds secrets, and a profile never does that"},
    {"User", "changes who the service runs as"},
    {"Group", "changes who the service runs as"},
    {"Root", "changes the file system of the service"},
});

/// Units that nettune leaves as they run: without them nobody reaches the node, jobs end, or
/// nettune cannot undo.
struct Protected {
  std::string_view pattern;
  std::string_view why;
};
constexpr auto kProtected = std::to_array<Protected>({
    {"ssh*", "people log in by it"},
    {"systemd-networkd*", "it keeps the network up"},
    {"systemd-resolved*", "it resolves names"},
    {"NetworkManager*", "it keeps the network up"},
    {"networking.service", "it keeps the network up"},
    {"ifup@*", "it keeps the network up"},
    {"wpa_supplicant*", "it keeps the network up"},
    {"network*.target", "it keeps the network up"},
    {"dhcpcd*", "it keeps the network up"},
    {"slurmd*", "jobs run below it"},
    {"kubelet*", "jobs run below it"},
    {"containerd*", "jobs run below it"},
    {"docker*", "jobs run below it"},
    {"crio*", "jobs run below it"},
    {"cri-o*", "jobs run below it"},
    {"cri-docker*", "jobs run below it"},
    {"k3s*", "jobs run below it"},
    {"rke2*", "jobs run below it"},
    {"podman*", "jobs run below it"},
    {"munge*", "Slurm trusts by it"},
    {"nvidia-fabricmanager*", "GPUs reach each other by it"},
    {"nvidia-imex*", "GPUs reach each other by it"},
    {"openibd*", "RDMA hangs on it"},
    {"rpcbind*", "network mounts hang on it"},
    {"nfs-*", "network mounts hang on it"},
    {"iscsid*", "disks hang on it"},
    {"multipathd*", "disks hang on it"},
    {"lvm2-*", "disks hang on it"},
    {"sssd*", "it knows the users"},
    {"nftables.service", "it holds the firewall"},
    {"firewalld.service", "it holds the firewall"},
    {"ufw.service", "it holds the firewall"},
    {"netfilter-persistent.service", "it holds the firewall"},
    {"iptables*", "it holds the firewall"},
    {"dbus*", "systemd is reached by it"},
    {"systemd-logind*", "people log in by it"},
    {"getty@*", "people log in at the console by it"},
    {"serial-getty@*", "people log in at the console by it"},
    {"systemd-journald*", "it keeps the logs"},
    {"systemd-udevd*", "it names the devices"},
    {"nettune*", "it is nettune's own"},
    {"*.target", "units hang on it"},
    {"*.mount", "files hang on it"},
    {"*.slice", "units run in it"},
    {"*.scope", "processes of others run in it"},
});

constexpr std::string_view kTypes =
    "service socket slice timer path target mount automount swap device scope";

bool is_in(std::string_view word, std::string_view list) {
  const auto all = words(list);
  return std::ranges::find(all, word) != all.end();
}

std::vector<std::string> names_in(std::string_view section) {
  std::vector<std::string> names;
  for (const Directive& row : kDirectives)
    if (is_in(section, row.sections)) names.emplace_back(row.name);
  return names;
}

}  // namespace

std::span<const Directive> directives() { return kDirectives; }

Result<const Directive*> find_directive(std::string_view unit, std::string_view dotted) {
  const std::size_t dot = dotted.find('.');
  const std::string_view section = dotted.substr(0, dot);
  const std::string_view name = dot == dotted.npos ? "" : dotted.substr(dot + 1);
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid, cat('\'', printable(dotted.substr(0, 80)), "' ", why));
  };
  if (!is_in(section, "Unit Service Slice") || name.empty())
    return refuse("is not SECTION.DIRECTIVE, with the section Unit, Service or Slice");
  for (const Directive& row : kDirectives)
    if (row.name == name && is_in(section, row.sections)) {
      if (section == "Service" && !unit.ends_with(".service"))
        return refuse(cat("is of services, and ", printable(unit), " is none"));
      if (section == "Slice" && !unit.ends_with(".slice"))
        return refuse(cat("is of slices, and ", printable(unit), " is none"));
      return &row;
    }
  for (const Refused& row : kRefused)
    if (name.starts_with(row.prefix)) return refuse(row.why);
  const auto known = names_in(section);
  const auto near = nearest(name, known);
  return refuse(
      near ? cat("is not known; did you mean ", section, '.', *near, '?')
           : cat("is not among those that nettune sets in [", section, "]: ", join(known, ", ")));
}

Result<std::string> unit_name(std::string_view typed) {
  const auto refuse = [&](std::string_view why) {
    return fail(Errc::invalid, cat('\'', printable(typed.substr(0, 80)), "' ", why));
  };
  std::string name(typed);
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || !is_in(std::string_view(name).substr(dot + 1), kTypes))
    name += ".service";
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '@' || c == '\\';
  };
  if (name.size() > kMaxNameBytes || name.starts_with('.') || name.starts_with('-') ||
      name.starts_with('@') || !std::ranges::all_of(name, fits))
    return refuse("is not the name of a unit, such as containerd.service");
  if (name.find("@.") != name.npos)
    return refuse("is a template; name the unit that is made of it, such as getty@tty1.service");
  return name;
}

bool is_nettunes_own(std::string_view unit) { return unit.starts_with("nettune"); }

std::string why_protected(std::string_view unit) {
  const auto* const found = std::ranges::find_if(
      kProtected, [&](const Protected& row) { return glob_match(row.pattern, unit); });
  return found == kProtected.end() ? std::string() : std::string(found->why);
}

}  // namespace nettune::kinds::unit
