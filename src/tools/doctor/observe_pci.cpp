// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <linux/pci_regs.h>
#include <map>
#include <set>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kGpuBar = observable("gpu.bar");
const Observable kGpuBarSize = observable("gpu.bar-size");
const Observable kNumaKnown = observable("numa.known");
const Observable kPciGone = observable("pci.gone");
const Observable kPciUplink = observable("pci.uplink");

/// A GPU or a network card, and its usual name.
struct Card {
  const PciFunction* function;
  std::string name;
  bool is_gpu;
};

std::vector<Card> cards_of(const Machine& machine) {
  std::vector<Card> cards;
  for (const PciFunction& function : *machine.pci) {
    if (function.is_nvidia_gpu()) cards.push_back({&function, gpu_name(function.address), true});
    const auto rdma = std::ranges::find_if(
        machine.facts.rdma,
        [&](const facts::RdmaDevice& device) { return device.pci_address == function.address; });
    if (rdma != machine.facts.rdma.end())
      cards.push_back({&function, cat(rdma->name, " ", function.address), false});
    else if (function.id.starts_with("15b3:") && function.klass.starts_with("0x02"))
      cards.push_back({&function, cat("card ", function.address), false});
  }
  return cards;
}

facts::Observation& named(facts::Observation& seen, const Card& card) {
  seen.concerns = {card.function->address, card.name.substr(0, card.name.find(' '))};
  return seen;
}

/// Its usual name, and those by which findings are about it.
void add_names(const Card& card, std::vector<std::string>& names,
               std::vector<std::string>& concerns) {
  names.push_back(card.name);
  concerns.push_back(card.function->address);
  concerns.push_back(card.name.substr(0, card.name.find(' ')));
}

void observe_link(const Machine& machine, const Card& card, Sightings& out) {
  const PciFunction& function = *card.function;
  if (function.virtual_function || !function.now || !function.most) {
    named(out.gap(facts::kPciLink, card.name, not_applicable("it shows no PCIe link of its own")),
          card);
    return;
  }
  const auto bridges = machine.above(function);
  const PciLink* const slot =
      !bridges.empty() && bridges.front()->most ? &*bridges.front()->most : nullptr;
  const std::string runs = cat("its PCIe link runs at ", link_text(*function.now));
  const bool is_full = function.now->lanes >= function.most->lanes &&
                       function.now->speed_tenths >= function.most->speed_tenths;
  if (!slot && !is_full) {
    named(out.gap(facts::kPciLink, card.name,
                  unknown(cat(runs, " of ", link_text(*function.most),
                              ", but it is not known what its slot supports"))),
          card);
    return;
  }
  PciLink both = *function.most;
  if (slot) {
    both.lanes = std::min(both.lanes, slot->lanes);
    both.speed_tenths = std::min(both.speed_tenths, slot->speed_tenths);
  }
  const bool narrow = function.now->lanes < both.lanes;
  const bool slow = function.now->speed_tenths < both.speed_tenths;
  const std::string text = cat(runs, "; card and slot support ", link_text(both));
  std::optional<Gap> sleeps;
  if (!narrow && slow && card.is_gpu)
    sleeps = may_sleep(machine, function.address, function.now->speed_tenths, both.speed_tenths);
  if (sleeps)
    named(out.gap(facts::kPciLink, card.name, {sleeps->blank, cat(text, "; ", sleeps->why)}), card);
  else
    named(out.add(facts::kPciLink, card.name, narrow || slow ? "reduced" : "full",
                  narrow || slow ? text : runs),
          card)
        .sureness = facts::Sureness::measured;
}

