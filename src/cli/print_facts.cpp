// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

std::string number(const std::optional<int>& value) { return value ? cat(*value) : "-"; }

std::string gigabits(const std::optional<int>& mbps) {
  if (!mbps) return "-";
  if (*mbps % 1000 == 0) return cat(*mbps / 1000, "G");
  return cat(*mbps, "M");
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : node::safe(text); }

std::string node_lines(const facts::Node& node, const Style& style) {
  return cat(
      style.bold(or_dash(node.hostname)), ": ", or_dash(node.os_id), " ", or_dash(node.os_version),
      ", Linux ", or_dash(node.kernel), " ", node::safe(node.architecture), ", ", node.cpus,
      " CPUs",
      node.container.empty() ? "" : cat(", in a container (", node::safe(node.container), ")"),
      "\n");
}

std::string net_table(const std::vector<facts::NetDevice>& net, const Style& style) {
  if (net.empty()) return {};
  Table table({{"INTERFACE"},
               {"DRIVER"},
               {"STATE"},
               {"SPEED"},
               {"MTU"},
               {"NUMA"},
               {"PCI"},
               {"ADDRESSES", Table::Give::first}});
  for (const facts::NetDevice& device : net) {
    std::vector<std::string> details;
    if (!device.lowers.empty()) details.push_back(cat("on top of ", join(device.lowers, ", ")));
    if (!device.rdma_devices.empty())
      details.push_back(cat("RDMA: ", join(device.rdma_devices, ", ")));
    for (const std::string& reason : device.protected_by)
      details.push_back(cat("protected: it ", node::safe(reason)));
    const std::string speed =
        device.speed_mbps == device.top_speed_mbps()
            ? gigabits(device.speed_mbps)
            : cat(gigabits(device.speed_mbps), " of ", gigabits(device.top_speed_mbps()));
    table.add({node::safe(device.name),
               device.driver.empty() ? or_dash(device.kind) : node::safe(device.driver),
               or_dash(device.operstate), speed, number(device.mtu), number(device.numa_node),
               or_dash(device.pci_address), node::safe(join(device.addresses, " "))},
              std::move(details));
  }
  return cat("\n", table.text(style));
}

std::string rdma_table(const std::vector<facts::RdmaDevice>& rdma, const Style& style) {
  if (rdma.empty()) return {};
  Table table({{"RDMA"},
               {"PORT"},
               {"LINK"},
               {"STATE"},
               {"RATE"},
               {"INTERFACE"},
               {"NUMA"},
               {"PCI"},
               {"FIRMWARE"}});
  for (const facts::RdmaDevice& device : rdma)
    for (const facts::RdmaPort& port : device.ports)
      table.add({node::safe(device.name), cat(port.number), or_dash(port.link_layer),
                 or_dash(port.state), or_dash(port.rate), or_dash(port.netdev),
                 number(device.numa_node), or_dash(device.pci_address), or_dash(device.firmware)});
  return cat("\n", table.text(style));
}

std::string gpu_table(const std::vector<facts::Gpu>& gpus, const Style& style) {
  if (gpus.empty()) return {};
  Table table({{"GPU"}, {"PCI"}, {"ID"}, {"DRIVER"}, {"NUMA"}});
  for (std::size_t i = 0; i < gpus.size(); ++i)
    table.add({cat(i), node::safe(gpus[i].pci_address), or_dash(gpus[i].pci_id),
               or_dash(gpus[i].driver), number(gpus[i].numa_node)});
  return cat("\n", table.text(style));
}

/// Selected services of the many installed: those that start jobs or manage devices.
std::vector<std::string> notable(const std::vector<std::string>& services) {
  static constexpr std::array<std::string_view, 13> kNotable = {
      "slurmd", "kubelet",        "containerd", "docker",   "crio",  "ssh", "irqbalance",
      "lldpad", "NetworkManager", "firewalld",  "nftables", "tuned", "ufw"};
  std::vector<std::string> found;
  for (const std::string_view name : kNotable)
    if (std::ranges::find(services, name) != services.end()) found.emplace_back(name);
  return found;
}

/// "  zone public (default): eth0; from 10.0.0.0/8"
std::string zone_line(const facts::FirewallZone& zone, bool is_default) {
  std::vector<std::string> parts;
  if (!zone.interfaces.empty()) parts.push_back(node::safe(join(zone.interfaces, ", ")));
  if (is_default) parts.emplace_back("every interface without a zone");
  if (!zone.sources.empty()) parts.push_back(cat("from ", node::safe(join(zone.sources, ", "))));
  return cat("  zone ", node::safe(zone.name),
             zone.target == "default" ? "" : cat(" (target ", node::safe(zone.target), ")"), ": ",
             join(parts, "; "), "\n");
}

std::string firewall_lines(const facts::Firewall& firewall, const Style& style) {
  if (firewall.owner.empty() && firewall.found_by.empty()) return {};
  std::string out =
      cat("\n", labelled("firewall:",
                         cat(firewall.owner.empty() ? "unknown" : node::safe(firewall.owner), " (",
                             node::safe(firewall.found_by), ")"),
                         style));
  if (firewall.panic.value_or(false)) out += "  it is in panic mode and drops everything\n";
  for (const facts::FirewallZone& zone : firewall.zones)
    out += zone_line(zone, zone.name == firewall.default_zone);
  if (firewall.chains.empty()) return out;
  Table table({{"CHAIN"}, {"HOOK"}, {"PRIORITY"}, {"POLICY"}, {"CAN DROP"}, {"OWNER"}});
  for (const facts::FirewallChain& chain : firewall.chains)
    table.add(
        {cat(node::safe(chain.family), " ", node::safe(chain.table), " ", node::safe(chain.name)),
         node::safe(chain.hook), cat(chain.priority), node::safe(chain.policy),
         chain.can_drop ? "yes" : "no", or_dash(chain.owner)});
  return out + table.text(style);
}

}  // namespace

std::string facts(const facts::Facts& facts, const Style& style) {
  std::string out = node_lines(facts.node, style) + net_table(facts.net, style) +
                    rdma_table(facts.rdma, style) + gpu_table(facts.gpus, style) +
                    firewall_lines(facts.firewall, style);
  if (!facts.at_work.empty()) out += "\nbusy with:\n";
  for (const facts::Work& work : facts.at_work)
    out += cat("  ", work.device.empty() ? "" : cat("on ", node::safe(work.device), ": "),
               node::safe(work.what), work.pid > 0 ? cat(" (pid ", work.pid, ")") : "",
               work.detail.empty() ? "" : cat(": ", node::safe(work.detail)), "\n");
  if (const auto services = notable(facts.services); !services.empty())
    out += cat("\nservices: ", join(services, ", "), "\n");
  return out + (facts.notes.empty() ? "" : "\n") + notes(facts.notes, style);
}

}  // namespace nettune::cli::text
