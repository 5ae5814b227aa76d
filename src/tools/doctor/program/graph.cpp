// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/graph.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <linux/pci_regs.h>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "node/display_text.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/paths.hpp"

namespace nettune::tools::doctor::program {

namespace {

using checks::Opinion;
using doctor::Finding;
using doctor::Machine;
using doctor::PciFunction;

/// Findings about paths that name no device are shown, too; other findings of the whole node are
/// not.
bool is_about_paths(std::string_view what) {
  constexpr std::array<std::string_view, 4> kAreas = {"pci.", "path.", "gdr.", "numa."};
  return std::ranges::any_of(kAreas, [&](std::string_view area) { return what.starts_with(area); });
}

/// "32.0 GT/s x8 (able to 32.0 GT/s x16)"
std::string link_details(const PciFunction& function) {
  if (!function.now) return {};
  const bool is_full =
      !function.most || (function.now->lanes >= function.most->lanes &&
                         function.now->speed_tenths >= function.most->speed_tenths);
  return cat(link_text(*function.now),
             is_full ? "" : cat(" (able to ", link_text(*function.most), ")"));
}

/// The port of a switch or of the root complex that an item is plugged into.
std::string port_details(const PciFunction& port) {
  const Redirect redirect = redirect_at({&port});
  return cat("at port ", redirect.on ? redirect.ports.front() : port.address);
}

GraphItem item_of(GraphItem::Kind kind, std::string name, const PciFunction* function) {
  GraphItem item;
  item.kind = kind;
  item.names = {name};
  item.name = std::move(name);
  if (!function) return item;
  item.names.insert(function->address);
  if (function->silent) item.details.emplace_back("does not answer");
  if (std::string link = link_details(*function); !link.empty())
    item.details.push_back(std::move(link));
  return item;
}

std::string leaf_of(const PortReport& ports, const std::string& interface) {
  const auto leaf = ports.leaves.find(interface);
  return leaf == ports.leaves.end() ? "" : cat("leaf ", leaf->second);
}

void add_port(const facts::RdmaDevice& device, const facts::RdmaPort& port, const PortReport& ports,
              GraphItem& item) {
  const std::string number = cat(device.name, "/", port.number);
  item.names.insert({number, port.netdev.empty() ? number : port.netdev});
  std::vector<std::string> words;
  for (const std::string& word : {port.netdev.empty() ? number : port.netdev, port.rate, port.state,
                                  leaf_of(ports, port.netdev)})
    if (!word.empty()) words.push_back(word);
  item.details.push_back(join(words, " "));
}

/// A GPU or a card, before it has its place.
struct End {
  std::string address;
  GraphItem item;
};

/// The addresses from the root port down: what is near in the tree is near in the picture.
std::vector<std::string> way_down(const Machine& machine, const std::string& address) {
  std::vector<std::string> way = {address};
  if (const PciFunction* const function = machine.find_pci(address))
    for (const PciFunction* const bridge : machine.above(*function)) way.push_back(bridge->address);
  std::ranges::reverse(way);
  return way;
}

std::vector<End> ends_of(const Machine& machine, const PortReport& ports) {
  std::vector<End> ends;
  std::set<std::string> drawn;
  const auto add_gpu = [&](const std::string& address) {
    if (!drawn.insert(address).second) return;
    End end{address,
            item_of(GraphItem::Kind::gpu, doctor::gpu_name(address), machine.find_pci(address))};
    if (const GpuState* const state = machine.find_gpu(address); state && state->nvlinks)
      end.item.details.push_back(
          cat("NVLink ", state->nvlinks_up.value_or(0), " of ", *state->nvlinks));
    ends.push_back(std::move(end));
  };
  for (const std::string& address : doctor::nvidia_gpus(machine)) add_gpu(address);
  for (const facts::Gpu& gpu : machine.facts.gpus) add_gpu(gpu.pci_address);
  for (const facts::RdmaDevice* const device : doctor::rdma_cards(machine)) {
    drawn.insert(device->pci_address);
    End end{device->pci_address,
            item_of(GraphItem::Kind::card, cat(device->name, " ", device->pci_address),
                    machine.find_pci(device->pci_address))};
    end.item.names.insert(device->name);
    for (const facts::RdmaPort& port : device->ports) add_port(*device, port, ports, end.item);
    ends.push_back(std::move(end));
  }
  for (const facts::NetDevice& net : machine.facts.net) {
    const PciFunction* const function = machine.find_pci(net.pci_address);
    if (!function || function->virtual_function || drawn.contains(net.pci_address)) continue;
    End end{net.pci_address,
            item_of(GraphItem::Kind::card, cat(net.name, " ", net.pci_address), function)};
    end.item.names.insert(net.name);
    end.item.details.push_back(
        cat(net.speed_mbps ? cat(*net.speed_mbps, " Mb/s ") : std::string(), net.operstate));
    ends.push_back(std::move(end));
  }
  std::ranges::stable_sort(ends, {},
                           [&](const End& end) { return way_down(machine, end.address); });
  return ends;
}

/// The item of a bridge among its siblings; it is made at its first use.
GraphItem& bridge_among(std::vector<GraphItem>& siblings, const PciFunction& bridge, bool is_root,
                        const PciFunction* plugged_into) {
  const auto found = std::ranges::find_if(
      siblings, [&](const GraphItem& item) { return item.names.contains(bridge.address); });
  if (found != siblings.end()) return *found;
  const bool is_switch = bridge.port_type.value_or(PCI_EXP_TYPE_UPSTREAM) == PCI_EXP_TYPE_UPSTREAM;
  const std::string_view kind = is_root ? "root port " : is_switch ? "switch " : "bridge ";
  GraphItem item = item_of(GraphItem::Kind::port, cat(kind, bridge.address), &bridge);
  if (is_root) item.details.clear();  // its link is the one of what is below it
  if (const Redirect redirect = redirect_at({&bridge}); is_root && redirect.on)
    item.details.push_back(cat("ACS ", redirect.ports.front().substr(bridge.address.size() + 1)));
  if (plugged_into) item.details.push_back(port_details(*plugged_into));
  return siblings.emplace_back(std::move(item));
}

constexpr int kNoNode = INT_MAX;  ///< the last group

int group_of(const PciFunction* function) {
  return function ? function->numa_node.value_or(kNoNode) : kNoNode;
}

/// From a card up, every second bridge is the upstream port of a switch, as the two ports of a
/// switch have no link between them (observe_pci.cpp). The bridge between is the port that it is
/// plugged into.
void place(const Machine& machine, End end, std::map<int, std::vector<GraphItem>>& groups) {
  end.item.names.erase("");
  const PciFunction* const function = machine.find_pci(end.address);
  if (!function || !machine.knows_path(*function)) {
    end.item.details.emplace_back("its place in the PCI tree is not known");
    groups[group_of(function)].push_back(std::move(end.item));
    return;
  }
  const auto bridges = machine.above(*function);
  std::vector<GraphItem>* level = &groups[group_of(function)];
  for (std::size_t i = bridges.size(); i-- > 0;) {
    const bool is_root = i + 1 == bridges.size();
    if (!is_root && i % 2 == 0) continue;
    const bool below_switch = !is_root && i + 2 < bridges.size();
    level =
        &bridge_among(*level, *bridges[i], is_root, below_switch ? bridges[i + 1] : nullptr).below;
  }
  if (bridges.size() > 1) end.item.details.push_back(port_details(*bridges.front()));
  level->push_back(std::move(end.item));
}

std::string way_text(const Machine& machine, const std::string& gpu, const std::string& hca_address,
                     Distance distance) {
  switch (distance) {
    case Distance::pix:
      return "through one switch";
    case Distance::pxb:
      return "through several switches";
    case Distance::phb:
      return "through one root complex";
    case Distance::node:
      return "between root complexes of one NUMA node";
    case Distance::sys:
      break;
  }
  const PciFunction* const from = machine.find_pci(gpu);
  const PciFunction* const to = machine.find_pci(hca_address);
  return from && to && from->numa_node && to->numa_node
             ? "between NUMA nodes"
             : "between root complexes; their NUMA nodes are not known";
}

/// Each GPU with its nearest active HCAs.
void add_rails(const Machine& machine, Graph& graph) {
  const std::vector<std::string> gpus = doctor::nvidia_gpus(machine);
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    std::optional<Gap> unseen;
    const auto near = near_hcas(machine, gpus[i], i, unseen);
    if (near.empty())
      graph.notes.push_back(cat("rail of ", doctor::gpu_name(gpus[i]), ": ",
                                unseen ? unseen->why : "no active HCA was found"));
    if (near.empty()) continue;
    const auto is_far = [&](const NearHca& one) { return one.distance != near.front().distance; };
    const auto ties = static_cast<std::size_t>(std::ranges::find_if(near, is_far) - near.begin());
    // Behind the same switch, NCCL may use all of them; from afar any of them is a makeshift.
    const bool is_near = near.front().distance <= Distance::pxb;
    for (std::size_t k = 0; k < (is_near ? ties : 1); ++k) {
      const NearHca& one = near[k];
      const auto device = std::ranges::find(machine.facts.rdma, one.hca, &facts::RdmaDevice::name);
      const std::string address =
          device == machine.facts.rdma.end() ? std::string() : device->pci_address;
      std::string way = way_text(machine, gpus[i], address, one.distance);
      if (!is_near && ties > 1)
        way += cat("; ", node::counted(ties - 1, "other"), ties == 2 ? " is" : " are", " as far");
      graph.rails.push_back({doctor::gpu_name(gpus[i]),
                             one.hca,
                             std::string(distance_text(one.distance)),
                             std::move(way),
                             {},
                             false});
    }
  }
}

void mark(std::vector<std::size_t>& marks, bool& is_faulty, std::size_t number, bool is_fault) {
  if (marks.empty() || marks.back() != number) marks.push_back(number);
  is_faulty = is_faulty || is_fault;
}

/// All items, parents first.
void list_items(std::vector<GraphItem>& items, std::vector<GraphItem*>& all) {
  for (GraphItem& item : items) {
    all.push_back(&item);
    list_items(item.below, all);
  }
}

std::vector<GraphItem*> all_items(Graph& graph) {
  std::vector<GraphItem*> all;
  for (GraphGroup& group : graph.groups) list_items(group.items, all);
  return all;
}

/// The items that a finding is about: those of its device, else those that it concerns.
std::vector<GraphItem*> items_of(const Finding& finding, const std::vector<GraphItem*>& all) {
  std::vector<GraphItem*> found;
  for (GraphItem* const item : all)
    if (item->names.contains(finding.seen.device)) found.push_back(item);
  if (!found.empty()) return found;
  for (GraphItem* const item : all)
    if (std::ranges::any_of(finding.seen.concerns,
                            [&](const std::string& name) { return item->names.contains(name); }))
      found.push_back(item);
  return found;
}

/// The number of the fault with this rule, which is made at its first use.
std::size_t number_of(const Finding& finding, Graph& graph) {
  const auto found = std::ranges::find(graph.faults, finding.rule->id, &GraphFault::rule);
  if (found != graph.faults.end())
    return static_cast<std::size_t>(found - graph.faults.begin()) + 1;
  graph.faults.push_back(
      {finding.opinion == Opinion::fault, finding.rule->id, finding.rule->why, {}});
  return graph.faults.size();
}

void add_text(GraphFault& fault, std::string text) {
  if (std::ranges::find(fault.texts, text) == fault.texts.end())
    fault.texts.push_back(std::move(text));
}

void add_findings(const Judged& judged, const std::vector<GraphItem*>& all, Graph& graph) {
  for (const Finding& finding : judged.findings) {
    if (!finding.is_bad()) continue;
    const auto items = items_of(finding, all);
    if (items.empty() && !(finding.seen.device.empty() && is_about_paths(finding.seen.what)))
      continue;
    const std::size_t number = number_of(finding, graph);
    const bool is_fault = finding.opinion == Opinion::fault;
    for (GraphItem* const item : items) mark(item->marks, item->is_faulty, number, is_fault);
    if (is_about_paths(finding.seen.what))
      for (GraphRail& rail : graph.rails)
        if (rail.gpu == finding.seen.device &&
            std::ranges::find(finding.seen.concerns, rail.hca) != finding.seen.concerns.end())
          mark(rail.marks, rail.is_faulty, number, is_fault);
    GraphFault& fault = graph.faults[number - 1];
    add_text(fault, device_and_text(finding));
    if (!finding.explained_by) continue;
    const Finding& cause = judged.findings[*finding.explained_by];
    add_text(fault, cat("caused by ", cause.rule->id, ": ", device_and_text(cause)));
  }
}

void add_contradictions(const PortReport& ports, const std::vector<GraphItem*>& all, Graph& graph) {
  for (const auto& [interface, problem] : ports.contradictions) {
    graph.faults.push_back({true,
                            "",
                            "the layers of a lossless port contradict each other (nettune check)",
                            {cat(interface, ": ", problem)}});
    for (GraphItem* const item : all)
      if (item->names.contains(interface))
        mark(item->marks, item->is_faulty, graph.faults.size(), true);
  }
}

/// What could not be judged about paths: a line for each rule, with the first reason.
void add_unknown(const Judged& judged, Graph& graph) {
  std::vector<std::pair<const Finding*, std::size_t>> by_rule;
  for (const Finding& finding : judged.findings) {
    if (finding.opinion != Opinion::unknown && finding.opinion != Opinion::not_permitted) continue;
    if (!is_about_paths(finding.seen.what)) continue;
    const auto found = std::ranges::find_if(
        by_rule, [&](const auto& one) { return one.first->rule == finding.rule; });
    if (found == by_rule.end())
      by_rule.emplace_back(&finding, 0);
    else
      ++found->second;
  }
  for (const auto& [finding, more] : by_rule)
    graph.notes.push_back(cat(finding->rule->id, " is not known: ", device_and_text(*finding),
                              more > 0 ? cat(" (and ", node::counted(more, "other"), ")") : ""));
}

/// Once for all ports of which no leaf is known.
void add_leaf_note(const Machine& machine, const PortReport& ports, Graph& graph) {
  std::vector<std::string> unknown;
  for (const facts::RdmaDevice* const device : doctor::rdma_cards(machine))
    for (const facts::RdmaPort& port : device->ports)
      if (port.state == "ACTIVE" && !ports.leaves.contains(port.netdev))
        unknown.push_back(port.netdev.empty() ? cat(device->name, "/", port.number) : port.netdev);
  if (!unknown.empty())
    graph.notes.push_back(
        cat("leaf unknown: ", join(unknown, ", "),
            "; on the node, --listen-lldp 35s hears the switch of an Ethernet port"));
}

}  // namespace

