// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/topology_slurm.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::measure {
namespace {

/// Without the comments.
std::string lines_of(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = text.find('\n', at) + 1;
    if (text[at] != '#') out += text.substr(at, end - at);
    at = end;
  }
  return out;
}

TEST(MeasureTopologySlurm, LeavesAreBelowOneSwitch) {
  const Topology topology = topology_of_leaves({"leaf1", "leaf2", "leaf1", ""});
  const std::string text = slurm_topology(topology, {"n1", "n2", "n3", "n4"}, SlurmTopology::conf);
  EXPECT_EQ(lines_of(text),
            "SwitchName=leaf1 Nodes=n1,n3\nSwitchName=leaf2 Nodes=n2\n"
            "SwitchName=fabric Switches=leaf1,leaf2\n");
  EXPECT_NE(text.find("missing below: n4\n"), text.npos);
  EXPECT_NE(text.find("that all leaves are connected is assumed"), text.npos);
}

TEST(MeasureTopologySlurm, OnlyWhatIsConnectedHasASwitchAbove) {
  const auto topology = parse_topology("n1 a\nn2 b\nn3 c\nn4 d\na spine\nspine b\nc spine2\n",
                                       {"n1", "n2", "n3", "n4"});
  ASSERT_TRUE(topology) << topology.error().text;
  const std::string text = slurm_topology(*topology, {"n1", "n2", "n3", "n4"}, SlurmTopology::conf);
  EXPECT_EQ(lines_of(text),
            "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\nSwitchName=c Nodes=n3\n"
            "SwitchName=d Nodes=n4\nSwitchName=fabric Switches=a,b\n");
  EXPECT_EQ(text.find("assumed"), text.npos);
}

TEST(MeasureTopologySlurm, NamesArePlainAndDiffer) {
  const Topology topology =
      topology_of_leaves({"leaf 1\nSwitchName=x", "leaf_1_SwitchName_x", "fabric"});
  EXPECT_EQ(lines_of(slurm_topology(topology, {"n1\nn9", "n2", "n3"}, SlurmTopology::conf)),
            "SwitchName=leaf_1_SwitchName_x Nodes=n1_n9\n"
            "SwitchName=leaf_1_SwitchName_x-2 Nodes=n2\nSwitchName=fabric Nodes=n3\n"
            "SwitchName=fabric-2 Switches=leaf_1_SwitchName_x,leaf_1_SwitchName_x-2,fabric\n");
}

TEST(MeasureTopologySlurm, AsYaml) {
  const Topology topology = topology_of_leaves({"leaf1", "leaf2"});
  EXPECT_EQ(lines_of(slurm_topology(topology, {"n1", "n2"}, SlurmTopology::yaml)),
            "---\n- topology: nettune\n  cluster_default: true\n  tree:\n    switches:\n"
            "      - switch: \"leaf1\"\n        nodes: \"n1\"\n"
            "      - switch: \"leaf2\"\n        nodes: \"n2\"\n"
            "      - switch: \"fabric\"\n        children: \"leaf1,leaf2\"\n");
}

}  // namespace
}  // namespace nettune::tools::measure
