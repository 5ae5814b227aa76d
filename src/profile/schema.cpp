// SPDX-License-Identifier: Apache-2.0
#include "profile/schema.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace nettune::profile {
namespace {

constexpr std::int64_t kSchemaVersion = 1;

constexpr std::string_view kOptionalHelp = "Where it cannot be set, go on and say so";
constexpr std::string_view kNearestHelp = "The kernel may round the value";

constexpr auto kRules = std::to_array<Rule>({
    {"profile/schema", kInteger, "Version of the format: 1", {}, true},
    {"profile/name",
     kString,
     "Name of the profile; equals the file's name without .toml",
     {},
     true},
    {"profile/summary", kString, "One line for `nettune list`", {}, true},
    {"profile/description", kString, "Longer text for people"},
    {"profile/extends", kStrings, "Profiles whose settings this one inherits, left to right"},
    {"profile/remove", kStrings, "Addresses of inherited settings to drop"},

    {"profile/vars", kTable, "Variables, used as ${name}"},
    {"profile/vars/*", kTable, "A variable"},
    {"profile/vars/*/type", kString, "Type of the values", "integer string boolean"},
    {"profile/vars/*/default", kString | kInteger | kBoolean,
     "Value when site file and --set say nothing; it also decides the type"},
    {"profile/vars/*/min", kInteger, "Smallest integer allowed"},
    {"profile/vars/*/max", kInteger, "Largest integer allowed"},
    {"profile/vars/*/choices", kStrings | kIntegers, "The values allowed"},
    {"profile/vars/*/help", kString, "What it is for"},

    {"profile/devices", kTable, "Sets of devices, chosen by lasting properties"},
    {"profile/devices/*", kTable, "A set of network interfaces or of RDMA ports"},
    {"profile/devices/*/of", kString, "What is in it: interfaces, or the ports of RDMA devices",
     "interfaces rdma"},
    {"profile/devices/*/match", kTable, "What a device must be; all keys must hold", {}, true},
    {"profile/devices/*/match/driver", kString | kStrings, "Kernel driver, or one of several"},
    {"profile/devices/*/match/link_layer", kString | kStrings, "\"Ethernet\" or \"InfiniBand\""},
    {"profile/devices/*/match/rdma", kBoolean, "Has an RDMA device"},
    {"profile/devices/*/match/max_speed_gbps", kInteger | kVariable,
     "At least this fast, by the fastest mode that the port supports"},
    {"profile/devices/*/match/pci_id", kString | kStrings, "Vendor and device: \"15b3:1021\""},
    {"profile/devices/*/match/pci_address", kString | kStrings, "PCI address or glob"},
    {"profile/devices/*/match/rate_gbps", kInteger | kVariable,
     "Of RDMA ports: runs at no less, where it has a link"},
    {"profile/devices/*/match/virtual_function", kBoolean, "Of RDMA ports: is one of SR-IOV"},
    {"profile/devices/*/match/name", kString | kStrings, "Name or glob"},
    {"profile/devices/*/match/physical", kBoolean, "Stands on a bus"},
    {"profile/devices/*/match/kind", kString | kStrings,
     "Kind of a virtual link (\"bond\", \"vlan\"); \"\" for hardware"},
    {"profile/devices/*/match/protected", kBoolean,
     "Carries what this node is reached by, or is named in the site file"},
    {"profile/devices/*/match/addressed", kBoolean,
     "Is configured with an IP address other than a link-local one"},
    {"profile/devices/*/match/member", kBoolean, "Belongs to a bond, team or bridge"},
    {"profile/devices/*/except", kTable, "Devices to leave out; all keys must hold"},
    {"profile/devices/*/except/driver", kString | kStrings, "Kernel driver, or one of several"},
    {"profile/devices/*/except/pci_id", kString | kStrings, "Vendor and device: \"15b3:1021\""},
    {"profile/devices/*/except/pci_address", kString | kStrings, "PCI address or glob"},
    {"profile/devices/*/except/name", kString | kStrings, "Name or glob"},
    {"profile/devices/*/except/kind", kString | kStrings, "Kind of a virtual link"},
    {"profile/devices/*/pick", kString, "Take all that match, or the fastest one", "all fastest"},
    {"profile/devices/*/fallback", kString,
     "When nothing matches, take the device that carries the default route", "default-route"},
    {"profile/devices/*/require", kString, "How many there must be: \">= 1\", \"== 2\", \"<= 4\""},

    {"profile/sysctl", kTable, "Kernel parameters"},
    {"profile/sysctl/*", kInteger | kString | kIntegers | kTable,
     "A value, a bound (\">= N\", \"<= N\"), or a table"},
    {"profile/sysctl/*/value", kInteger | kString | kIntegers, "The value or bound"},
    {"profile/sysctl/*/optional", kBoolean, kOptionalHelp},
    {"profile/sysctl/*/nearest", kBoolean, kNearestHelp},
    {"profile/sysctl/*/elements", kStrings | kIntegers,
     "Members that the list in this parameter must contain; others stay"},

    {"profile/link", kTable, "Link settings of device sets"},
    {"profile/link/*", kTable, "Settings of every device in the set"},
    {"profile/link/*/mtu", kInteger | kVariable | kTable, "Largest packet in bytes, 68 to 65535"},
    {"profile/link/*/mtu/value", kInteger | kVariable, "The value", {}, true},
    {"profile/link/*/mtu/optional", kBoolean, kOptionalHelp},
    {"profile/link/*/mtu/nearest", kBoolean,
     "Of IPoIB: what the subnet's multicast group carries of it is accepted"},
    {"profile/link/*/txqueuelen", kInteger | kVariable | kTable, "Packets in the device's queue"},
    {"profile/link/*/txqueuelen/value", kInteger | kVariable, "The value", {}, true},
    {"profile/link/*/txqueuelen/optional", kBoolean, kOptionalHelp},
    {"profile/link/*/ipoib-mode", kString | kTable,
     "Mode of IP over InfiniBand: \"datagram\" or \"connected\""},
    {"profile/link/*/ipoib-mode/value", kString, "The value", {}, true},
    {"profile/link/*/ipoib-mode/optional", kBoolean, kOptionalHelp},

    {"profile/rdma", kTable, "What the RDMA devices of device sets give their traffic"},
    {"profile/rdma/*", kTable, "Settings of the RDMA port of every device in the set"},
    {"profile/rdma/*/cma-roce-mode", kString | kTable,
     "Kind of GID that rdma_cm takes: \"RoCE v2\" or \"IB/RoCE v1\""},
    {"profile/rdma/*/cma-roce-mode/value", kString, "The value", {}, true},
    {"profile/rdma/*/cma-roce-mode/optional", kBoolean, kOptionalHelp},
    {"profile/rdma/*/cma-roce-tos", kInteger | kVariable | kTable,
     "Type of service of rdma_cm's connections, 0 to 255"},
    {"profile/rdma/*/cma-roce-tos/value", kInteger | kVariable, "The value", {}, true},
    {"profile/rdma/*/cma-roce-tos/optional", kBoolean, kOptionalHelp},
    {"profile/rdma/*/traffic-class", kInteger | kVariable | kTable,
     "Traffic class of all queue pairs, 0 to 255; OFED only"},
    {"profile/rdma/*/traffic-class/value", kInteger | kVariable, "The value", {}, true},
    {"profile/rdma/*/traffic-class/optional", kBoolean, kOptionalHelp},
    {"profile/rdma/*/*", kInteger | kString | kTable, "cc-NAME: a parameter of DCQCN"},
    {"profile/rdma/*/*/value", kInteger | kVariable, "The value", {}, true},
    {"profile/rdma/*/*/optional", kBoolean, kOptionalHelp},

    {"profile/qdisc", kTable, "Queueing disciplines of device sets"},
    {"profile/qdisc/*", kTable, "Of every device in the set"},
    {"profile/qdisc/*/root", kString | kTable,
     "Kind of the root: \"fq\", or \"mq/fq\" with one for each queue of the card"},
    {"profile/qdisc/*/root/value", kString, "The value", {}, true},
    {"profile/qdisc/*/root/optional", kBoolean, kOptionalHelp},

    {"profile/lossless", kTable, "RDMA over Ethernet in a class that is paused, not dropped"},
    {"profile/lossless/*", kTable, "The class on every device in the set"},
    {"profile/lossless/*/dscp", kInteger | kVariable, "DSCP of RDMA data, 0 to 63"},
    {"profile/lossless/*/priority", kInteger | kVariable, "Its priority, 0 to 7, which PFC pauses"},
    {"profile/lossless/*/cnp_dscp", kInteger | kVariable, "DSCP of congestion notifications"},
    {"profile/lossless/*/cnp_priority", kInteger | kVariable, "Their priority, not the paused one"},
    {"profile/lossless/*/cable_m", kInteger | kVariable, "Metres of cable to the switch, 1 to 999"},
    {"profile/lossless/*/bandwidth_pct", kInteger | kVariable,
     "Share of the class by ETS, 1 to 99; 0 leaves ETS alone"},

    {"profile/firewall", kTable, "Who may reach this node by device sets"},
    {"profile/firewall/*", kTable, "By every interface in the set"},
    {"profile/firewall/*/mode", kString,
     "Only let peers in (\"allow\", the default), or keep others out as well", "allow restrict"},
    {"profile/firewall/*/peers", kString | kStrings | kTable,
     "Who may come in: \"10.10.0.0/16\", a list of these, or a file"},
    {"profile/firewall/*/peers/file", kString, "Path of a file with one network a line", {}, true},
    {"profile/firewall/*/tcp", kInteger | kString | kIntegers | kStrings,
     "Ports where ranks meet: 29400, \"29500-29510\", or a list of these"},
    {"profile/firewall/*/udp", kInteger | kString | kIntegers | kStrings, "The same of UDP"},
    {"profile/firewall/*/ephemeral", kString,
     "Ports of sockets that choose none (NCCL, Gloo): \"32768-60999\"; sets "
     "net.ipv4.ip_local_port_range as well"},
    {"profile/firewall/*/rdma", kBoolean, "UDP 4791: RoCE in software"},
    {"profile/firewall/*/icmp", kBoolean,
     "Every ICMP message of the peers: echo, path MTU discovery, ..."},
    {"profile/firewall/*/outgoing", kBoolean,
     "This node reaches the peers on these ports, too (true if not said)"},
    {"profile/firewall/*/narrow", kBoolean, "Fewer than 16384 ephemeral ports are meant"},
    {"profile/firewall/*/backend", kString, "Who filters on the node, where it does not show",
     "firewalld ufw nftables iptables none"},

    {"profile/ethtool", kTable, "What ethtool sets, of device sets"},
    {"profile/ethtool/*", kTable, "Settings of every device in the set"},
    {"profile/ethtool/*/*", kBoolean | kInteger | kVariable | kTable,
     "pause-, ring-, channels-, coalesce- and what follows, feature-NAME or flag-NAME"},
    {"profile/ethtool/*/*/value", kBoolean | kInteger | kVariable, "The value", {}, true},
    {"profile/ethtool/*/*/optional", kBoolean, kOptionalHelp},
    {"profile/ethtool/*/*/nearest", kBoolean, kNearestHelp},

    {"profile/dcb", kTable, "Data Center Bridging of device sets"},
    {"profile/dcb/*", kTable, "Settings of every device in the set"},
    {"profile/dcb/*/dcbx", kStrings | kTable, "Who does DCBX, and which versions of it",
     "host lld-managed cee ieee static"},
    {"profile/dcb/*/dcbx/value", kStrings, "The value", "host lld-managed cee ieee static", true},
    {"profile/dcb/*/dcbx/optional", kBoolean, kOptionalHelp},
    {"profile/dcb/*/dcbx/nearest", kBoolean, kNearestHelp},
    {"profile/dcb/*/pfc", kIntegers | kTable, "Lossless priorities; [] for none"},
    {"profile/dcb/*/pfc/value", kIntegers, "The value", {}, true},
    {"profile/dcb/*/pfc/optional", kBoolean, kOptionalHelp},
    {"profile/dcb/*/pfc/nearest", kBoolean, kNearestHelp},
    {"profile/dcb/*/pfc-delay", kInteger | kVariable | kTable,
     "What the driver calls delay; mlx5 takes metres of cable"},
    {"profile/dcb/*/pfc-delay/value", kInteger | kVariable, "The value", {}, true},
    {"profile/dcb/*/pfc-delay/optional", kBoolean, kOptionalHelp},
    {"profile/dcb/*/pfc-delay/nearest", kBoolean, kNearestHelp},
    {"profile/dcb/*/ets-prio-tc", kIntegers | kTable, "Traffic class of each of the 8 priorities"},
    {"profile/dcb/*/ets-prio-tc/value", kIntegers, "The value", {}, true},
    {"profile/dcb/*/ets-prio-tc/optional", kBoolean, kOptionalHelp},
    {"profile/dcb/*/ets-prio-tc/nearest", kBoolean, kNearestHelp},
    {"profile/dcb/*/ets-tsa", kStrings | kTable, "Algorithm of each of the 8 classes",
     "strict cbs ets vendor"},
    {"profile/dcb/*/ets-tsa/value", kStrings, "The value", "strict cbs ets vendor", true},
    {"profile/dcb/*/ets-tsa/optional", kBoolean, kOptionalHelp},
    {"profile/dcb/*/ets-tsa/nearest", kBoolean, kNearestHelp},
    {"profile/dcb/*/ets-bw", kIntegers | kTable, "Per cent of each of the 8 classes"},
    {"profile/dcb/*/ets-bw/value", kIntegers, "The value", {}, true},
    {"profile/dcb/*/ets-bw/optional", kBoolean, kOptionalHelp},
    {"profile/dcb/*/ets-bw/nearest", kBoolean, kNearestHelp},
    {"profile/dcb/*/maxrate", kIntegers | kTable,
     "Limit of each of the 8 classes in kbit/s, 0 for none"},
    {"profile/dcb/*/maxrate/value", kIntegers, "The value", {}, true},
    {"profile/dcb/*/maxrate/optional", kBoolean, kOptionalHelp},
    {"profile/dcb/*/maxrate/nearest", kBoolean, kNearestHelp},
    {"profile/dcb/*/buffer-prio", kIntegers | kTable, "Buffer of each of the 8 priorities"},
    {"profile/dcb/*/buffer-prio/value", kIntegers, "The value", {}, true},
    {"profile/dcb/*/buffer-prio/optional", kBoolean, kOptionalHelp},
    {"profile/dcb/*/buffer-prio/nearest", kBoolean, kNearestHelp},
    {"profile/dcb/*/buffer-size", kIntegers | kTable, "Bytes of each of the 8 buffers"},
    {"profile/dcb/*/buffer-size/value", kIntegers, "The value", {}, true},
    {"profile/dcb/*/buffer-size/optional", kBoolean, kOptionalHelp},
    {"profile/dcb/*/buffer-size/nearest", kBoolean, kNearestHelp},
    {"profile/dcb/*/app", kTable, "Entries of the APP table: dscp-26 = 3; others stay"},
    {"profile/dcb/*/app/*", kInteger | kIntegers | kVariable | kTable,
     "Priority of a DSCP, port or EtherType"},
    {"profile/dcb/*/app/*/value", kInteger | kIntegers | kVariable, "The value", {}, true},
    {"profile/dcb/*/app/*/optional", kBoolean, kOptionalHelp},

    {"profile/modules", kTable, "Kernel modules"},
    {"profile/modules/load", kStrings, "Modules to load, now and at boot"},

    {"profile/limits", kTable, "Resource limits"},
    {"profile/limits/memlock", kString | kInteger,
     "Memory that may be locked: \"unlimited\" or KiB"},
    {"profile/limits/services", kStrings, "systemd services that get the limit too"},

    {"profile/files", kTable, "Whole files below /etc"},
    {"profile/files/*", kTable, "A file"},
    {"profile/files/*/content", kString, "Everything in it", {}, true},
    {"profile/files/*/mode", kString, "Permissions in octal, \"0644\" by default"},
    {"profile/files/*/owner", kString, "\"root:root\" (the default) or numbers: \"0:0\""},

    {"profile/env", kTable, "Environment variables of jobs"},
    {"profile/env/outputs", kStrings, "Where they go; the first three by default",
     "nccl.conf profile.d env-file systemd slurm k8s json"},
    {"profile/env/services", kStrings, "systemd services that get them too"},
    {"profile/env/*", kString | kInteger | kTable, "A variable"},
    {"profile/env/*/value", kString | kInteger, "The value", {}, true},
    {"profile/env/*/optional", kBoolean, "Leave it out where its device set is empty"},
    {"profile/env/*/same_on_all_nodes", kBoolean, "Must be equal on all nodes of a job"},

    {"profile/tcp", kTable, "TCP buffers from the bandwidth-delay product"},
    {"profile/tcp/rate_gbps", kInteger | kFloat | kVariable, "Rate of one connection in Gb/s"},
    {"profile/tcp/rtt_ms", kInteger | kFloat | kVariable, "Longest round trip in ms"},

    {"profile/refuse", kTable, "Nodes on which this profile is applied only with a flag"},
    {"profile/refuse/rdma_active", kString, "Why not where an RDMA port is ACTIVE"},

    {"site/vars", kTable, "Values for variables of profiles"},
    {"site/vars/*", kString | kInteger | kBoolean, "A value"},
    {"site/protect", kTable, "What must not be cut"},
    {"site/protect/devices", kStrings, "Interfaces that count as protected"},
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

bool has_reference(const Node& node) {
  return node.is(Node::Kind::string) && node.text.find("${") != std::string::npos;
}

bool fits_list(const Node& list, unsigned types) {
  // An integer may come out of a variable, whatever kind of list it stands in.
  return std::ranges::all_of(list.items, [&](const Node& item) {
    return (item.is(Node::Kind::string) && (types & kStrings) != 0) ||
           (item.is(Node::Kind::integer) && (types & kIntegers) != 0) ||
           ((types & kIntegers) != 0 && has_reference(item));
  });
}

bool fits(const Node& node, unsigned types) {
  switch (node.kind) {
    case Node::Kind::table:
      return (types & kTable) != 0;
    case Node::Kind::array:
      return (types & (kStrings | kIntegers)) != 0 && fits_list(node, types);
    case Node::Kind::string:
      return (types & kString) != 0 || ((types & kVariable) != 0 && has_reference(node));
    case Node::Kind::integer:
      return (types & kInteger) != 0;
    case Node::Kind::floating:
      return (types & kFloat) != 0;
    case Node::Kind::boolean:
      return (types & kBoolean) != 0;
  }
  return false;
}

Result<> check_choices(const Node& value, const Rule& rule, std::string_view name) {
  if (rule.choices.empty() || value.is(Node::Kind::table)) return {};
  std::vector<std::string> allowed;
  for (const std::string_view word : words(rule.choices)) allowed.emplace_back(word);
  const auto check = [&](const Node& node) -> Result<> {
    if (std::ranges::find(allowed, node.text) != allowed.end()) return {};
    return fail_at(node.origin, cat(name, " cannot be \"", printable(node.text),
                                    "\"; it is one of: ", join(allowed, ", "),
                                    did_you_mean(node.text, allowed)));
  };
  if (!value.is(Node::Kind::array)) return check(value);
  for (const Node& item : value.items) TRY(check(item));
  return {};
}

Result<> check_value(const Node& value, const Rule& rule, std::string_view name) {
  if (!fits(value, rule.types)) {
    const std::string got =
        value.is(Node::Kind::array)
            ? cat("the list ", shown(value))
            : cat(kind_text(value.kind),
                  value.is(Node::Kind::table) ? "" : cat(" (", shown(value), ")"));
    return fail_at(value.origin, cat(name, " must be ", types_text(rule.types), ", but is ", got));
  }
  return check_choices(value, rule, name);
}

const Rule* rule_for(std::string_view path, std::string_view key) {
  const Rule* any = nullptr;
  for (const Rule* const rule : rules_below(path)) {
    if (last_part(rule->path) == key) return rule;
    if (last_part(rule->path) == "*") any = rule;
  }
  return any;
}

Failure unknown_key(const Node& value, std::string_view path, const std::string& key,
                    std::string_view place) {
  std::vector<std::string> known;
  for (const Rule* const rule : rules_below(path)) known.emplace_back(last_part(rule->path));
  std::string text = cat("unknown key \"", printable(key), "\" in ", place);
  if (const auto near = nearest(key, known)) {
    text += cat("; did you mean \"", *near, "\"?");
  } else {
    text += cat("; known there: ", join(known, ", "));
  }
  return fail_at(value.origin, std::move(text));
}

/// [sysctl] net.core.rmem_max = 1 without quotes is a table in a table in a table to TOML.
Result<> check_quotes(const Node& table, std::string_view path, const std::string& key) {
  const bool quoted = key.find_first_of("./") != std::string::npos;
  if (path != "profile/sysctl" || quoted || table.entries.empty()) return {};
  const std::string& inner = table.entries.front().first;
  if (rule_for("profile/sysctl/*", inner) != nullptr) return {};
  return fail_at(table.origin, cat("unknown key \"", printable(inner), "\" in [sysctl] ",
                                   printable(key), "; a name with dots needs quotes: \"",
                                   printable(key), ".", printable(inner), "...\" = ..."));
}

Result<> check_version(const Node& root) {
  const Node* const schema = root.find("schema");
  if (schema == nullptr) {
    return fail_at({root.origin.file, 1}, "the key \"schema\" is missing; write schema = 1 on top");
  }
  if (schema->is(Node::Kind::integer) && schema->integer == kSchemaVersion) return {};
  return fail_at(schema->origin, cat("schema is ", shown(*schema), ", but this nettune knows only ",
                                     kSchemaVersion, "; a newer one may be needed"));
}

Result<> check_table(const Node& table, const std::string& path, const std::string& place) {
  for (const auto& [key, value] : table.entries) {
    const Rule* const rule = rule_for(path, key);
    if (rule == nullptr) return unknown_key(value, path, key, place);
    const std::string name =
        place.starts_with('[') ? cat(place, ' ', printable(key)) : printable(key);
    TRY(check_value(value, *rule, name));
    if (!value.is(Node::Kind::table)) continue;
    TRY(check_quotes(value, path, key));
    const std::string inner = place.starts_with('[')
                                  ? cat(place.substr(0, place.size() - 1), '.', printable(key), ']')
                                  : cat('[', printable(key), ']');
    TRY(check_table(value, std::string(rule->path), inner));
  }
  for (const Rule* const rule : rules_below(path)) {
    if (rule->required && table.find(last_part(rule->path)) == nullptr) {
      return fail_at(table.origin,
                     cat("the key \"", last_part(rule->path), "\" is missing in ", place));
    }
  }
  return {};
}

}  // namespace

std::span<const Rule> rules() { return kRules; }

std::vector<const Rule*> rules_below(std::string_view path) {
  std::vector<const Rule*> below;
  for (const Rule& rule : kRules) {
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

Result<> validate(const Node& table, std::string_view path) {
  if (path == "profile") TRY(check_version(table));
  return check_table(table, std::string(path), path == "site" ? "the site file" : "the profile");
}

Result<> validate_value(const Node& value, std::string_view path, std::string_view name) {
  const auto* const rule = std::ranges::find(kRules, path, &Rule::path);
  if (rule == kRules.end()) return {};
  return check_value(value, *rule, name);
}

}  // namespace nettune::profile