std::size_t Graph::count_faults() const {
  return static_cast<std::size_t>(std::ranges::count_if(faults, &GraphFault::is_fault));
}

std::string marks_text(const std::vector<std::size_t>& marks) {
  std::vector<std::string> numbers;
  for (const std::size_t number : marks) numbers.push_back(cat(number));
  return numbers.empty() ? "" : cat(" [", join(numbers, ","), "]");
}

std::string graph_summary(const Graph& graph) {
  const std::size_t bad = graph.count_faults();
  const std::size_t advice = graph.faults.size() - bad;
  std::string out = bad == 0 ? std::string("no fault was seen") : node::counted(bad, "fault");
  if (advice > 0) out += cat(", ", node::counted(advice, "suggestion"));
  return out;
}

Graph graph_of(const Diagnosis& diagnosis, const PortReport& ports) {
  const Machine& machine = diagnosis.machine;
  Graph graph;
  graph.host = machine.facts.node.hostname;
  if (machine.virtual_machine.value.value_or(false))
    graph.notes.emplace_back("this is a virtual machine: its PCI tree is not that of the hardware");
  if (!machine.pci) graph.notes.push_back(cat("the PCI tree is not known: ", machine.pci.gap.why));
  std::map<int, std::vector<GraphItem>> groups;
  std::vector<End> ends = ends_of(machine, ports);
  if (std::ranges::none_of(ends,
                           [](const End& end) { return end.item.kind == GraphItem::Kind::gpu; }))
    graph.notes.push_back(cat("no GPU: ", doctor::gap_without_gpu(machine).why));
  for (End& end : ends) place(machine, std::move(end), groups);
  for (auto& [node, items] : groups)
    graph.groups.push_back(
        {node == kNoNode ? std::string("NUMA node not known") : cat("NUMA node ", node),
         std::move(items)});
  add_rails(machine, graph);
  const std::vector<GraphItem*> all = all_items(graph);
  add_findings(diagnosis.judged, all, graph);
  add_contradictions(ports, all, graph);
  add_unknown(diagnosis.judged, graph);
  add_leaf_note(machine, ports, graph);
  graph.notes.insert(graph.notes.end(), ports.notes.begin(), ports.notes.end());
  return graph;
}

}  // namespace nettune::tools::doctor::program
