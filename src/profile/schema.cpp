// SPDX-License-Identifier: Apache-2.0
#include "profile/schema.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include "base/text.hpp"
#include "profile/section.hpp"

namespace nettune::profile {
namespace {

constexpr std::int64_t kSchemaVersion = 1;

constexpr auto kRules = std::to_array<Rule>({
    {"profile/schema", kInteger, "Version of the format: 1", {}, true},
    {"profile/name",
     kString,
     "The file's name without .toml: lower-case letters, digits, \"-\", \"_\" and \".\"",
     {},
     true,
     {.pattern = "^[a-z0-9._-]+$"}},
    {"profile/summary",
     kString,
     "One line for `nettune list`",
     {},
     true,
     {.pattern = "^[^\\u0000-\\u001f]*$"}},
    {"profile/description", kString, "Longer text for people"},
    {"profile/extends", kStrings, "Profiles whose settings this one inherits, left to right"},
    {"profile/remove", kStrings, "Addresses of inherited settings to drop"},

    {"profile/vars", kTable, "Variables, used as ${name}"},
    {"profile/vars/*", kTable, "A variable"},
    {"profile/vars/*/type", kString, "Type of the values", "integer string boolean"},
    {"profile/vars/*/default", kString | kInteger | kBoolean,
     "Value if neither the site file nor --set gives one; also decides the type"},
    {"profile/vars/*/min", kInteger, "Smallest integer allowed"},
    {"profile/vars/*/max", kInteger, "Largest integer allowed"},
    {"profile/vars/*/choices", kStrings | kIntegers, "The values allowed"},
    {"profile/vars/*/help", kString, "What it is for"},

    {"profile/devices", kTable, "Device sets, selected by stable properties"},
    {"profile/devices/*", kTable, "A set of network interfaces or of RDMA ports"},
    {"profile/devices/*/of", kString, "Members: network interfaces, or ports of RDMA devices",
     "interfaces rdma"},
    {"profile/devices/*/match", kTable, "What a device must match; all keys must match", {}, true},
    {"profile/devices/*/match/driver", kString | kStrings, "Kernel driver, or one of several"},
    {"profile/devices/*/match/link_layer", kString | kStrings, "\"Ethernet\" or \"InfiniBand\""},
    {"profile/devices/*/match/rdma", kBoolean, "Has an RDMA device"},
    {"profile/devices/*/match/max_speed_gbps", kInteger | kVariable,
     "Minimum speed in Gb/s, by the port's fastest supported mode; for a bond, the sum of its "
     "members"},
    {"profile/devices/*/match/pci_id", kString | kStrings, "Vendor and device: \"15b3:1021\""},
    {"profile/devices/*/match/pci_address", kString | kStrings,
     "PCI address or glob; \"*\" is any PCI device"},
    {"profile/devices/*/match/rate_gbps", kInteger | kVariable,
     "RDMA ports: minimum rate in Gb/s, if the port has a link"},
    {"profile/devices/*/match/virtual_function", kBoolean,
     "RDMA ports: is an SR-IOV virtual function; in a guest, judged by the PCI id"},
    {"profile/devices/*/match/name", kString | kStrings, "Name or glob (*, ? and [...])"},
    {"profile/devices/*/match/physical", kBoolean, "Is on a bus, not virtual"},
    {"profile/devices/*/match/kind", kString | kStrings,
     "Kind of a virtual link (\"bond\", \"vlan\"); \"\" for hardware"},
    {"profile/devices/*/match/protected", kBoolean,
     "Carries access to this node, or is listed in the site file"},
    {"profile/devices/*/match/addressed", kBoolean,
     "Has an IP address other than a link-local one"},
    {"profile/devices/*/match/member", kBoolean, "Belongs to a bond, team or bridge"},
    {"profile/devices/*/except", kTable, "Devices to exclude; all keys must match"},
    {"profile/devices/*/except/driver", kString | kStrings, "Kernel driver, or one of several"},
    {"profile/devices/*/except/pci_id", kString | kStrings, "Vendor and device: \"15b3:1021\""},
    {"profile/devices/*/except/pci_address", kString | kStrings,
     "PCI address or glob; \"*\" is any PCI device"},
    {"profile/devices/*/except/name", kString | kStrings, "Name or glob (*, ? and [...])"},
    {"profile/devices/*/except/kind", kString | kStrings, "Kind of a virtual link"},
    {"profile/devices/*/pick", kString, "Take all that match, or the fastest one", "all fastest"},
    {"profile/devices/*/fallback", kString,
     "If nothing matches, the devices that carry a default route", "default-route"},
    {"profile/devices/*/require",
     kString,
     "How many there must be: \">= 1\", \"== 2\", \"<= 4\"",
     {},
     false,
     {.pattern = "^ *(>=|==|<=) *[0-9]+ *$"}},

    {"profile/refuse", kTable, "Nodes on which this profile needs a flag"},
    {"profile/refuse/rdma_active", kString,
     "Why apply needs a flag if an RDMA port of the node is ACTIVE"},

    {"site/vars", kTable, "Values for profile variables"},
    {"site/vars/*", kString | kInteger | kBoolean, "A value"},
    {"site/protect", kTable, "Devices that must stay reachable"},
    {"site/protect/devices", kStrings, "Interfaces to protect"},
    {"site/doctor", kTable, "Site settings for nettune doctor"},
    {"site/doctor/drain", kStrings, "Rules whose faults drain a node (doctor --prolog)"},
    {"site/doctor/settle_s", kInteger,
     "Seconds after boot in which a passing fault drains no node; default 300"},
    {"site/doctor/look_again_s", kInteger,
     "Seconds between two looks at a passing fault, 1 to 15; default 5"},
    {"site/doctor/owes", kTable, "What this node must have, whatever its siblings have"},
    {"site/doctor/owes/gpus", kInteger, "How many GPUs"},
    {"site/doctor/owes/nvlinks", kInteger, "How many NVLinks of each GPU are up"},
    {"site/doctor/owes/ports", kStrings, "The RDMA ports that are active, such as mlx5_*/1"},
    {"site/doctor/ignore", kTable, "Known findings, each under its own name"},
    {"site/doctor/ignore/*", kTable, "A known finding"},
    {"site/doctor/ignore/*/id", kString, "The rule", {}, true},
    {"site/doctor/ignore/*/device", kString, "The device, with * and ?; all devices by default"},
    {"site/doctor/ignore/*/until", kString, "The last day, such as 2026-12-31"},
    {"site/doctor/ignore/*/why", kString, "The reason, for others", {}, true},
    {"site/slurm", kTable, "What nettune-slurm-health does on a node of Slurm"},
    {"site/slurm/drain", kBoolean, "Drain this node for a lasting fault, and undrain it after"},
    {"site/slurm/seen", kInteger, "How many checks in a row must find the fault; default 3"},
    {"site/slurm/most_nodes", kInteger, "Most nodes that nettune has drained at a time; default 2"},
    {"site/slurm/most_percent", kInteger, "Also at most this part of all nodes, rounded down"},
    {"site/slurm/comment", kBoolean, "Set the node's comment in Slurm; default true"},
    {"site/slurm/metrics", kString, "A file for node_exporter's textfile collector"},
    {"site/slurm/scontrol", kString, "The program scontrol; default /usr/bin/scontrol"},
    {"site/boot", kTable, "Arguments of the kernel"},
    {"site/boot/arguments", kStrings, "Profiles may set these, too, by [boot.cmdline]"},
    {"site/boot/announce", kBoolean, "Say in /run/reboot-required that a reboot is owed"},
    {"site/boot/acs_with_guests", kBoolean,
     "[acs] may take isolation away although devices are given to guests"},
    {"site/boot/probes", kStrings,
     "They become the default when all of these succeed, as those of --probe"},
    {"site/history", kTable, "The record of earlier changes"},
    {"site/history/keep",
     kInteger,
     "Transactions to keep, and so how far rollback can go back; 100",
     {},
     false,
     {.least = 1}},
});

constexpr std::array<std::pair<unsigned, std::string_view>, 8> kTypeTexts = {{
    {kInteger, "an integer"},
    {kFloat, "a number"},
    {kBoolean, "true or false"},
    {kString, "a string"},
    {kStrings, "a list of strings"},
    {kIntegers, "a list of integers"},
    {kVariable, "a ${variable}"},
    {kTable, "a table"},
}};

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool has_reference(const toml::Node& node) {
  return node.is(toml::Node::Kind::string) && node.text.find("${") != std::string::npos;
}

bool fits_list(const toml::Node& list, unsigned types) {
  // A variable may yield an integer, in any kind of list.
  return std::ranges::all_of(list.items, [&](const toml::Node& item) {
    return (item.is(toml::Node::Kind::string) && (types & kStrings) != 0) ||
           (item.is(toml::Node::Kind::integer) && (types & kIntegers) != 0) ||
           ((types & kIntegers) != 0 && has_reference(item));
  });
}

bool fits(const toml::Node& node, unsigned types) {
  switch (node.kind) {
    case toml::Node::Kind::table:
      return (types & kTable) != 0;
    case toml::Node::Kind::array:
      return (types & (kStrings | kIntegers)) != 0 && fits_list(node, types);
    case toml::Node::Kind::string:
      return (types & kString) != 0 || ((types & kVariable) != 0 && has_reference(node));
    case toml::Node::Kind::integer:
      return (types & kInteger) != 0;
    case toml::Node::Kind::floating:
      return (types & kFloat) != 0;
    case toml::Node::Kind::boolean:
      return (types & kBoolean) != 0;
  }
  return false;
}

Result<> check_choices(const toml::Node& value, const Rule& rule, std::string_view name) {
  if (rule.choices.empty() || value.is(toml::Node::Kind::table)) return {};
  std::vector<std::string> allowed;
  for (const std::string_view word : choices_of(rule)) allowed.emplace_back(word);
  const auto check = [&](const toml::Node& node) -> Result<> {
    if (has_reference(node) || std::ranges::find(allowed, node.text) != allowed.end()) return {};
    return toml::fail_at(node.origin, cat(name, " is \"", printable(node.text),
                                          "\"; use one of: ", join(allowed, ", "),
                                          toml::did_you_mean(node.text, allowed)));
  };
  if (!value.is(toml::Node::Kind::array)) return check(value);
  for (const toml::Node& item : value.items) TRY(check(item));
  return {};
}

/// "use an integer from 0 to 7".
std::string range_text(const Bounds& bounds) {
  constexpr std::int64_t kNoMost = std::numeric_limits<std::int64_t>::max();
  return bounds.most == kNoMost ? cat("use an integer of at least ", bounds.least)
                                : cat("use an integer from ", bounds.least, " to ", bounds.most);
}

Result<> check_bounds(const toml::Node& value, const Bounds& bounds, std::string_view name) {
  const auto refuse = [&](const toml::Node& node, std::string_view why) {
    return toml::fail_at(node.origin, cat(name, " cannot be ", toml::shown(node), "; ", why));
  };
  const auto is_outside = [&](const toml::Node& node) {
    return node.is(toml::Node::Kind::integer) &&
           (node.integer < bounds.least || node.integer > bounds.most);
  };
  if (is_outside(value)) return refuse(value, range_text(bounds));
  if (!value.is(toml::Node::Kind::array)) return {};
  for (const toml::Node& item : value.items)
    if (is_outside(item)) return refuse(item, range_text(bounds));
  if (bounds.members != 0 && value.items.size() != bounds.members)
    return refuse(value,
                  cat("it has ", value.items.size(), " members, and needs ", bounds.members));
  return {};
}

Result<> check_value(const toml::Node& value, const Rule& rule, std::string_view name) {
  if (!fits(value, rule.types)) {
    const std::string got =
        value.is(toml::Node::Kind::array)
            ? cat("the list ", toml::shown(value))
            : cat(toml::kind_text(value.kind),
                  value.is(toml::Node::Kind::table) ? "" : cat(" (", toml::shown(value), ")"));
    return toml::fail_at(value.origin,
                         cat(name, " must be ", types_text(rule.types), ", not ", got));
  }
  TRY(check_choices(value, rule, name));
  return check_bounds(value, rule.bounds, name);
}

const Rule* rule_for(std::string_view path, std::string_view key) {
  const Rule* any = nullptr;
  for (const Rule* const rule : rules_below(path)) {
    if (last_part(rule->path) == key) return rule;
    if (last_part(rule->path) == "*") any = rule;
  }
  return any;
}

Failure unknown_key(const toml::Node& value, std::string_view path, const std::string& key,
                    std::string_view place) {
  std::vector<std::string> known;
  for (const Rule* const rule : rules_below(path)) known.emplace_back(last_part(rule->path));
  std::string text = cat("unknown key \"", printable(key), "\" in ", place);
  if (const auto near = nearest(key, known)) {
    text += cat("; did you mean \"", *near, "\"?");
  } else {
    text += cat("; known there: ", join(known, ", "));
  }
  return toml::fail_at(value.origin, std::move(text));
}

/// [sysctl] net.core.rmem_max = 1 without quotes is a table in a table in a table to TOML.
Result<> check_quotes(const toml::Node& table, std::string_view path, const std::string& key) {
  const bool quoted = key.find_first_of("./") != std::string::npos;
  if (path != "profile/sysctl" || quoted || table.entries.empty()) return {};
  const std::string& inner = table.entries.front().first;
  if (rule_for("profile/sysctl/*", inner) != nullptr) return {};
  return toml::fail_at(table.origin, cat("unknown key \"", printable(inner), "\" in [sysctl] ",
                                         printable(key), "; a name with dots needs quotes: \"",
                                         printable(key), ".", printable(inner), "...\" = ..."));
}

Result<> check_version(const toml::Node& root) {
  const toml::Node* const schema = root.find("schema");
  if (schema == nullptr) {
    return toml::fail_at({root.origin.file, 1},
                         "the key \"schema\" is missing; write schema = 1 at the top");
  }
  if (schema->is(toml::Node::Kind::integer) && schema->integer == kSchemaVersion) return {};
  return toml::fail_at(schema->origin,
                       cat("schema is ", toml::shown(*schema), ", but this nettune knows only ",
                           kSchemaVersion, "; a newer one may be needed"));
}

void check_table(toml::Node& table, const std::string& path, const std::string& place,
                 Mistakes& mistakes);

/// False where it is of no use.
bool check_entry(const std::string& key, toml::Node& value, const std::string& path,
                 const std::string& place, Mistakes& mistakes) {
  const Rule* const rule = rule_for(path, key);
  if (rule == nullptr) return mistakes.take(Result<>(unknown_key(value, path, key, place)));
  const std::string name =
      place.starts_with('[') ? cat(place, ' ', printable(key)) : printable(key);
  if (!mistakes.take(check_value(value, *rule, name))) return false;
  if (!value.is(toml::Node::Kind::table)) return true;
  if (!mistakes.take(check_quotes(value, path, key))) return false;
  const std::string inner = place.starts_with('[')
                                ? cat(place.substr(0, place.size() - 1), '.', printable(key), ']')
                                : cat('[', printable(key), ']');
  Mistakes inside;
  check_table(value, std::string(rule->path), inner, inside);
  mistakes.add_all(inside);
  // A section of things that have nothing to do with each other goes on without the wrong ones.
  const bool goes_on = (path == "profile" || path == "site") &&
                       std::ranges::any_of(rules_below(rule->path), [](const Rule* const below) {
                         return last_part(below->path) == "*";
                       });
  return goes_on || !inside.any();
}

void check_table(toml::Node& table, const std::string& path, const std::string& place,
                 Mistakes& mistakes) {
  std::vector<const Rule*> missing;
  for (const Rule* const rule : rules_below(path))
    if (rule->required && table.find(last_part(rule->path)) == nullptr) missing.push_back(rule);
  std::erase_if(table.entries, [&](auto& entry) {
    return !check_entry(entry.first, entry.second, path, place, mistakes);
  });
  for (const Rule* const rule : missing)
    mistakes.add(toml::fail_at(table.origin,
                               cat("the key \"", last_part(rule->path), "\" is missing in ", place))
                     .value());
}

/// A rule, and those of the table that may be in the place of its value.
void add_rule(std::vector<Rule>& all, const Rule& rule) {
  constexpr unsigned kTables = kOptional | kRounded;
  const unsigned plain = rule.types & ~kTables;
  all.push_back({rule.path, (rule.types & kTables) == 0 ? plain : plain | kTable, rule.help,
                 rule.choices, rule.required, rule.bounds});
  if ((rule.types & kTables) == 0) return;
  static std::deque<std::string> paths;
  const auto below = [&](std::string_view key) -> std::string_view {
    return paths.emplace_back(cat(rule.path, "/", key));
  };
  Bounds bounds = rule.bounds;
  bounds.keys = {};
  all.push_back({below("value"), plain, "The value", rule.choices, true, bounds});
  all.push_back({below("optional"), kBoolean, kOptionalHelp});
  if ((rule.types & kRounded) != 0) all.push_back({below("nearest"), kBoolean, kNearestHelp});
}

}  // namespace

std::span<const Rule> rules() {
  static const std::vector<Rule> kAll = [] {
    std::vector<Rule> all;
    for (const Rule& rule : kRules) add_rule(all, rule);
    for (const Section* const section : sections())
      for (const Rule& rule : section->rules) add_rule(all, rule);
    return all;
  }();
  return kAll;
}

std::vector<std::string_view> choices_of(const Rule& rule) {
  const bool has_blanks = rule.choices.find('|') != std::string_view::npos;
  return has_blanks ? split(rule.choices, '|') : words(rule.choices);
}

std::vector<const Rule*> rules_below(std::string_view path) {
  std::vector<const Rule*> below;
  for (const Rule& rule : rules()) {
    const auto slash = rule.path.rfind('/');
    if (rule.path.substr(0, slash) == path) below.push_back(&rule);
  }
  return below;
}

std::string types_text(unsigned types) {
  std::vector<std::string> texts;
  for (const auto& [type, text] : kTypeTexts) {
    if ((types & type) != 0) texts.emplace_back(text);
  }
  if (texts.size() < 2) return join(texts, "");
  const std::string last = texts.back();
  texts.pop_back();
  return cat(join(texts, ", "), " or ", last);
}

Result<> validate(toml::Node& table, std::string_view path, Mistakes& mistakes) {
  if (path == "profile") TRY(check_version(table));
  check_table(table, std::string(path), path == "site" ? "the site file" : "the profile", mistakes);
  return {};
}

Result<> validate_value(const toml::Node& value, std::string_view path, std::string_view name) {
  const auto rule = std::ranges::find(rules(), path, &Rule::path);
  return rule == rules().end() ? Result<>() : check_value(value, *rule, name);
}

}  // namespace nettune::profile