/// The links above the cards: of each switch, the one of its upstream port to the bridge above.
/// Each is observed once, with the cards below it. From a card up, every second bridge is the
/// upstream port of a switch, as the two ports of a switch have no link between them.
void observe_uplinks(const Machine& machine, const std::vector<Card>& cards, Sightings& out) {
  std::map<const PciFunction*, std::vector<const Card*>> below;
  for (const Card& card : cards) {
    if (card.function->virtual_function) continue;
    const auto bridges = machine.above(*card.function);
    for (std::size_t i = 1; i + 1 < bridges.size(); i += 2)
      if (bridges[i]->port_type.value_or(PCI_EXP_TYPE_UPSTREAM) == PCI_EXP_TYPE_UPSTREAM)
        below[bridges[i]].push_back(&card);
  }
  if (below.empty()) out.gap(kPciUplink, "", not_applicable("no card here is below a PCIe switch"));
  for (const auto& [port, users] : below) {
    const PciFunction* const above = machine.find_pci(port->parent);
    std::vector<std::string> names;
    std::vector<std::string> concerns = {port->address, above->address};
    for (const Card* const card : users) add_names(*card, names, concerns);
    const std::string device = cat("switch ", port->address);
    if (!port->now || !port->most || !above->most) {
      out.gap(kPciUplink, device, unknown("its PCIe link to the bridge above could not be read"))
          .concerns = concerns;
      continue;
    }
    const PciLink both = {std::min(port->most->speed_tenths, above->most->speed_tenths),
                          std::min(port->most->lanes, above->most->lanes)};
    const bool full =
        port->now->lanes >= both.lanes && port->now->speed_tenths >= both.speed_tenths;
    facts::Observation& seen =
        out.add(kPciUplink, device, full ? "full" : "reduced",
                cat("its PCIe link to ", above->address, " runs at ", link_text(*port->now),
                    full ? "" : cat("; both ends support ", link_text(both)),
                    "; below it: ", join(names, ", ")));
    seen.concerns = concerns;
    seen.sureness = facts::Sureness::measured;
  }
}

/// Compares the narrowest hop on the path to the root complex with the card's ability.
void observe_slot(const Machine& machine, const Card& card, Sightings& out) {
  const PciFunction& function = *card.function;
  const PciFunction* hop = nullptr;
  for (const PciFunction* const bridge : machine.above(function)) {
    if (!bridge->most) continue;
    const auto rate = [](const PciLink& link) { return link.speed_tenths * link.lanes; };
    if (!hop || rate(*bridge->most) < rate(*hop->most)) hop = bridge;
  }
  if (!hop || !function.most || function.virtual_function) {
    named(out.gap(facts::kPciSlot, card.name, not_applicable("the slot above it is not visible")),
          card);
    return;
  }
  const bool fits = hop->most->speed_tenths * hop->most->lanes >=
                    function.most->speed_tenths * function.most->lanes;
  named(out.add(facts::kPciSlot, card.name, fits ? "full" : "reduced",
                cat("the card supports ", link_text(*function.most), ", the path to the CPU ",
                    link_text(*hop->most), " at ", hop->address)),
        card);
}

void observe_gone(const std::vector<Card>& cards, Sightings& out) {
  std::vector<std::string> silent;
  std::vector<std::string> concerns;
  for (const Card& card : cards)
    if (card.function->silent) add_names(card, silent, concerns);
  facts::Observation& seen =
      out.add(kPciGone, "", silent.empty() ? "answers" : "silent",
              silent.empty() ? "every card answers on the PCI bus"
                             : cat(join(silent, ", "), " reads as all ones: it fell off the bus"));
  seen.sureness = facts::Sureness::measured;
  seen.concerns = concerns;
}

constexpr std::uint64_t kSmallBar = std::uint64_t{256} << 20;

std::string mib(std::uint64_t bytes) { return cat(bytes >> 20, " MiB"); }

