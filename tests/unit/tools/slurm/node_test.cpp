// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/node.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::slurm {
namespace {

// From Slurm 22.05.8.
std::string shown(const std::string& name, const std::string& state, const std::string& rest) {
  return "NodeName=" + name +
         " Arch=x86_64 CoresPerSocket=1 \n"
         "   CPUAlloc=0 CPUEfctv=1 CPUTot=1 CPULoad=5.61\n"
         "   NodeAddr=10.10.0.1 NodeHostName=n1 Port=17001 Version=22.05.8\n"
         "   OS=Linux 6.1.0 #1 SMP PREEMPT_DYNAMIC @0 \n"
         "   State=" +
         state +
         " ThreadsPerCore=1 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n   Partitions=all \n" +
         rest + "\n";
}

TEST(SlurmNode, IsReadFromScontrol) {
  const auto nodes =
      parse_nodes(shown("n1", "IDLE+DRAIN+NOT_RESPONDING",
                        "   Reason=nettune: gpu-xid: it's [bad] [root@2026-12-01T06:39:09]\n"
                        "   Comment=rack 7: State=IDLE\n   Extra=nettune: about to drain\n") +
                  shown("n2", "MIXED", ""));
  ASSERT_TRUE(nodes) << nodes.error().text;
  ASSERT_EQ(nodes->size(), 2U);
  const Node& node = nodes->front();
  EXPECT_EQ(node.name, "n1");
  EXPECT_EQ(node.base, "IDLE");
  EXPECT_EQ(node.flags, (std::set<std::string>{"DRAIN", "NOT_RESPONDING"}));
  EXPECT_EQ(node.reason, "nettune: gpu-xid: it's [bad]");
  EXPECT_EQ(node.reason_by, "root@2026-12-01T06:39:09");
  EXPECT_EQ(node.comment, "rack 7: State=IDLE");
  EXPECT_EQ(node.extra, "nettune: about to drain");
  EXPECT_EQ(nodes->back().name, "n2");
  EXPECT_EQ(nodes->back().base, "MIXED");
  EXPECT_TRUE(nodes->back().reason.empty());
}

TEST(SlurmNode, AReasonMayHaveSeveralLines) {
  const auto nodes = parse_nodes(shown("n1", "IDLE+DRAIN",
                                       "   Reason=nettune: x [root@2026-12-01T06:39:09]\n"
                                       "          and more\n"));
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->front().reason, "nettune: x\nand more");
}

TEST(SlurmNode, ACommentCannotPassForAState) {
  const auto nodes = parse_nodes(shown("n1", "IDLE+DRAIN", "   Comment=two\n   State=IDLE\n"));
  ASSERT_FALSE(nodes);
  EXPECT_NE(nodes.error().text.find("shows State= of the node 'n1' twice"), std::string::npos)
      << nodes.error().text;
}

TEST(SlurmNode, WithoutAStateIsAnError) {
  EXPECT_FALSE(parse_nodes("NodeName=n1 Arch=x86_64\n   Comment=x\n"));
  const auto none = parse_nodes("Node n9 not found\n");
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

TEST(SlurmNode, ANameIsNoListOfNodes) {
  EXPECT_TRUE(is_node_name("gpu-17.cluster_a"));
  for (const char* const bad : {"", "gpu[1-9]", "a,b", "ALL ", "-a", "a\nb", "a=b"})
    EXPECT_FALSE(is_node_name(bad)) << bad;
}

TEST(SlurmNode, ATextForSlurmIsPlain) {
  EXPECT_EQ(plain("gpu-xid: \"0000:19:00.0\" $(id) `x` a=b;\n\xc3\xa4", 200),
            "gpu-xid: _0000:19:00.0_ _(id) _x_ a_b;___");
  EXPECT_EQ(plain("abcdef", 3), "abc");
}

}  // namespace
}  // namespace nettune::tools::slurm
