// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/paths.hpp"

#include <algorithm>
#include <linux/pci_regs.h>

#include "base/text.hpp"
#include "base/word_table.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

constexpr auto kDistances = word_table<Distance>({
    {Distance::pix, "PIX"},
    {Distance::pxb, "PXB"},
    {Distance::phb, "PHB"},
    {Distance::node, "NODE"},
    {Distance::sys, "SYS"},
});

/// "0000:3a" of "0000:3a:00.0": devices of one root complex have the bus of their root port in
/// common.
std::string root_bus(const std::string& address) { return address.substr(0, address.rfind(':')); }

}  // namespace

std::string_view distance_text(Distance distance) { return kDistances.word(distance); }
std::optional<Distance> parse_distance(std::string_view text) { return kDistances.value(text); }

Known<PciPath> pci_path(const Machine& machine, const std::string& from, const std::string& to) {
  const PciFunction* const left = machine.find_pci(from);
  const PciFunction* const right = machine.find_pci(to);
  for (const auto& [function, address] : {std::pair(left, from), std::pair(right, to)})
    if (!function || !machine.knows_path(*function))
      return unknown(cat("the place of ", address.empty() ? "a card" : address,
                         " in the PCI tree is not known"));
  const auto up = machine.above(*left);
  const auto down = machine.above(*right);
  if (up.empty() || down.empty()) return not_applicable("it is part of the root complex");
  PciPath path;
  for (std::size_t i = 0; i < up.size(); ++i) {
    const auto common = std::ranges::find(down, up[i]);
    if (common == down.end()) continue;
    const auto j = static_cast<std::size_t>(common - down.begin());
    for (std::size_t k = 0; k < i; ++k) path.switch_ports.push_back(up[k]);
    for (std::size_t k = 0; k < j; ++k) path.switch_ports.push_back(down[k]);
    // Within one switch, each side is a downstream port below the common upstream port.
    path.distance = i <= 1 && j <= 1 ? Distance::pix : Distance::pxb;
    return path;
  }
  path.root_ports = {up.back(), down.back()};
  if (root_bus(up.back()->address) == root_bus(down.back()->address))
    path.distance = Distance::phb;
  else if (left->numa_node && right->numa_node)
    path.distance = *left->numa_node == *right->numa_node ? Distance::node : Distance::sys;
  else
    path.distance = Distance::sys;
  return path;
}

std::vector<NearHca> near_hcas(const Machine& machine, const std::string& gpu, std::size_t index,
                               std::optional<Gap>& unseen) {
  std::vector<NearHca> found;
  if (const auto lost = cards_without_rdma(machine); !lost.empty())
    unseen = unknown(cat(join(lost, ", "), " shows no RDMA device"));
  for (const facts::RdmaDevice* const card : rdma_cards(machine)) {
    const bool active = std::ranges::any_of(
        card->ports, [](const facts::RdmaPort& port) { return port.state == "ACTIVE"; });
    const auto path = pci_path(machine, gpu, card->pci_address);
    if (path && active) found.push_back({card->name, path->distance});
    if (has_unread_port(*card)) unseen = unknown(cat("the state of ", card->name, " was not read"));
    if (!path && path.gap.blank == facts::Blank::unknown && active) unseen = path.gap;
  }
  if (found.empty())
    for (const TopologyCell& cell : machine.topology)
      if (cell.from == cat("GPU", index) && !cell.to.starts_with("GPU"))
        if (const auto distance = parse_distance(cell.distance))
          found.push_back({cell.to, *distance});
  std::ranges::stable_sort(found, {}, &NearHca::distance);
  return found;
}

Redirect redirect_at(const std::vector<const PciFunction*>& ports) {
  Redirect found;
  for (const PciFunction* const port : ports) {
    if (!port->acs) {
      found.gap = port->acs.gap;
      continue;
    }
    std::vector<std::string> bits;
    if ((*port->acs & PCI_ACS_RR) != 0) bits.emplace_back("ReqRedir");
    if ((*port->acs & PCI_ACS_CR) != 0) bits.emplace_back("CmpltRedir");
    if ((*port->acs & PCI_ACS_EC) != 0) bits.emplace_back("EgressCtrl");
    if (!bits.empty()) found.ports.push_back(cat(port->address, " (", join(bits, " "), ")"));
  }
  std::ranges::sort(found.ports);
  found.ports.erase(std::unique(found.ports.begin(), found.ports.end()), found.ports.end());
  found.on = !found.ports.empty();
  return found;
}

}  // namespace nettune::tools::doctor
