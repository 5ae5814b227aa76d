// SPDX-License-Identifier: Apache-2.0
#include "intake/tuned_plugins.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "owners/shell_commands.hpp"

namespace nettune::intake {
namespace {

constexpr std::string_view kDevice = "DEVICE";

/// What a section or a key of TuneD sets that nettune has no kind for.
struct Missing {
  std::string_view plugin;
  std::string_view key;  ///< "" for all that is not listed before
  std::string_view what;
};
constexpr auto kMissing = std::to_array<Missing>({
    {"bootloader", "", "the kernel command line"},
    {"cpu", "max_perf_pct", "the range of CPU frequencies"},
    {"cpu", "no_turbo", "turbo frequencies"},
    {"cpu", "boost", "turbo frequencies"},
    {"cpu", "force_latency", "the latency of idle states (/dev/cpu_dma_latency)"},
    {"cpu", "pm_qos_resume_latency_us", "the latency of idle states of each CPU"},
    {"cpu", "", "CPU power management"},
    {"disk", "readahead", "read-ahead of disks"},
    {"disk", "elevator", "the I/O scheduler of disks"},
    {"disk", "", "settings of disks"},
    {"scsi_host", "", "link power management of SATA"},
    {"scheduler", "", "the scheduler of processes"},
    {"irqbalance", "", "the CPUs of irqbalance"},
    {"irq", "", "the CPUs of interrupts"},
    {"systemd", "", "settings of systemd's manager"},
    {"service", "", "which services run"},
    {"script", "", "a program"},
    {"net", "wake_on_lan", "wake-on-LAN"},
    {"net", "nf_conntrack_hashsize", "parameters of modules"},
    {"net", "dynamic", "TuneD's own reaction to load"},
    {"sysfs", "", "this file of sysfs"},
    {"selinux", "", "SELinux"},
    {"acpi", "", "the platform profile of ACPI"},
    {"uncore", "", "the frequency of the uncore"},
    {"mounts", "", "options of mounts"},
    {"rtentsk", "", "static keys of time stamps"},
    {"video", "", "power saving of graphics cards"},
    {"audio", "", "power saving of sound cards"},
    {"usb", "", "power saving of USB"},
    {"eeepc_she", "", "power saving of Eee PCs"},
});

struct Named {
  std::string_view name;
  std::string_view is;
};
constexpr auto kOfCpus = std::to_array<Named>({
    {"governor", "sysfs:cpu-governor"},
    {"energy_performance_preference", "sysfs:cpu-energy-preference"},
    {"energy_perf_bias", "sysfs:cpu-energy-bias"},
    {"min_perf_pct", "sysfs:cpu-min-percent"},
});
/// The kernel reads words and prints numbers (energ_perf_values, arch/x86/kernel/cpu/intel_epb.c);
/// "powersave" is x86_energy_perf_policy's.
constexpr auto kBiases = std::to_array<Named>({
    {"performance", "0"},
    {"balance-performance", "4"},
    {"normal", "6"},
    {"balance-power", "8"},
    {"power", "15"},
    {"powersave", "15"},
});

}  // namespace

std::vector<std::string> names_in_list(std::string_view list) {
  std::string text(list);
  for (char& c : text)
    if (c == ',' || c == ';') c = ' ';
  std::vector<std::string> names;
  for (const std::string_view name : words(text)) names.emplace_back(name);
  return names;
}

void TunedPlugins::set(LineId id, const TunedUnit& unit, const std::string& key,
                       const std::string& value) {
  if (unit.plugin == "sysctl") return sysctl(id, key, value);
  if (unit.plugin == "vm") return vm(id, key, value);
  if (unit.plugin == "cpu" && cpu(id, key, value)) return;
  if (unit.plugin == "modules") return module(id, key, value);
  if (unit.plugin == "sysfs") return sysfs(id, key, value);
  if (unit.plugin == "net" && net(id, key, value, unit.devices)) return;
  no_kind(id, unit.plugin, key);
}

void TunedPlugins::no_kind(LineId id, const std::string& plugin, const std::string& key) {
  const auto* const found = std::ranges::find_if(kMissing, [&](const Missing& each) {
    return each.plugin == plugin && (each.key.empty() || each.key == key);
  });
  account_.refuse(
      id, cat("no kind for it yet: ",
              found == kMissing.end() ? cat("TuneD's plugin ", plugin) : std::string(found->what)));
}

void TunedPlugins::sysctl(LineId id, const std::string& key, const std::string& value) {
  const Assigned want = assigned(value);
  account_.set_sysctl(id, key, want.relation, want.value);
}

void TunedPlugins::vm(LineId id, const std::string& key, const std::string& value) {
  if (key == "transparent_hugepages" || key == "transparent_hugepage")
    return account_.set(id, {"sysfs:transparent-hugepage"}, value);
  if (key == "transparent_hugepage.defrag")
    return account_.set(id, {"sysfs:transparent-hugepage-defrag"}, value);
  if (!key.starts_with("dirty_")) return no_kind(id, "vm", key);
  // "dirty_bytes = 40%" sets vm.dirty_ratio (tuned/plugins/plugin_vm.py).
  const bool of_memory = value.ends_with('%') && key.ends_with("_bytes");
  if (!of_memory) return sysctl(id, cat("vm.", key), value);
  const std::string ratio =
      cat(key.substr(0, key.size() - std::string_view("bytes").size()), "ratio");
  account_.set_sysctl(id, cat("vm.", ratio), Relation::exact,
                      std::string(trim(std::string_view(value).substr(0, value.size() - 1))));
}

bool TunedPlugins::cpu(LineId id, const std::string& key, const std::string& value) {
  const auto* const found = std::ranges::find(kOfCpus, key, &Named::name);
  if (found == kOfCpus.end()) return false;
  if (value.find('|') != value.npos) {
    account_.refuse(id, "a list of values, of which TuneD takes the first that the node has");
    return true;
  }
  const auto* const bias = std::ranges::find(kBiases, value, &Named::name);
  const bool is_word = key == "energy_perf_bias" && bias != kBiases.end();
  account_.set(id, {std::string(found->is)}, is_word ? std::string(bias->is) : value);
  return true;
}

/// "NAME=+r OPTION=VALUE" (tuned/plugins/plugin_modules.py).
void TunedPlugins::module(LineId id, const std::string& name, const std::string& value) {
  std::string_view parameters = trim(value);
  const bool loads = parameters.starts_with("+r");
  if (loads) parameters.remove_prefix(2);
  while (parameters.starts_with(',')) parameters.remove_prefix(1);
  if (loads) account_.set(id, {cat("module:", name)}, "loaded");
  if (!trim(parameters).empty())
    account_.refuse(id, "no kind for it yet: parameters of modules");
  else if (!loads)
    account_.refuse(id, "says nothing: neither +r nor a parameter");
}

/// The settings of nettune that writing this file makes.
void TunedPlugins::sysfs(LineId id, const std::string& path, const std::string& value) {
  const bool plain = std::ranges::all_of(words(value), is_plain_word) && !value.empty();
  std::vector<owners::CommandEffect> effects;
  if (plain && path.find_first_of(" \t'\"\\;|&<>`$") == path.npos)
    effects = owners::command_effects(cat("echo ", value, " > ", path), "");
  bool any = false;
  for (const owners::CommandEffect& effect : effects)
    if (effect.address.key().empty() && !effect.value.empty()) {
      account_.set(id, effect.address, effect.value);
      any = true;
    }
  if (!any) no_kind(id, "sysfs", path);
}

bool TunedPlugins::net(LineId id, const std::string& key, const std::string& value,
                       const std::string& devices) {
  static const std::map<std::string_view, std::string_view> kOptions = {
      {"ring", "-G"}, {"channels", "-L"}, {"coalesce", "-C"}, {"pause", "-A"}, {"features", "-K"}};
  const std::string set = set_for(devices);
  if (key == "mtu" || key == "txqueuelen") {
    account_.set(id, {cat("link:", kDevice, ":", key)}, value, set);
    return true;
  }
  const auto option = kOptions.find(key);
  if (option == kOptions.end()) return false;
  const auto parts = words(value);
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    std::vector<owners::CommandEffect> effects;
    if (i + 1 < parts.size() && is_plain_word(parts[i]) && is_plain_word(parts[i + 1]))
      effects = owners::command_effects(
          cat("ethtool ", option->second, " ", kDevice, " ", parts[i], " ", parts[i + 1]), "");
    if (effects.empty()) account_.refuse(id, cat("no kind for it yet: ", key, " ", parts[i]));
    for (const owners::CommandEffect& effect : effects)
      account_.set(id, effect.address, effect.value, set);
  }
  return true;
}

