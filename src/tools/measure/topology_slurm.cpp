// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/topology_slurm.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"

namespace nettune::tools::measure {

namespace {

std::string plain_name(std::string_view text) {
  constexpr std::size_t kLongest = 63;
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.';
    out += plain ? c : '_';
  }
  return out;
}

/// A plain name that no other switch has.
std::string fresh_name(std::string_view text, std::set<std::string>& taken) {
  const std::string name = plain_name(text);
  std::string fresh = name;
  for (int number = 2; !taken.insert(fresh).second; ++number) fresh = cat(name, "-", number);
  return fresh;
}

/// For each switch the smallest one that links connect it with.
std::vector<std::size_t> fabrics_of(const Topology& topology) {
  std::vector<std::size_t> fabric(topology.switches.size());
  for (std::size_t i = 0; i < fabric.size(); ++i) fabric[i] = topology.links.empty() ? 0 : i;
  const auto root = [&](std::size_t at) {
    while (fabric[at] != at) at = fabric[at] = fabric[fabric[at]];
    return at;
  };
  for (const Pair& link : topology.links) {
    const std::size_t a = root(link.a);
    const std::size_t b = root(link.b);
    fabric[std::max(a, b)] = std::min(a, b);
  }
  for (std::size_t& one : fabric) one = root(one);
  return fabric;
}

struct Leaf {
  std::string name;
  std::vector<std::string> nodes;
};

std::string switch_text(const std::string& name, std::string_view below_key,
                        const std::vector<std::string>& below, SlurmTopology form) {
  if (form == SlurmTopology::conf)
    return cat("SwitchName=", name, " ", below_key == "children" ? "Switches" : "Nodes", "=",
               join(below, ","), "\n");
  return cat("      - switch: \"", name, "\"\n        ", below_key, ": \"", join(below, ","),
             "\"\n");
}

}  // namespace

std::string slurm_topology(const Topology& topology, const std::vector<std::string>& nodes,
                           SlurmTopology form) {
  std::map<std::size_t, Leaf> leaves;
  std::set<std::string> taken;
  std::vector<std::string> unknown;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const std::size_t leaf = topology.leaf[node];
    if (topology.switches[leaf].empty()) {
      unknown.push_back(plain_name(nodes[node]));
      continue;
    }
    const auto [at, fresh] = leaves.try_emplace(leaf);
    if (fresh) at->second.name = fresh_name(topology.switches[leaf], taken);
    at->second.nodes.push_back(plain_name(nodes[node]));
  }
  const auto fabric = fabrics_of(topology);
  std::map<std::size_t, std::vector<std::string>> below;
  for (const auto& [number, leaf] : leaves) below[fabric[number]].push_back(leaf.name);

  std::string out =
      "# Written by nettune test --mesh --write-topology: each leaf with its nodes, and one "
      "switch\n"
      "# above all leaves that are connected. Levels between them are not written.\n";
  if (topology.links.empty())
    out += "# No links between switches were known: that all leaves are connected is assumed.\n";
  if (!unknown.empty())
    out += cat("# The switch of these nodes is not known, and they are missing below: ",
               join(unknown, ","), "\n");
  if (form == SlurmTopology::yaml)
    out += "---\n- topology: nettune\n  cluster_default: true\n  tree:\n    switches:\n";
  for (const auto& [number, leaf] : leaves)
    out += switch_text(leaf.name, "nodes", leaf.nodes, form);
  for (const auto& [number, names] : below)
    if (names.size() > 1) out += switch_text(fresh_name("fabric", taken), "children", names, form);
  return out;
}

}  // namespace nettune::tools::measure