/// BAR 1 is the window into the GPU's memory.
void observe_bars(const Machine& machine, const Card& card, Sightings& out) {
  if (!card.is_gpu) return;
  const GpuState* const state = machine.find_gpu(card.function->address);
  std::vector<std::string> lost;
  std::uint64_t largest = state ? static_cast<std::uint64_t>(state->bar1_mib.value_or(0)) << 20 : 0;
  for (const PciBar& bar : card.function->bars) {
    if (!bar.assigned) lost.push_back(cat("BAR ", bar.index));
    if (bar.prefetchable_64) largest = std::max(largest, bar.size);
  }
  if (card.function->bars.empty() && largest == 0) {
    named(out.gap(kGpuBar, card.name, unknown("its BARs could not be read")), card);
    named(out.gap(kGpuBarSize, card.name, unknown("its BARs could not be read")), card);
    return;
  }
  named(out.add(kGpuBar, card.name, lost.empty() ? "assigned" : "unassigned",
                lost.empty()
                    ? "its BARs have addresses"
                    : cat(join(lost, ", "), " has no address: there was no MMIO space left")),
        card);
  if (largest == 0)
    named(out.gap(kGpuBarSize, card.name, unknown("the size of BAR 1 is not known")), card);
  else if (largest <= kSmallBar && !card.function->has_resizable_bar())
    named(out.gap(kGpuBarSize, card.name,
                  not_applicable(cat("BAR 1 has ", mib(largest),
                                     ", and this GPU's architecture has no Resizable BAR"))),
          card);
  else
    named(out.add(kGpuBarSize, card.name, largest <= kSmallBar ? "small" : "large",
                  cat("BAR 1 has ", mib(largest))),
          card);
}

void observe_numa(const Machine& machine, const std::vector<Card>& cards, Sightings& out) {
  std::vector<std::string> without;
  std::vector<std::string> unread;
  std::vector<std::string> concerns;
  std::set<int> nodes;
  for (const Card& card : cards) {
    if (card.function->numa_node)
      nodes.insert(*card.function->numa_node);
    else if (card.function->numa_known)
      add_names(card, without, concerns);
    else
      unread.push_back(card.name);
  }
  for (const PciFunction& function : *machine.pci)
    if (function.numa_node) nodes.insert(*function.numa_node);
  if (without.empty() && !unread.empty())
    out.gap(kNumaKnown, "", unknown(cat("the NUMA node of ", join(unread, ", "), " was not read")));
  else if (nodes.size() < 2 && without.empty())
    out.add(kNumaKnown, "", "known", "every card has a NUMA node");
  else if (nodes.size() < 2)
    out.gap(kNumaKnown, "", not_applicable("fewer than two NUMA nodes have devices"));
  else
    out.add(kNumaKnown, "", without.empty() ? "known" : "missing",
            without.empty() ? "every card has a NUMA node"
                            : cat("the firmware reports no NUMA node for ", join(without, ", ")))
        .concerns = concerns;
}

/// The links of GPUs from nvidia-smi, if the PCI bus was not read.
bool observe_reported_links(const Machine& machine, Sightings& out) {
  bool any = false;
  if (!machine.nvidia.gpus || machine.virtual_machine.value.value_or(false)) return false;
  for (const GpuState& gpu : *machine.nvidia.gpus) {
    if (!gpu.link || !gpu.max_link || gpu.link->lanes == 0 || gpu.max_link->lanes == 0) continue;
    any = true;
    const bool narrow = gpu.link->lanes < gpu.max_link->lanes;
    const bool slow = gpu.link->speed_tenths < gpu.max_link->speed_tenths;
    const auto sleeps = slow && !narrow
                            ? may_sleep(machine, gpu.pci_address, gpu.link->speed_tenths,
                                        gpu.max_link->speed_tenths)
                            : std::nullopt;
    const std::string name = gpu_name(gpu.pci_address);
    const std::string text = cat("its PCIe link runs at ", link_text(*gpu.link),
                                 "; GPU and slot support ", link_text(*gpu.max_link));
    facts::Observation& seen =
        sleeps ? out.gap(facts::kPciLink, name, {sleeps->blank, cat(text, "; ", sleeps->why)})
               : out.add(facts::kPciLink, name, narrow || slow ? "reduced" : "full", text);
    seen.concerns = {gpu.pci_address};
  }
  return any;
}

