// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "conf/ini.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

using Bytes = std::optional<std::uint64_t>;  ///< nothing: unlimited
constexpr std::size_t kLargestConfig = std::size_t{1} << 20;

/// Services that start jobs: the names of their process and of their unit.
struct Starter {
  const char* process;
  const char* unit;
};
constexpr auto kStarters = std::to_array<Starter>({{"slurmd", "slurmd"},
                                                   {"kubelet", "kubelet"},
                                                   {"containerd", "containerd"},
                                                   {"dockerd", "docker"},
                                                   {"sshd", "ssh"}});

std::optional<std::int64_t> pid_of(const Directory& root, std::string_view name) {
  std::optional<std::int64_t> first;
  for (const std::string& entry : root.list("proc")) {
    const auto pid = parse_int(entry);
    if (!pid || root.line(cat("proc/", entry, "/comm")).value_or("") != name) continue;
    if (!first || *pid < *first) first = *pid;
  }
  return first;
}

/// "unlimited", or a number of units.
Bytes limit_value(std::string_view word, std::uint64_t unit = 1) {
  if (word == "unlimited" || word == "infinity" || word == "-1") return std::nullopt;
  const auto number = parse_int(word);
  return number && *number >= 0 ? Bytes(static_cast<std::uint64_t>(*number) * unit) : Bytes(0);
}

/// The soft limit in a line of /proc/PID/limits, where names are 26 characters wide.
Known<Bytes> process_limit(const std::string& text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name)) continue;
    const auto fields = words(line.substr(name.size()));
    if (fields.size() >= 2) return limit_value(fields[0]);
  }
  return unknown("/proc does not show it");
}

/// A size in a systemd unit may have a suffix, and may be a pair "soft:hard".
Bytes unit_value(std::string_view word) {
  word = word.substr(0, word.find(':'));
  std::uint64_t unit = 1;
  constexpr std::string_view kSuffixes = "KMGT";
  const auto suffix = word.empty() ? std::string_view::npos : kSuffixes.find(word.back());
  if (suffix != std::string_view::npos) {
    for (std::size_t i = 0; i <= suffix; ++i) unit *= 1024;
    word.remove_suffix(1);
  }
  return limit_value(word, unit);
}

/// The last assignment of a key in a unit and its drop-ins; nothing if there is none.
std::optional<std::string> unit_setting(const Directory& root, const std::string& unit,
                                        std::string_view key) {
  std::optional<std::string> value;
  const auto take = [&](const std::string& path) {
    const auto text = root.read(path, kLargestConfig);
    if (!text) return false;
    for (const conf::IniLine& line : conf::read_ini(*text, conf::Joining::backslash))
      if (line.key == key) value = line.value;
    return true;
  };
  for (const std::string directory :
       {"etc/systemd/system", "run/systemd/system", "usr/lib/systemd/system", "lib/systemd/system"})
    if (take(cat(directory, '/', unit))) break;
  for (const std::string directory :
       {"usr/lib/systemd/system", "run/systemd/system", "etc/systemd/system"})
    for (const std::string& name : root.list(cat(directory, '/', unit, ".d")))
      if (name.ends_with(".conf")) take(cat(directory, '/', unit, ".d/", name));
  return value;
}

/// systemd's default for a service.
constexpr std::uint64_t kDefaultMemlock = std::uint64_t{8} << 20;

void read_unit_limits(const Directory& root, const std::string& unit, ServiceLimits& service) {
  service.found = cat("the unit ", unit);
  const auto own = unit_setting(root, unit, "LimitMEMLOCK");
  std::optional<std::string> fallback;
  if (const auto text = root.read("etc/systemd/system.conf", kLargestConfig))
    for (const conf::IniLine& line : conf::read_ini(*text))
      if (line.key == "DefaultLimitMEMLOCK") fallback = line.value;
  for (const std::string& name : root.list("etc/systemd/system.conf.d"))
    if (const auto text = root.read(cat("etc/systemd/system.conf.d/", name), kLargestConfig))
      for (const conf::IniLine& line : conf::read_ini(*text))
        if (line.key == "DefaultLimitMEMLOCK") fallback = line.value;
  service.memlock = own        ? unit_value(*own)
                    : fallback ? unit_value(*fallback)
                               : Bytes(kDefaultMemlock);
  service.nofile = unknown("not running, and its unit sets no limit");
  if (const auto nofile = unit_setting(root, unit, "LimitNOFILE"))
    service.nofile = unit_value(*nofile);
  service.stack = unknown("it is not running");
}