/// The name of the set of hardware interfaces that these rules select (device_matcher.py);
/// TuneD's plugin takes no virtual ones.
std::string TunedPlugins::set_for(const std::string& devices) {
  const auto known = sets_.find(devices);
  if (known != sets_.end()) return known->second;
  std::string name = sets_.empty() ? "nics" : cat("nics_", sets_.size() + 1);
  sets_.emplace(devices, name);
  toml::Node match;
  toml::Node yes;
  yes.kind = toml::Node::Kind::boolean;
  yes.boolean = true;
  match.entries.emplace_back("physical", yes);
  toml::Node names;
  toml::Node others;
  names.kind = others.kind = toml::Node::Kind::array;
  bool takes_all = false;
  for (const std::string& rule : names_in_list(devices)) {
    takes_all = takes_all || rule == "*";
    if (rule.starts_with('!'))
      others.items.push_back(toml::Node::string(rule.substr(1), {}));
    else
      names.items.push_back(toml::Node::string(rule, {}));
  }
  if (takes_all) names.items.clear();
  SetText set;
  set.name = name;
  if (!names.items.empty()) match.entries.emplace_back("name", names);
  set.definition.entries.emplace_back("match", match);
  if (!others.items.empty()) {
    toml::Node except;
    except.entries.emplace_back("name", others);
    set.definition.entries.emplace_back("except", except);
  }
  set.comments = {cat("TuneD's devices: ", devices)};
  account_.add_set(std::move(set));
  return name;
}

}  // namespace nettune::intake
