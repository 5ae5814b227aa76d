// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {

const Observable kRdmaCeiling = observable("rdma.ceiling");

namespace {

/// The data rate of a PCIe link in Gb/s, after the coding (8b/10b, from 8 GT/s on 128b/130b) and 26
/// bytes of header and framing for each 256 of payload.
double pcie_gbps(const PciLink& link) {
  const double raw = link.speed_tenths / 10.0 * link.lanes;
  const double coded = link.speed_tenths < 80 ? raw * 0.8 : raw * 128 / 130;
  return coded * 256 / (256 + 26);
}

/// The share of data in a packet. RoCE v2 over IPv4 adds 82 bytes (including preamble, gap and
/// frame check), InfiniBand 26 (LRH, BTH, ICRC, VCRC).
double payload_share(const facts::RdmaPort& port, int mtu) {
  const int headers = port.link_layer == "InfiniBand" ? 26 : 82;
  return static_cast<double>(mtu) / (mtu + headers);
}

std::string gbps(double value) { return std::to_string(static_cast<int>(value)); }

/// All ports of one card, and the narrowest hop between it and the CPU.
struct WholeCard {
  std::vector<std::string> names;
  double wire_gbps = 0;  ///< the rates of its active ports, without headers
  std::string share;     ///< "4096 bytes a packet leave 98 %"
  std::optional<PciLink> hop;
  std::string hop_at;
};

void add_hop(const PciFunction& function, WholeCard& card) {
  if (!function.now) return;
  if (card.hop && pcie_gbps(*card.hop) <= pcie_gbps(*function.now)) return;
  card.hop = function.now;
  card.hop_at = function.address;
}

std::map<std::string, WholeCard> whole_cards(const Machine& machine) {
  std::map<std::string, WholeCard> cards;
  for (const facts::RdmaDevice* const device : rdma_cards(machine)) {
    const PciFunction* const function = machine.find_pci(device->pci_address);
    if (!function || function->virtual_function) continue;
    WholeCard& card = cards[device->pci_address.substr(0, device->pci_address.rfind('.'))];
    add_hop(*function, card);
    for (const PciFunction* const bridge : machine.above(*function)) add_hop(*bridge, card);
    for (const facts::RdmaPort& port : device->ports) {
      if (port.state != "ACTIVE" || !port.rate_gbps) continue;
      const PortState* const state = find_port(machine, device->name, port.number);
      const int mtu = state ? state->active_mtu.value.value_or(4096) : 4096;
      const double share = payload_share(port, mtu);
      card.names.push_back(cat(device->name, "/", port.number));
      card.wire_gbps += *port.rate_gbps * share;
      card.share = cat(mtu, " bytes per packet leave ", gbps(share * 100), " %");
    }
  }
  return cards;
}

}  // namespace

void observe_ceiling(const Machine& machine, Sightings& out) {
  std::optional<Gap> gap;
  if (rdma_cards(machine).empty()) gap = gap_without_rdma(machine);
  if (!gap && machine.virtual_machine.value.value_or(false))
    gap = not_applicable("a virtual machine's PCI topology is not real");
  if (!gap && !machine.pci) gap = machine.pci.gap;
  if (gap) {
    out.gap(kRdmaCeiling, "", *gap);
    return;
  }
  for (const auto& [slot, card] : whole_cards(machine)) {
    if (card.names.empty()) continue;
    facts::Observation* seen = nullptr;
    if (!card.hop)
      seen = &out.gap(kRdmaCeiling, join(card.names, ", "), unknown("its PCIe link is not known"));
    else {
      const double pcie = pcie_gbps(*card.hop);
      seen =
          &out.add(kRdmaCeiling, join(card.names, ", "), pcie >= card.wire_gbps ? "port" : "pcie",
                   cat("at most ", gbps(std::min(pcie, card.wire_gbps)),
                       " Gb/s of data: its ports carry ", gbps(card.wire_gbps), " (", card.share,
                       "), PCIe ", gbps(pcie), " (", card.hop_at, ")"));
    }
    seen->sureness = facts::Sureness::inferred;
    seen->concerns = card.names;
    for (const std::string& name : card.names)
      seen->concerns.push_back(name.substr(0, name.find('/')));
  }
}

}  // namespace nettune::tools::doctor
