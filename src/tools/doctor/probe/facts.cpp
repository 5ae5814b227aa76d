// SPDX-License-Identifier: Apache-2.0
#include <net/if_arp.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "facts/collect.hpp"
#include "firewall/live_ruleset.hpp"
#include "tools/doctor/probe/gather.hpp"

namespace nettune::tools::doctor::probe {
namespace {

constexpr std::size_t kLargestRecord = std::size_t{4} << 20;

std::uint8_t operstate_number(const std::string& text) {
  static const std::vector<std::string> kStates = {
      "unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up"};
  for (std::size_t i = 0; i < kStates.size(); ++i)
    if (kStates[i] == text) return static_cast<std::uint8_t>(i);
  return 0;
}

/// The links of a recorded tree, in the form of a netlink dump.
std::vector<kernel::Link> links_of_tree(const Directory& root) {
  std::vector<kernel::Link> links;
  for (const std::string& name : root.list("sys/class/net")) {
    const std::string path = cat("sys/class/net/", name);
    const auto index = root.number(path + "/ifindex");
    if (!index || *index <= 0 || *index > 1 << 30) continue;
    kernel::Link link;
    link.name = name;
    link.ifindex = static_cast<int>(*index);
    link.mtu = static_cast<std::uint32_t>(root.number(path + "/mtu").value_or(0));
    link.hardware = static_cast<std::uint16_t>(root.number(path + "/type").value_or(ARPHRD_ETHER));
    link.operstate = operstate_number(root.line(path + "/operstate").value_or(""));
    if (const auto carrier = root.number(path + "/carrier")) link.carrier = *carrier == 1;
    if (root.exists(path + "/bridge")) link.kind = "bridge";
    if (root.exists(path + "/bonding")) link.kind = "bond";
    links.push_back(std::move(link));
  }
  return links;
}

/// Parses the output of `ip -json address`.
std::vector<kernel::InterfaceAddress> addresses_of_text(const std::string& text) {
  using Json = nlohmann::json;
  std::vector<kernel::InterfaceAddress> addresses;
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_array()) return addresses;
  for (const Json& link : document) {
    if (!link.is_object() || !link.contains("addr_info") || !link["addr_info"].is_array()) continue;
    const Json index = link.value("ifindex", Json());
    for (const Json& info : link["addr_info"]) {
      if (!info.is_object() || !index.is_number_integer()) continue;
      const Json local = info.value("local", Json());
      const Json prefix = info.value("prefixlen", Json());
      if (!local.is_string() || !prefix.is_number_integer()) continue;
      addresses.push_back({info.value("family", Json()) == "inet6" ? AF_INET6 : AF_INET,
                           index.get<int>(), local.get<std::string>(), prefix.get<int>()});
    }
  }
  return addresses;
}

/// The default routes of /proc/net/route.
std::vector<kernel::Route> routes_of_tree(const Directory& root,
                                          const std::vector<kernel::Link>& links) {
  std::vector<kernel::Route> routes;
  const auto text = root.read("proc/net/route", kLargestRecord);
  if (!text) return routes;
  for (const std::string_view line : split(*text, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 8 || fields[1] != "00000000" || fields[7] != "00000000") continue;
    for (const kernel::Link& link : links)
      if (link.name == fields[0]) {
        kernel::Route route;
        route.family = AF_INET;
        route.table = 254;
        route.is_default = true;
        route.ifindexes = {link.ifindex};
        routes.push_back(std::move(route));
      }
  }
  return routes;
}

/// Interfaces that `ip -json address` names and the tree lacks: their addresses are this node's.
void add_links_of_text(const std::string& text, std::vector<kernel::Link>& links) {
  using Json = nlohmann::json;
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_array()) return;
  for (const Json& one : document) {
    if (!one.is_object()) continue;
    const Json index = one.value("ifindex", Json());
    const Json name = one.value("ifname", Json());
    if (!index.is_number_integer() || !name.is_string()) continue;
    const auto number = index.get<std::int64_t>();
    if (number <= 0 || number > 1 << 30 ||
        std::ranges::find(links, static_cast<int>(number), &kernel::Link::ifindex) != links.end())
      continue;
    kernel::Link link;
    link.name = name.get<std::string>();
    link.ifindex = static_cast<int>(number);
    const Json state = one.value("operstate", Json());
    if (state.is_string()) link.operstate = operstate_number(lower(state.get<std::string>()));
    const Json mtu = one.value("mtu", Json());
    if (mtu.is_number_unsigned()) link.mtu = mtu.get<std::uint32_t>();
    link.hardware = one.value("link_type", Json()) == "infiniband" ? ARPHRD_INFINIBAND
                    : link.name == "lo"                            ? ARPHRD_LOOPBACK
                                                                   : ARPHRD_ETHER;
    links.push_back(std::move(link));
  }
}

