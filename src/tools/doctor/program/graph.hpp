// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "tools/doctor/program/diagnosis.hpp"

/// `nettune facts --graph`: the paths between the GPUs and the network cards of a node. What is
/// wrong there is what doctor and check find; nothing is judged here.
namespace nettune::tools::doctor::program {

/// A root port, a switch, a GPU or a network card.
struct GraphItem {
  enum class Kind { port, gpu, card };
  Kind kind = Kind::card;
  std::string name;                  ///< "GPU 0000:19:00.0", "mlx5_0 0000:1a:00.0"
  std::vector<std::string> details;  ///< "32.0 GT/s x16", "fab0 400 Gb/sec (4X NDR) ACTIVE"
  std::set<std::string> names;       ///< what findings call it
  std::vector<std::size_t> marks;    ///< the numbers of what is wrong with it, from 1
  bool is_faulty = false;            ///< one of them is a fault, not only advice
  std::vector<GraphItem> below;
};

/// The items of one NUMA node.
struct GraphGroup {
  std::string title;
  std::vector<GraphItem> items;
};

/// A GPU and an active HCA that is nearest to it.
struct GraphRail {
  std::string gpu;
  std::string hca;
  std::string distance;  ///< "PIX"
  std::string way;       ///< "through one switch"
  std::vector<std::size_t> marks;
  bool is_faulty = false;
};

/// Something that is wrong, in words.
struct GraphFault {
  bool is_fault = true;            ///< otherwise advice
  std::string rule;                ///< for nettune doctor --explain; "" if `nettune check` found it
  std::string why;                 ///< what it costs
  std::vector<std::string> texts;  ///< one for each device, and what causes them
};

struct Graph {
  std::string host;
  std::vector<GraphGroup> groups;
  std::vector<GraphRail> rails;
  std::vector<GraphFault> faults;  ///< the first has the number 1
  std::vector<std::string> notes;  ///< what is not known, and why

  std::size_t count_faults() const;
};

/// What is known of network ports besides: by their interfaces.
struct PortReport {
  std::map<std::string, std::string> leaves;               ///< "leaf-3 port swp3", heard by LLDP
  std::multimap<std::string, std::string> contradictions;  ///< of PFC and its layers, by check
  std::vector<std::string> notes;
};

Graph graph_of(const Diagnosis& diagnosis, const PortReport& ports);

namespace text {
std::string graph(const Graph& graph, const cli::Style& style);
}  // namespace text

/// The picture: one file without scripts and outside addresses, for light, dark and paper.
std::string graph_svg(const Graph& graph);

/// "2 faults, 1 suggestion"; "no fault was seen".
std::string graph_summary(const Graph& graph);
/// " [1,3]"; "" for none.
std::string marks_text(const std::vector<std::size_t>& marks);

}  // namespace nettune::tools::doctor::program
