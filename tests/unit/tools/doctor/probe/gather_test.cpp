// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/probe/gather.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"
#include "unit/support/facts_tree.hpp"

namespace nettune::tools::doctor::probe {
namespace {

using namespace test;

Machine gathered(const FakeNode& node) {
  GatherRequest request;
  request.root = node.root();
  auto machine = gather(request);
  EXPECT_TRUE(machine) << machine.error().text;
  return machine ? std::move(*machine) : Machine();
}

TEST(DoctorProbeGather, LimitsOfTheJobsOfServices) {
  FakeNode node;
  const auto limits = [](const char* memlock, const char* files) {
    return cat("Limit                     Soft Limit           Hard Limit           Units     \n",
               "Max stack size            8388608              unlimited            bytes     \n",
               "Max open files            ", files,
               "                 524288               files     \n", "Max locked memory         ",
               memlock, "              8388608              bytes     \n");
  };
  node.process(812, "slurmd");
  node.file("proc/812/limits", limits("8388608", "1024"));
  node.process(700, "containerd");
  node.file("proc/700/limits", limits("unlimited", "1048576"));
  node.process(650, "sshd");
  node.file("proc/650/limits", limits("8388608", "1024"));
  node.file("etc/pam.d/sshd", "session required pam_limits.so\n");
  node.file("etc/security/limits.d/rdma.conf", "# all\n* - memlock unlimited\n");
  const Machine machine = gathered(node);
  ASSERT_EQ(machine.services.size(), 3U);
  EXPECT_EQ(machine.services[0].service, "slurmd");
  ASSERT_TRUE(machine.services[0].memlock);
  EXPECT_EQ(**machine.services[0].memlock.value, 8388608U);
  EXPECT_EQ(machine.services[1].service, "containerd");
  EXPECT_FALSE(machine.services[1].memlock.value->has_value()) << "unlimited";
  EXPECT_EQ(machine.services[2].service, "ssh");
  EXPECT_FALSE(machine.services[2].memlock.value->has_value()) << "pam_limits gives more";
  EXPECT_EQ(**machine.services[2].nofile.value, 1024U);
}

TEST(DoctorProbeGather, AUnitThatDoesNotRunHasTheLimitOfItsDropIn) {
  FakeNode node;
  node.directory("proc/1");
  node.file("usr/lib/systemd/system/slurmd.service", "[Service]\nLimitNOFILE=131072\n");
  EXPECT_EQ(**gathered(node).services.at(0).memlock.value, 8U << 20);
  node.file("etc/systemd/system/slurmd.service.d/nettune.conf",
            "[Service]\nLimitMEMLOCK=infinity\n");
  const Machine machine = gathered(node);
  // slurmd itself is not limited; a job gets the limit of the shell that submits it.
  EXPECT_FALSE(machine.services.at(0).memlock);
  node.file("etc/slurm/slurm.conf", "PropagateResourceLimitsExcept=MEMLOCK\n");
  EXPECT_FALSE(gathered(node).services.at(0).memlock.value->has_value());
}

TEST(DoctorProbeGather, AMissingShmIsNoFileSystemThatHangs) {
  FakeNode node;
  const auto root = Directory::open(node.root());
  ASSERT_TRUE(root);
  Machine machine;
  take_space({*root, true}, "/ 1000 500 0 0\n", machine);
  EXPECT_FALSE(machine.shm);
  EXPECT_EQ(machine.shm.gap.why, "there is no /dev/shm");
  Machine silent;
  take_space({*root, true}, std::nullopt, silent);
  EXPECT_NE(silent.shm.gap.why, "there is no /dev/shm");
}

TEST(DoctorProbeGather, SegmentsThatNobodyHasOpenAreLeftOverButNotInAContainer) {
  FakeNode node;
  node.file("dev/shm/nccl-Ab3dEf", "");
  EXPECT_EQ(gathered(node).shm_leftovers, std::vector<std::string>{"nccl-Ab3dEf"});
  node.file("run/systemd/container", "docker\n");
  const Machine inside = gathered(node);
  EXPECT_TRUE(inside.shm_leftovers.empty());
  EXPECT_FALSE(inside.notes.empty());
}

TEST(DoctorProbeGather, PciTreesKnowTheirBridges) {
  FakeNode node;
  const std::string port = "pci0000:15/0000:15:01.0";
  node.pci(port, "0x8086", "0x352a", "pcieport", 0, "0x060400");
  node.pci(port + "/0000:19:00.0", "0x10de", "0x2330", "nvidia", 0, "0x030200");
  const std::string gpu = cat("sys/devices/", port, "/0000:19:00.0/");
  node.file(gpu + "current_link_speed", "32.0 GT/s PCIe\n");
  node.file(gpu + "current_link_width", "8\n");
  node.file(gpu + "max_link_speed", "32.0 GT/s PCIe\n");
  node.file(gpu + "max_link_width", "16\n");
  node.file(gpu + "config", std::string(64, '\0'));
  node.file(gpu + "resource",
            "0x0000000000000000 0x0000000000ffffff 0x0000000020040200\n"
            "0x0000006000000000 0x0000007fffffffff 0x000000000014220c\n");
  const Machine machine = gathered(node);
  ASSERT_TRUE(machine.pci);
  const PciFunction* const function = machine.find_pci("0000:19:00.0");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->parent, "0000:15:01.0");
  EXPECT_EQ(function->now->lanes, 8);
  EXPECT_EQ(function->most->speed_tenths, 320);
  ASSERT_EQ(function->bars.size(), 2U);
  EXPECT_FALSE(function->bars[0].assigned);
  EXPECT_TRUE(function->bars[1].prefetchable_64);
  EXPECT_EQ(function->bars[1].size, std::uint64_t{1} << 37);
  EXPECT_FALSE(function->acs);
  EXPECT_EQ(function->acs.gap.blank, facts::Blank::not_permitted);
}

TEST(DoctorProbeGather, HostileTreesAreReadWithoutHarm) {
  FakeNode node;
  node.file("sys/class/infiniband/\x1b[31m/ports/1/state", "4: ACTIVE\n");
  node.file("proc/cmdline", std::string(200'000, '='));
  node.file("nettune/nvml", "gpu \ngpu x\nnvlinks 99999999999999999999\nthrottle -1\n");
  node.file("nvidia-smi.xml", std::string(100'000, '<'));
  node.file("lspci.txt", ":\n : :\n00:00.0 \n\tRegion : \n\tLnkCap: Speed GT/s, Width x\n");
  node.file("ibstat.txt", "CA 'a\nPort 1:\nState\n");
  node.file("kernel.log", "[\n[999999999999999999999.1] x\n;;;\n6,,,;\n");
  const Machine machine = gathered(node);
  EXPECT_FALSE(observe(machine).empty());
}

}  // namespace
}  // namespace nettune::tools::doctor::probe