/// The last soft limit for everybody in limits.conf and limits.d, in units of the item.
std::optional<Bytes> pam_limit(const Directory& root, std::string_view item, std::uint64_t unit) {
  std::vector<std::string> files = {"etc/security/limits.conf"};
  for (const std::string& name : root.list("etc/security/limits.d"))
    if (name.ends_with(".conf")) files.push_back(cat("etc/security/limits.d/", name));
  std::optional<Bytes> limit;
  for (const std::string& file : files) {
    const auto text = root.read(file, kLargestConfig);
    if (!text) continue;
    for (const std::string_view line : split(*text, '\n')) {
      const auto part = words(line.substr(0, line.find('#')));
      if (part.size() == 4 && part[0] == "*" && part[2] == item &&
          (part[1] == "-" || part[1] == "soft"))
        limit = limit_value(part[3], unit);
    }
  }
  return limit;
}

/// A session of ssh gets the limits of pam_limits for everybody, otherwise those of sshd.
void apply_pam(const Directory& root, ServiceLimits& service) {
  const auto pam = root.read("etc/pam.d/sshd", kLargestConfig);
  const auto session = root.read("etc/pam.d/common-session", kLargestConfig);
  const bool used = (pam && pam->find("pam_limits.so") != std::string::npos) ||
                    (session && session->find("pam_limits.so") != std::string::npos);
  if (!used) return;
  constexpr std::uint64_t kKib = 1024;
  if (const auto memlock = pam_limit(root, "memlock", kKib)) {
    service.memlock = *memlock;
    service.found = "/etc/security/limits.d";
  }
  if (const auto nofile = pam_limit(root, "nofile", 1)) service.nofile = *nofile;
  if (const auto stack = pam_limit(root, "stack", kKib)) service.stack = *stack;
}

/// Slurm gives a job the limits of the shell that submits it, unless slurm.conf says otherwise, but
/// not more than slurmd has.
void apply_slurm(const Directory& root, ServiceLimits& service) {
  if (!service.memlock || *service.memlock.value) return;
  bool propagates = true;
  for (const char* const path : {"etc/slurm/slurm.conf", "etc/slurm-llnl/slurm.conf"}) {
    const auto text = root.read(path, kLargestConfig);
    if (!text) continue;
    for (const std::string_view line : split(*text, '\n')) {
      const std::string_view setting = trim(line.substr(0, line.find('#')));
      const auto equals = setting.find('=');
      if (equals == std::string_view::npos) continue;
      const std::string_view key = trim(setting.substr(0, equals));
      const std::string_view value = trim(setting.substr(equals + 1));
      if (key == "PropagateResourceLimitsExcept" && value.find("MEMLOCK") != std::string_view::npos)
        propagates = false;
      if (key == "PropagateResourceLimits")
        propagates = value == "ALL" || value.find("MEMLOCK") != std::string_view::npos;
    }
  }
  if (propagates)
    service.memlock = unknown(
        "slurmd has no limit, but a job gets the limit of the shell that submits it "
        "(PropagateResourceLimitsExcept=MEMLOCK in slurm.conf stops that)");
}

