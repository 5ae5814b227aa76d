// SPDX-License-Identifier: Apache-2.0
#include "kernel/sysfs.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "unit/support/facts_tree.hpp"

namespace nettune::kernel {
namespace {

class KernelSysfs : public testing::Test {
 protected:
  Directory open() {
    auto directory = Directory::open(tree_.root());
    EXPECT_TRUE(directory);
    return std::move(*directory);
  }
  test::FakeNode tree_;
};

TEST_F(KernelSysfs, ALineIsTrimmedAndEndsAtTheNewline) {
  tree_.file("a/speed", "  200000 \nrest\n");
  tree_.file("a/empty", "");
  const Directory root = open();
  EXPECT_EQ(root.line("a/speed"), "200000");
  EXPECT_EQ(root.number("/a/speed"), 200000);
  EXPECT_EQ(root.line("a/empty"), "");
  EXPECT_FALSE(root.number("a/empty"));
  EXPECT_FALSE(root.line("a/none"));
  EXPECT_FALSE(root.line("a"));
}

TEST_F(KernelSysfs, SizesAreBounded) {
  tree_.file("long", std::string(100000, 'x'));
  const Directory root = open();
  EXPECT_EQ(root.line("long")->size(), 4096U);
  EXPECT_EQ(root.read("long", 100000)->size(), 100000U);
  const auto refused = root.read("long", 99999);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().sys, EFBIG);
  EXPECT_EQ(root.read("none", 10).error().code, Errc::not_found);
}

TEST_F(KernelSysfs, AFifoDoesNotHoldUs) {
  ASSERT_EQ(::mkfifo(tree_.path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(open().line("fifo"), "");
}

TEST_F(KernelSysfs, LinksAreReadAndListsSorted) {
  tree_.symlink("d/driver", "../../bus/pci/drivers/mlx5_core");
  tree_.file("d/b", "");
  tree_.file("d/a", "");
  const Directory root = open();
  EXPECT_EQ(root.link_name("d/driver"), "mlx5_core");
  EXPECT_FALSE(root.link("d/a"));
  EXPECT_TRUE(root.exists("d/driver"));
  EXPECT_FALSE(root.exists("d/none"));
  EXPECT_EQ(root.list("d"), (std::vector<std::string>{"a", "b", "driver"}));
  EXPECT_TRUE(root.list("none").empty());
  EXPECT_EQ(root.entries("none").error().code, Errc::not_found);
  EXPECT_EQ(root.directory("d")->list("").size(), 3U);
  EXPECT_FALSE(root.directory("d/a"));
}

TEST_F(KernelSysfs, LinksOfARecordedNodeNeverLeaveIt) {
  test::FakeNode outside;
  outside.file("secret", "of this machine\n");
  outside.file("etc/own", "of this machine\n");
  tree_.file("etc/own", "of the recording\n");
  tree_.file("sys/devices/card/numa_node", "1\n");
  tree_.symlink("sys/class/net/fab0", "../../devices/card");
  tree_.symlink("absolute", "/etc/own");
  tree_.symlink("all", "/etc");
  tree_.symlink("stolen", outside.path("secret"));
  tree_.symlink("stolen-directory", outside.path("etc"));
  tree_.symlink("above", "../../../../../../../../etc/own");
  tree_.symlink("loop", "loop");
  const auto root = Directory::open_node(tree_.root());
  ASSERT_TRUE(root);
  EXPECT_EQ(root->line("absolute"), "of the recording");
  EXPECT_EQ(root->line("all/own"), "of the recording");
  EXPECT_EQ(root->line("above"), "of the recording");
  EXPECT_EQ(root->line("../etc/own"), "of the recording");
  EXPECT_EQ(root->number("sys/class/net/fab0/numa_node"), 1);
  EXPECT_FALSE(root->line("stolen"));
  EXPECT_FALSE(root->read("stolen-directory/own", 100));
  EXPECT_TRUE(root->list("stolen-directory").empty());
  EXPECT_FALSE(root->directory("stolen-directory"));
  EXPECT_FALSE(root->line("loop"));
  // What hides behind a loop was not seen; it is not absent.
  const auto behind = root->entries("loop");
  ASSERT_FALSE(behind);
  EXPECT_EQ(behind.error().code, Errc::io);
  EXPECT_TRUE(root->exists("stolen"));
  EXPECT_EQ(root->link_name("sys/class/net/fab0"), "card");
  // A directory of it is in the same tree.
  const auto net = root->directory("sys/class/net");
  ASSERT_TRUE(net);
  EXPECT_EQ(net->number("fab0/numa_node"), 1);
  EXPECT_EQ(net->list(""), (std::vector<std::string>{"fab0", "lo"}));
}

}  // namespace
}  // namespace nettune::kernel
