// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/graph.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "unit/tools/doctor/node.hpp"
#include "unit/tools/doctor/shipped_rules.hpp"

namespace nettune::tools::doctor::program {
namespace {

constexpr int kPairs = 8;

/// Bus 0x10 + 8 * `pair` has the root port; below it are the switch, and its ports with GPU and
/// card.
std::string bus_of(int pair, int below) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto bus = static_cast<std::size_t>(0x10 + 0x10 * pair + below);
  return cat("0000:", kDigits[bus / 16], kDigits[bus % 16], ":");
}
std::string gpu_of(int pair) { return bus_of(pair, 3) + "00.0"; }
std::string switch_of(int pair) { return bus_of(pair, 1) + "00.0"; }

/// The healthy node of the rules' tests with eight GPUs and eight cards, each pair below a switch
/// of its own, on two NUMA nodes.
Machine large_node() {
  Machine machine = test::training_node();
  machine.pci.value->clear();
  machine.facts.rdma.clear();
  machine.facts.net.resize(1);
  machine.ports.clear();
  machine.verbs.clear();
  machine.nvidia.gpus.value->clear();
  machine.nvidia.gsp.clear();
  machine.bonds.clear();
  for (int pair = 0; pair < kPairs; ++pair) {
    const int node = pair / 4;
    const auto add = [&](const std::string& address, const char* id, const char* klass,
                         const std::string& parent) {
      machine.pci.value->push_back(test::pci_function(address, id, klass, parent, node));
    };
    const std::string root = bus_of(pair, 0) + "01.0";
    add(root, "8086:352a", "0x060400", "");
    add(switch_of(pair), "1000:c030", "0x060400", root);
    add(bus_of(pair, 2) + "00.0", "1000:c030", "0x060400", switch_of(pair));
    add(bus_of(pair, 2) + "01.0", "1000:c030", "0x060400", switch_of(pair));
    add(gpu_of(pair), "10de:2330", "0x030200", bus_of(pair, 2) + "00.0");
    machine.pci.value->back().driver = "nvidia";
    machine.pci.value->back().bars = {{2, 0x3a100000000, std::uint64_t{128} << 30, true, true}};
    add(bus_of(pair, 4) + "00.0", "15b3:1021", "0x020000", bus_of(pair, 2) + "01.0");
    test::add_card(machine, pair, bus_of(pair, 4) + "00.0");
    machine.nvidia.gpus.value->push_back(test::gpu_of_training_node(gpu_of(pair)));
    machine.nvidia.gsp[gpu_of(pair)] = "550.163.01";
  }
  return machine;
}

PciFunction& function(Machine& machine, const std::string& address) {
  return *std::ranges::find(*machine.pci.value, address, &PciFunction::address);
}

/// One of each: a link that lost lanes, a card on the other NUMA node, a switch that redirects.
Machine faulty_node() {
  Machine machine = large_node();
  function(machine, gpu_of(1)).now = PciLink{320, 8};
  function(machine, bus_of(3, 4) + "00.0").parent = bus_of(7, 2) + "01.0";
  function(machine, bus_of(3, 4) + "00.0").numa_node = 1;
  for (const char* const port : {"00.0", "01.0"}) function(machine, bus_of(5, 2) + port).acs = 0x1d;
  return machine;
}

Graph drawn(const Machine& machine, const PortReport& ports = {}) {
  Diagnosis diagnosis;
  diagnosis.machine = machine;
  diagnosis.judged = judge(test::shipped_rules(), machine, observe(machine), {});
  return graph_of(diagnosis, ports);
}

std::string text_of(const Graph& graph) { return text::graph(graph, cli::Style()); }

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> rules_of(const Graph& graph) {
  std::vector<std::string> rules;
  for (const GraphFault& fault : graph.faults) rules.push_back(fault.rule);
  return rules;
}

const GraphItem* find_item(const std::vector<GraphItem>& items, const std::string& name) {
  for (const GraphItem& item : items) {
    if (item.names.contains(name)) return &item;
    if (const GraphItem* const below = find_item(item.below, name)) return below;
  }
  return nullptr;
}

const GraphItem* find_item(const Graph& graph, const std::string& name) {
  for (const GraphGroup& group : graph.groups)
    if (const GraphItem* const found = find_item(group.items, name)) return found;
  return nullptr;
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(DoctorProgramGraph, AHealthyNodeHasEightRailsAndNothingRed) {
  const Graph graph = drawn(large_node());
  ASSERT_EQ(graph.groups.size(), 2U);
  EXPECT_EQ(graph.groups[0].title, "NUMA node 0");
  EXPECT_EQ(graph.groups[1].items.size(), 4U);
  ASSERT_EQ(graph.rails.size(), 8U);
  EXPECT_EQ(graph.rails[6].gpu, "GPU " + gpu_of(6));
  EXPECT_EQ(graph.rails[6].hca, "mlx5_6");
  EXPECT_EQ(graph.rails[6].distance, "PIX");
  EXPECT_EQ(rules_of(graph), std::vector<std::string>());
  EXPECT_TRUE(has(text_of(graph), "gpu17: no fault was seen on these paths\n"));
  EXPECT_EQ(count(text_of(graph), "leaf unknown"), 1U);
  EXPECT_FALSE(has(graph_svg(graph), "class=\"box bad\""));
  EXPECT_FALSE(has(graph_svg(graph), "class=\"way bad\""));
}

TEST(DoctorProgramGraph, TheTreeIsThatOfThePciBus) {
  const std::string text = text_of(drawn(test::training_node()));
  EXPECT_TRUE(has(text,
                  "NUMA node 0\n"
                  "  root port 0000:15:01.0\n"
                  "    switch 0000:16:00.0  32.0 GT/s x16\n"
                  "      GPU 0000:19:00.0  32.0 GT/s x16, NVLink 18 of 18, at port 0000:17:00.0\n"
                  "      mlx5_0 0000:1a:00.0  32.0 GT/s x16, fab0 400 Gb/sec (4X NDR) ACTIVE, "
                  "at port 0000:17:01.0\n"))
      << text;
}

TEST(DoctorProgramGraph, WhatIsWrongIsRedAndInWords) {
  const Graph graph = drawn(faulty_node());
  const std::string text = text_of(graph);
  const std::vector<std::string> rules = rules_of(graph);
  for (const char* const rule : {"pci-link", "gpudirect-distance", "acs-path"})
    EXPECT_NE(std::ranges::find(rules, rule), rules.end()) << rule << "\n" << text;
  const GraphItem* const narrow = find_item(graph, gpu_of(1));
  ASSERT_NE(narrow, nullptr);
  EXPECT_TRUE(narrow->is_faulty);
  EXPECT_EQ(narrow->details.front(), "32.0 GT/s x8 (able to 32.0 GT/s x16)");
  EXPECT_TRUE(find_item(graph, gpu_of(2))->marks.empty());
  EXPECT_TRUE(find_item(graph, gpu_of(5))->is_faulty);
  EXPECT_TRUE(has(text, "at port " + bus_of(5, 2) + "01.0 (ReqRedir CmpltRedir"));
  EXPECT_FALSE(graph.rails[3].marks.empty());
  EXPECT_EQ(graph.rails[3].distance, "NODE");
  EXPECT_EQ(graph.rails[3].way, "between root complexes of one NUMA node; 2 others are as far");
  EXPECT_TRUE(graph.groups[1].items.front().names.contains(bus_of(4, 0) + "01.0"));
  EXPECT_EQ(graph.rails.size(), 9U);  // below the last switch there are two cards now
  EXPECT_FALSE(graph.rails[5].marks.empty());
  EXPECT_TRUE(graph.rails[1].marks.empty());
  EXPECT_TRUE(has(graph_svg(graph), "class=\"box bad\""));
}

TEST(DoctorProgramGraph, ACardBehindTheOtherProcessorIsFarAway) {
  Machine machine = test::training_node();
  function(machine, "0000:1a:00.0").parent = "0000:27:01.0";
  function(machine, "0000:1a:00.0").numa_node = 1;
  const Graph graph = drawn(machine);
  ASSERT_EQ(graph.rails.size(), 3U);
  EXPECT_EQ(graph.rails[0].distance, "SYS");
  EXPECT_EQ(graph.rails[0].way, "between NUMA nodes; 1 other is as far");
  EXPECT_FALSE(graph.rails[0].marks.empty());
  EXPECT_EQ(graph.rails[1].distance, "PIX");
  EXPECT_TRUE(graph.rails[1].marks.empty());
}

TEST(DoctorProgramGraph, RedirectingRootPortsAreRed) {
  Machine machine = test::training_node();
  machine.iommu = true;
  for (GpuState& gpu : *machine.nvidia.gpus.value) gpu.nvlinks_up = 0;
  function(machine, "0000:15:01.0").acs = 0x1d;
  const Graph graph = drawn(machine);
  ASSERT_NE(find_item(graph, "0000:15:01.0"), nullptr);
  EXPECT_TRUE(find_item(graph, "0000:15:01.0")->is_faulty) << text_of(graph);
  EXPECT_FALSE(find_item(graph, "0000:25:01.0")->is_faulty);
}

TEST(DoctorProgramGraph, ASilentCardIsRed) {
  Machine machine = test::training_node();
  function(machine, "0000:29:00.0").silent = true;
  const Graph graph = drawn(machine);
  EXPECT_TRUE(find_item(graph, "0000:29:00.0")->is_faulty);
  EXPECT_FALSE(find_item(graph, "0000:19:00.0")->is_faulty);
  EXPECT_TRUE(has(text_of(graph), "does not answer"));
}

TEST(DoctorProgramGraph, LeavesAndContradictionsAreThoseThatWereHeard) {
  PortReport ports;
  ports.leaves["fab0"] = "leaf-3 port swp7";
  ports.contradictions.emplace("fab1", "dcb:fab1:pfc: the switch pauses 4, this node 3");
  const Graph graph = drawn(test::training_node(), ports);
  const std::string text = text_of(graph);
  EXPECT_TRUE(has(text, "ACTIVE leaf leaf-3 port swp7"));
  EXPECT_TRUE(has(text, "leaf unknown: fab1;"));
  EXPECT_TRUE(find_item(graph, "mlx5_1")->is_faulty);
  EXPECT_FALSE(find_item(graph, "mlx5_0")->is_faulty);
  EXPECT_TRUE(has(text, "the switch pauses 4, this node 3"));
}

TEST(DoctorProgramGraph, HostileNamesStayText) {
  const std::string evil = "</text><script>alert(1)</script>\x1b[31m\"'&";
  Machine machine = test::training_node();
  machine.facts.node.hostname = evil;
  machine.facts.rdma[0].name = evil;
  machine.facts.rdma[0].ports[0].netdev = evil;
  machine.facts.rdma[0].ports[0].rate = evil;
  machine.facts.net[0].name = evil;
  function(machine, "0000:15:01.0").acs = 0x1d;
  PortReport ports;
  ports.leaves[evil] = evil;
  ports.notes = {evil, std::string(5000, 'x')};
  ports.contradictions.emplace(evil, evil);
  const Graph graph = drawn(machine, ports);
  const std::string svg = graph_svg(graph);
  EXPECT_FALSE(has(svg, "<script"));
  EXPECT_FALSE(has(svg, "\x1b"));
  EXPECT_EQ(count(svg, "<svg "), 1U);
  EXPECT_EQ(count(svg, "<text "), count(svg, "</text>"));
  EXPECT_EQ(count(svg, "://"), 1U);  // the namespace of SVG
  EXPECT_FALSE(has(text_of(graph), "\x1b"));
}

TEST(DoctorProgramGraph, AnIncompleteTreeIsNoLoop) {
  Machine machine = test::training_node();
  function(machine, "0000:15:01.0").parent = "0000:16:00.0";
  const Graph graph = drawn(machine);
  EXPECT_TRUE(has(text_of(graph), "its place in the PCI tree is not known"));
}

TEST(DoctorProgramGraph, WithoutAGpuTheCardsAreDrawnAndTheReasonIsSaid) {
  Machine machine = test::training_node();
  std::erase_if(*machine.pci.value, [](const PciFunction& one) { return one.is_nvidia_gpu(); });
  machine.nvidia.gpus.value->clear();
  const Graph graph = drawn(machine);
  EXPECT_TRUE(graph.rails.empty());
  EXPECT_NE(find_item(graph, "mlx5_1"), nullptr);
  EXPECT_TRUE(has(text_of(graph), "note: no GPU: there is no NVIDIA GPU here\n"));
}

TEST(DoctorProgramGraph, WithoutNumaNodesTheGroupSaysSo) {
  Machine machine = test::training_node();
  machine.facts.rdma.resize(1);
  for (PciFunction& one : *machine.pci.value) one.numa_node.reset();
  const Graph graph = drawn(machine);
  ASSERT_EQ(graph.groups.size(), 1U);
  EXPECT_EQ(graph.groups[0].title, "NUMA node not known");
  EXPECT_EQ(graph.rails[1].way, "between root complexes; their NUMA nodes are not known");
}

TEST(DoctorProgramGraph, WithoutAPciBusNothingIsMadeUp) {
  Machine machine = test::training_node();
  machine.pci = unknown("the recording has no PCI bus");
  const Graph graph = drawn(machine);
  const std::string text = text_of(graph);
  EXPECT_TRUE(has(text, "the PCI tree is not known: the recording has no PCI bus"));
  EXPECT_TRUE(has(text, "NUMA node not known"));
  EXPECT_FALSE(has(text, "PIX"));
}

TEST(DoctorProgramGraph, WhatOnlyRootSeesIsANote) {
  Machine machine = test::training_node();
  for (PciFunction& one : *machine.pci.value) one.acs = not_permitted("only root can read it");
  const Graph graph = drawn(machine);
  EXPECT_TRUE(has(text_of(graph), "note: acs-path is not known: ")) << text_of(graph);
}

/// docs/doctor.md shows it. Written anew with NETTUNE_ACCEPT=1.
TEST(DoctorProgramGraph, ThePictureOfTheDocumentationIsThisOne) {
  PortReport ports;
  for (int rail = 0; rail < kPairs; ++rail)
    ports.leaves[cat("fab", rail)] = cat("leaf-", rail, " port swp17");
  const std::string svg = graph_svg(drawn(faulty_node(), ports));
  const std::string file = NETTUNE_SOURCE_DIR "/docs/node-paths.svg";
  if (std::getenv("NETTUNE_ACCEPT") != nullptr) std::ofstream(file) << svg;
  std::ifstream stored(file);
  const std::string found{std::istreambuf_iterator<char>(stored), {}};
  EXPECT_TRUE(found == svg) << file << " is not what the program draws; run scripts/accept BUILD";
}

}  // namespace
}  // namespace nettune::tools::doctor::program