facts::Sources sources_of_tree(const Directory& root, const std::string& path) {
  facts::Sources sources;
  sources.root = path;
  const auto text = root.read("ip-address.json", kLargestRecord);
  std::vector<kernel::Link> links = links_of_tree(root);
  if (text) add_links_of_text(*text, links);
  sources.links = [links] { return Result<std::vector<kernel::Link>>(links); };
  const std::vector<kernel::Route> routes = routes_of_tree(root, links);
  sources.routes = [routes] { return Result<std::vector<kernel::Route>>(routes); };
  if (text) {
    const auto addresses = addresses_of_text(*text);
    sources.addresses = [addresses] {
      return Result<std::vector<kernel::InterfaceAddress>>(addresses);
    };
  }
  return sources;
}

/// The observations of `check` that doctor does not make itself.
void observe_as_check(const GatherRequest& request, Machine& machine) {
  facts::ObservationSources sources;
  if (request.root == "/" && !request.quick) sources = facts::live_observations();
  sources.root = request.root;
  std::set<std::string> names;
  for (const facts::RdmaDevice& device : machine.facts.rdma)
    if (!device.pci_address.empty()) names.insert(device.name);
  auto seen = facts::observe(machine.facts, names, sources);
  if (!seen) return;
  for (facts::Observation& one : *seen) {
    const bool own_way = one.what == facts::kIbState.name ||
                         one.what == facts::kIbSubnetManager.name ||
                         one.what == facts::kPciLink.name || one.what == facts::kPciSlot.name ||
                         one.what == facts::kPciAcsRedirect.name;
    // Questions to a driver or a firmware are left out for a recording, and with --quick.
    const bool asks = one.what == facts::kLinkFec.name || one.what.starts_with("firmware.");
    if (own_way || (asks && (request.quick || request.root != "/"))) continue;
    if (!one.value && one.text.find("run as root") != std::string::npos)
      one.blank = facts::Blank::not_permitted;
    if (!one.value && one.text.find("virtual") != std::string::npos)
      one.blank = facts::Blank::not_applicable;
    if (const facts::NetDevice* const device = machine.facts.find_net(one.device))
      one.concerns = device->rdma_devices;
    machine.of_check.push_back(std::move(one));
  }
}

}  // namespace

Result<facts::Facts> read_facts(const GatherRequest& request, Machine& machine) {
  TRY_ASSIGN(const Directory root, Directory::open_node(request.root));
  const bool live = request.root == "/";
  facts::Sources sources = live ? facts::live() : sources_of_tree(root, request.root);
  firewall::LiveRuleset ruleset;
  if (live) sources.ruleset = [&ruleset] { return ruleset.now(); };
  if (request.quick) sources.link_modes = nullptr;
  TRY_ASSIGN(machine.facts, facts::collect(sources));
  TRY(facts::describe(request.root, machine.facts));
  // A recording without the directory did not list it; on this machine there is then none.
  machine.listed.all = live;
  machine.listed.rdma = live || root.exists("sys/class/infiniband");
  machine.listed.addresses = static_cast<bool>(sources.addresses);
  observe_as_check(request, machine);
  const std::string& version = machine.facts.node.os_version;
  if (machine.facts.node.os_id == "debian") machine.release = version.substr(0, version.find('.'));
  return machine.facts;
}

}  // namespace nettune::tools::doctor::probe
