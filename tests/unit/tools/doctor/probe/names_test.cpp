// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tools/doctor/probe/child.hpp"
#include "tools/doctor/probe/gather.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::tools::doctor::probe {
namespace {

using namespace test;

TEST(DoctorProbeNames, ParsesTheLookUp) {
  const auto own = parse_own_name(
      "name gpu17\ncanonical gpu17.cluster\naddress 127.0.1.1\naddress ::1\nfqdn gpu17.cluster\nms "
      "3\n");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->addresses, (std::vector<std::string>{"127.0.1.1", "::1"}));
  EXPECT_EQ(own->fqdn, "gpu17.cluster");
  EXPECT_EQ(own->took_ms, 3);
  EXPECT_FALSE(parse_own_name("nothing"));
}

TEST(DoctorProbeNames, OfATreeByItsHostsFile) {
  FakeNode node;
  node.file("etc/hostname", "gpu17\n");
  node.file("etc/hosts", "127.0.0.1 localhost\n# 10.0.0.17 gpu17\n127.0.1.1 gpu17.cluster gpu17\n");
  const auto root = Directory::open(node.root());
  ASSERT_TRUE(root);
  const Known<Lookup> own = own_name_of_files(*root);
  ASSERT_TRUE(own);
  EXPECT_EQ(own->addresses, std::vector<std::string>{"127.0.1.1"});
  EXPECT_EQ(own->canonical, "gpu17.cluster");
  EXPECT_EQ(hosts_line(*root, *own), "/etc/hosts line 3: 127.0.1.1 gpu17.cluster gpu17");
  node.file("etc/hosts", "127.0.1.1\tgpu17.cluster\tgpu17 # by the installer\n");
  EXPECT_EQ(hosts_line(*root, *own), "/etc/hosts line 1: 127.0.1.1 gpu17.cluster gpu17");
  node.file("etc/hosts", "127.0.0.1 localhost\n");
  EXPECT_FALSE(own_name_of_files(*root)) << "a name server may know it";
}

}  // namespace
}  // namespace nettune::tools::doctor::probe