/// A container of Docker gets the limits in daemon.json, otherwise those of containerd.
void apply_docker(const Directory& root, ServiceLimits& service) {
  using Json = nlohmann::json;
  const auto text = root.read("etc/docker/daemon.json", kLargestConfig);
  const Json daemon = text ? Json::parse(*text, nullptr, false) : Json();
  if (daemon.is_object() && daemon.contains("default-ulimits") &&
      daemon["default-ulimits"].is_object()) {
    const Json memlock = daemon["default-ulimits"].value("memlock", Json());
    const Json soft =
        memlock.is_object() ? memlock.value("Soft", memlock.value("Hard", Json())) : Json();
    if (soft.is_number_integer()) {
      const auto number = soft.get<std::int64_t>();
      service.memlock = number < 0 ? Bytes() : Bytes(static_cast<std::uint64_t>(number));
      service.found = "/etc/docker/daemon.json";
      return;
    }
  }
  if (const auto pid = pid_of(root, "containerd"))
    if (const auto limits = root.read(cat("proc/", *pid, "/limits"), kLargestConfig)) {
      service.memlock = process_limit(*limits, "Max locked memory");
      service.found = cat("/proc/", *pid, "/limits of containerd");
    }
}

void read_service(const Directory& root, const Starter& starter, Machine& machine) {
  const auto& services = machine.facts.services;
  const auto pid = pid_of(root, starter.process);
  const bool installed = std::ranges::find(services, starter.unit) != services.end();
  if (!pid && !installed) return;
  ServiceLimits service;
  service.service = starter.unit;
  if (pid) {
    const std::string path = cat("proc/", *pid, "/limits");
    const auto text = root.read(path, kLargestConfig);
    service.found = cat("/", path);
    if (text) {
      service.memlock = process_limit(*text, "Max locked memory");
      service.nofile = process_limit(*text, "Max open files");
      service.stack = process_limit(*text, "Max stack size");
    } else {
      const Gap gap = not_permitted(cat("/", path, " could not be read"));
      service.memlock = service.nofile = service.stack = gap;
    }
  } else {
    read_unit_limits(root, cat(starter.unit, ".service"), service);
  }
  const std::string_view name = starter.unit;
  if (name == "ssh") apply_pam(root, service);
  if (name == "slurmd") apply_slurm(root, service);
  if (name == "docker") apply_docker(root, service);
  machine.services.push_back(std::move(service));
}

Known<std::string> remove_ipc(const Directory& root) {
  std::string value = "yes";
  if (!root.exists("etc/systemd")) return unknown("there is no /etc/systemd");
  const auto take = [&](const std::string& path) {
    if (const auto text = root.read(path, kLargestConfig))
      for (const conf::IniLine& line : conf::read_ini(*text))
        if (line.key == "RemoveIPC") value = line.value;
  };
  take("etc/systemd/logind.conf");
  for (const std::string directory : {"usr/lib/systemd/logind.conf.d", "etc/systemd/logind.conf.d"})
    for (const std::string& name : root.list(directory)) take(cat(directory, '/', name));
  if (!root.exists("lib/systemd/systemd-logind") && !root.exists("usr/lib/systemd/systemd-logind"))
    return not_applicable("systemd-logind is not installed");
  const bool off = value == "no" || value == "false" || value == "0" || value == "off";
  return std::string(off ? "no" : "yes");
}

}  // namespace

void read_services(const Place& place, Machine& machine) {
  for (const Starter& starter : kStarters) read_service(place.root, starter, machine);
  // In a container no service starts a job: it has the limits of this shell.
  if (machine.services.empty() && !machine.facts.node.container.empty())
    if (const auto text = place.root.read("proc/self/limits", kLargestConfig)) {
      const std::string& kind = machine.facts.node.container;
      ServiceLimits own{kind == "unknown" ? "container" : kind, "/proc/self/limits", {}, {}, {}};
      own.memlock = process_limit(*text, "Max locked memory");
      own.nofile = process_limit(*text, "Max open files");
      own.stack = process_limit(*text, "Max stack size");
      machine.services.push_back(std::move(own));
    }
  machine.remove_ipc = remove_ipc(place.root);
}

}  // namespace nettune::tools::doctor::probe