void observe_reported_bars(const Machine& machine, Sightings& out) {
  for (const GpuState& gpu : *machine.nvidia.gpus) {
    if (!gpu.bar1_mib) continue;
    constexpr std::int64_t kSmallMib = 256;
    const std::string text = cat("BAR 1 has ", *gpu.bar1_mib, " MiB");
    facts::Observation& seen =
        *gpu.bar1_mib > kSmallMib
            ? out.add(kGpuBarSize, gpu_name(gpu.pci_address), "large", text)
            : out.gap(kGpuBarSize, gpu_name(gpu.pci_address),
                      unknown(cat(text, "; whether this GPU has Resizable BAR is not known")));
    seen.concerns = {gpu.pci_address};
  }
}

}  // namespace

std::optional<Gap> may_sleep(const Machine& machine, const std::string& gpu, int speed_tenths,
                             int full_tenths) {
  constexpr int kSecondGeneration = 50;
  constexpr int kBusy_percent = 10;
  const GpuState* const state = machine.find_gpu(gpu);
  const PciFunction* const function = machine.find_pci(gpu);
  const auto use_of = [](const GpuState* one) { return one ? one->utilisation : std::nullopt; };
  if (use_of(state).value_or(0) >= kBusy_percent) return std::nullopt;
  // What sleeps goes down to the first or the second generation; where the GPU's use is not known,
  // another speed that siblings exceed is no sleep.
  const bool is_known = use_of(state).has_value();
  for (const std::string& other : nvidia_gpus(machine)) {
    const GpuState* const its = machine.find_gpu(other);
    const PciFunction* const slot = machine.find_pci(other);
    const bool same =
        function && slot ? function->id == slot->id : state && its && state->name == its->name;
    const bool tells = is_known ? use_of(its).value_or(kBusy_percent) < kBusy_percent
                                : speed_tenths > kSecondGeneration;
    int its_tenths = 0;
    if (its && its->link) its_tenths = its->link->speed_tenths;
    if (slot && slot->now) its_tenths = slot->now->speed_tenths;
    if (other != gpu && same && tells && its_tenths >= full_tenths) return std::nullopt;
  }
  if (is_known || speed_tenths <= kSecondGeneration)
    return not_applicable("the GPU is idle; check again under load");
  return unknown("whether the GPU is idle is not known");
}

void observe_pci(const Machine& machine, Sightings& out) {
  std::optional<Gap> gap;
  std::vector<Card> cards;
  if (!machine.pci)
    gap = machine.pci.gap;
  else
    cards = cards_of(machine);
  if (!gap && cards.empty()) gap = not_applicable("there is neither a GPU nor an RDMA card here");
  const bool is_virtual = machine.virtual_machine.value.value_or(false);
  if (!gap && is_virtual) {
    const Gap made_up = not_applicable("a virtual machine's PCI topology is not real");
    for (const Observable& what : {facts::kPciLink, kPciUplink, facts::kPciSlot, kNumaKnown})
      out.gap(what, "", made_up);
  }
  if (gap) {
    const bool reported = observe_reported_links(machine, out);
    if (machine.nvidia.gpus) observe_reported_bars(machine, out);
    if (!reported) out.gap(facts::kPciLink, "", *gap);
    for (const Observable& what : {kPciUplink, facts::kPciSlot, kPciGone, kGpuBar, kNumaKnown})
      out.gap(what, "", *gap);
    if (!machine.nvidia.gpus) out.gap(kGpuBarSize, "", *gap);
    return;
  }
  for (const Card& card : cards) {
    if (!is_virtual && !card.function->silent) {
      observe_link(machine, card, out);
      observe_slot(machine, card, out);
    }
    observe_bars(machine, card, out);
  }
  if (!is_virtual) observe_uplinks(machine, cards, out);
  observe_gone(cards, out);
  if (!is_virtual) observe_numa(machine, cards, out);
}

}  // namespace nettune::tools::doctor
