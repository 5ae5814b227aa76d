// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "intents/tcp.hpp"
#include "unit/support/profile_fixture.hpp"

namespace nettune::profile {
namespace {

using namespace test;

class ProfileResolve : public test::ProfileTest {};

TEST_F(ProfileResolve, SysctlRelationsAndForms) {
  const auto result = good(
      "[sysctl]\n\"k.a\" = 5\n\"k.b\" = \" text \"\n\"k.c\" = [4096, 131072, 33554432]\n"
      "\"k.d\" = \">= 7\"\n\"k.e\" = \"<=7 8\"\n\"k.f\" = { value = 1, optional = true }\n"
      "\"k.g\" = { value = \">= 2\", nearest = true }\n\"k.h\" = -1\n"
      "\"k.i\" = { elements = [29400, \"x-y\"], optional = true }\n"
      "\"k.j\" = \"4096\t131072\\t33554432\"\n");
  EXPECT_EQ(test::value(result, "sysctl:k.a"), "5");
  EXPECT_EQ(test::value(result, "sysctl:k.b"), "text");
  EXPECT_EQ(test::value(result, "sysctl:k.c"), "4096 131072 33554432");
  EXPECT_EQ(test::value(result, "sysctl:k.d"), ">= 7");
  EXPECT_EQ(test::value(result, "sysctl:k.e"), "<= 7 8");
  EXPECT_TRUE(test::find(result, "sysctl:k.f")->optional);
  EXPECT_FALSE(test::find(result, "sysctl:k.f")->nearest);
  EXPECT_TRUE(test::find(result, "sysctl:k.g")->nearest);
  EXPECT_EQ(test::value(result, "sysctl:k.g"), ">= 2");
  EXPECT_EQ(test::value(result, "sysctl:k.h"), "-1");
  EXPECT_EQ(test::value(result, "sysctl:k.i#29400"), "present");
  EXPECT_EQ(test::value(result, "sysctl:k.j"), "4096 131072 33554432")
      << "as it is copied from sysctl";
  EXPECT_TRUE(test::find(result, "sysctl:k.i#x-y")->optional);
  EXPECT_TRUE(std::ranges::is_sorted(result.desired.settings, {}, &Setting::address));
}

TEST_F(ProfileResolve, BadSysctls) {
  bad("[sysctl]\n\"a.b\" = true\n", 5, {"[sysctl] a.b", "true"});
  bad("[sysctl]\n\"a.b\" = 1.5\n", 5, {"1.5"});
  bad("[sysctl]\n\"a.b\" = \"\"\n", 5, {"empty"});
  bad("[sysctl]\n\"a.b\" = []\n", 5, {"empty"});
  bad("[sysctl]\n\"a.b\" = [1, \"x\"]\n", 5, {"list"});
  bad("[sysctl]\n\"a.b\" = \"x\\ny\"\n", 5, {"control characters"});
  bad("[sysctl]\n\"a.b\" = \">= x\"\n", 5, {"integers"});
  bad("[sysctl]\n\"a.b\" = \">=\"\n", 5, {"no number"});
  bad("[sysctl]\n\"a.b\" = { optional = true }\n", 5, {"needs value or elements"});
  bad("[sysctl]\n\"a.b\" = { value = 1, elements = [1] }\n", 5, {"needs value or elements"});
  bad("[sysctl]\n\"a.b\" = { elements = [1], nearest = true }\n", 5, {"nearest"});
  bad("[sysctl]\n\"a.b\" = { elements = [\"a,b\"] }\n", 5, {"a,b"});
  bad("[sysctl]\n\"a.b\" = { elements = [\"\"] }\n", 5, {"element"});
  bad("[sysctl]\n\"a.b\" = { vlaue = 1 }\n", 5, {"vlaue", "\"value\""});
  bad("[sysctl]\n\"a.b\" = { value = 1, optional = 1 }\n", 5, {"optional", "true or false"});
  bad("[sysctl]\nnet.core.rmem_max = 1\n", 5, {"quotes", "\"net.core...\""});
  for (const std::string key : {"..", "net..core", "/etc/passwd", "net/../x", "a b", "a\\u0007b",
                                "a#b", "a=b", "a*b", ""}) {
    const auto lines = "[sysctl]\n\"" + key + "\" = 1\n";
    profile("x", lines);
    const auto result = resolved();
    ASSERT_FALSE(result) << key;
    EXPECT_EQ(result.error().line, 5) << result.error().text;
    EXPECT_EQ(result.error().code, Errc::invalid);
  }
}

TEST_F(ProfileResolve, AKeyPerDeviceRemembersTheDevice) {
  device("eth0.100");
  device("ens1");
  const std::string set = "[devices.d]\nmatch = { name = \"e*\" }\n[sysctl]\n";
  const auto result = good(set + "\"net.ipv4.conf.${d.each}.rp_filter\" = 2\n" +
                           "\"net/ipv6/conf/${d.each}/mtu\" = \">= 9000\"\n");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.conf.eth0/100.rp_filter"), "2");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv6.conf.eth0/100.mtu"), ">= 9000");
  ASSERT_NE(test::find(result, "sysctl:net.ipv4.conf.ens1.rp_filter"), nullptr);
  EXPECT_EQ(test::find(result, "sysctl:net.ipv4.conf.ens1.rp_filter")->device, "pci of ens1");
  facts.net.clear();
  const auto none = good(set + "\"net.ipv4.conf.${d.each}.rp_filter\" = 2\n");
  EXPECT_TRUE(none.desired.settings.empty());
  EXPECT_TRUE(test::any_has(none.desired.notes, "device set d"));
  EXPECT_TRUE(none.misfits.empty());
}

TEST_F(ProfileResolve, WholeAndElementsOfOneListAreAConflict) {
  profile("a", "[sysctl]\n\"l\" = { elements = [1] }\n");
  profile("x", "extends = [\"a\"]\n[sysctl]\n\"l\" = \"1-2\"\n");
  bad_profile("x", "/p/a.toml", 5, {"sysctl:l", "whole", "elements", "/p/x.toml:6"});
}

TEST_F(ProfileResolve, LinksOfASet) {
  device("ens1").max_mtu = 9978;
  device("ens2").min_mtu = 68;
  const std::string set = "[devices.d]\nmatch = { name = \"ens*\" }\n[link.d]\n";
  const auto result = good(set + "mtu = 9000\ntxqueuelen = { value = 2000, optional = true }\n");
  EXPECT_EQ(test::value(result, "link:ens1:mtu"), "9000");
  EXPECT_EQ(test::find(result, "link:ens2:mtu")->device, "pci of ens2");
  EXPECT_EQ(test::value(result, "link:ens2:txqueuelen"), "2000");
  EXPECT_TRUE(test::find(result, "link:ens2:txqueuelen")->optional);
  bad(set + "mtu = 67\n", 7, {"[link.d] mtu", "67", "68 to 65535"});
  bad(set + "mtu = 65536\n", 7, {"65536"});
  bad(set + "mtu = \"9000\"\n", 7, {"an integer", "a string"});
  bad(set + "mtv = 9000\n", 7, {"mtv", "\"mtu\""});
  bad(set + "mtu = 10000\n", 7, {"10000", "ens1", "at most 9978"});
  facts.net[1].min_mtu = 1280;
  bad(set + "mtu = 1000\n", 7, {"1000", "ens2", "at least 1280"});
  const auto left = good(set + "mtu = { value = 10000, optional = true }\n");
  EXPECT_EQ(test::value(left, "link:ens1:mtu"), "-");
  EXPECT_EQ(test::value(left, "link:ens2:mtu"), "10000");
  EXPECT_TRUE(test::any_has(left.desired.notes, "ens1 supports at most 9978"));
}

TEST_F(ProfileResolve, EthtoolOfASet) {
  device("ens1");
  device("ens2");
  const std::string set = "[devices.d]\nmatch = { name = \"ens*\" }\n[ethtool.d]\n";
  const auto result =
      good(set + "pause-rx = false\nring-rx = { value = 8000, nearest = true }\n" +
           "feature-rx-gro-hw = true\nflag-fw-lldp-agent = { value = false, optional = true }\n");
  EXPECT_EQ(test::value(result, "ethtool:ens1:pause-rx"), "off");
  EXPECT_EQ(test::value(result, "ethtool:ens2:feature-rx-gro-hw"), "on");
  EXPECT_EQ(test::value(result, "ethtool:ens2:ring-rx"), "8000");
  EXPECT_TRUE(test::find(result, "ethtool:ens2:ring-rx")->nearest);
  EXPECT_FALSE(test::find(result, "ethtool:ens2:pause-rx")->nearest);
  EXPECT_EQ(test::find(result, "ethtool:ens2:ring-rx")->device, "pci of ens2");
  EXPECT_TRUE(test::find(result, "ethtool:ens1:flag-fw-lldp-agent")->optional);
  const auto variable =
      good("[vars]\nn = { default = 4 }\n" + set + "channels-combined = \"${n}\"\n");
  EXPECT_EQ(test::value(variable, "ethtool:ens1:channels-combined"), "4");
  bad(set + "ring-rz = 1\n", 7, {"[ethtool.d]", "ring-rz", "'ring-rx'"});
  bad(set + "colour = 1\n", 7, {"colour", "keys are"});
  bad(set + "feature- = true\n", 7, {"feature-", "a valid name"});
  bad(set + "ring-rx = true\n", 7, {"[ethtool.d] ring-rx", "integer from 0 to 4294967295"});
  bad(set + "ring-rx = -1\n", 7, {"-1"});
  bad(set + "ring-rx = 4294967296\n", 7, {"4294967296"});
  bad(set + "pause-rx = 1\n", 7, {"[ethtool.d] pause-rx", "true or false"});
  bad(set + "pause-rx = \"off\"\n", 7, {"a ${variable}", "a string"});
  bad(set + "pause-rx = { optional = true }\n", 7, {"value", "missing"});
  facts.net.clear();
  const auto none = good(set + "ring-rx = 1\n");
  EXPECT_TRUE(none.desired.settings.empty());
  EXPECT_TRUE(test::any_has(none.desired.notes, "device set d"));
}

TEST_F(ProfileResolve, InheritedEthtoolIsRemovedByItsKey) {
  device("ens1");
  profile("a", "[devices.d]\nmatch = { name = \"ens*\" }\n[ethtool.d]\nring-rx = 1\nring-tx = 2\n");
  profile("x", "extends = [\"a\"]\nremove = [\"ethtool:d:ring-rx\"]\n[ethtool.d]\nring-tx = 3\n");
  const auto result = good_profile("x");
  EXPECT_EQ(test::value(result, "ethtool:ens1:ring-rx"), "-");
  EXPECT_EQ(test::value(result, "ethtool:ens1:ring-tx"), "3");
}

TEST_F(ProfileResolve, TheModeOfIpoib) {
  device("ib0");
  const std::string set = "[devices.d]\nmatch = { name = \"ib0\" }\n[link.d]\n";
  EXPECT_EQ(test::value(good(set + "ipoib-mode = \"connected\"\n"), "link:ib0:ipoib-mode"),
            "connected");
  const auto table = good("[vars]\nm = { default = \"datagram\" }\n" + set +
                          "ipoib-mode = { value = \"${m}\", optional = true }\n");
  EXPECT_EQ(test::value(table, "link:ib0:ipoib-mode"), "datagram");
  EXPECT_TRUE(test::find(table, "link:ib0:ipoib-mode")->optional);
  bad(set + "ipoib-mode = \"ud\"\n", 7, {"[link.d] ipoib-mode", "ud", "connected"});
  bad(set + "ipoib-mode = 1\n", 7, {"ipoib-mode", "a string"});
}

TEST_F(ProfileResolve, QueueingDisciplines) {
  device("ens1");
  const std::string set = "[devices.d]\nmatch = { name = \"ens*\" }\n[qdisc.d]\n";
  const auto result = good(set + "root = \"mq/fq\"\n");
  EXPECT_EQ(test::value(result, "qdisc:ens1:root"), "mq/fq");
  EXPECT_EQ(test::find(result, "qdisc:ens1:root")->device, "pci of ens1");
  EXPECT_TRUE(
      test::find(good(set + "root = { value = \"fq\", optional = true }\n"), "qdisc:ens1:root")
          ->optional);
  bad(set + "root = 1\n", 7, {"[qdisc.d] root", "a string"});
  bad(set + "rot = \"fq\"\n", 7, {"rot", "\"root\""});
  bad("[qdisc.e]\nroot = \"fq\"\n", 5, {"e"});
}

TEST_F(ProfileResolve, RdmaPortsOfASet) {
  for (const char* const name : {"ens1", "ens2", "ens3", "bond0"}) device(name);
  facts.net[0].rdma_devices = {"mlx5_0"};
  facts.net[1].rdma_devices = facts.net[3].rdma_devices = {"mlx5_bond_0"};
  for (const char* const name : {"mlx5_0", "mlx5_bond_0"}) {
    facts::RdmaDevice rdma;
    rdma.name = name;
    rdma.identity = std::string("rdma pci of ") + name;
    rdma.ports.emplace_back();
    facts.rdma.push_back(rdma);
  }
  facts.rdma[0].ports[0].netdev = "other";
  facts.rdma[0].ports.emplace_back();
  facts.rdma[0].ports[1].number = 2;
  facts.rdma[0].ports[1].netdev = "ens1";
  facts.rdma[1].ports[0].netdev = "bond0";
  const std::string set = "[devices.d]\nmatch = { name = \"*\" }\n[rdma.d]\n";
  const auto result =
      good(set +
           "cma-roce-mode = \"RoCE v2\"\ncma-roce-tos = { value = 106, optional = true }\n"
           "cc-np_cnp_dscp = 48\n");
  EXPECT_EQ(test::value(result, "rdma:mlx5_0/2:cma-roce-tos"), "106");
  EXPECT_EQ(test::value(result, "rdma:mlx5_0/1:cma-roce-tos"), "-");
  EXPECT_EQ(test::value(result, "rdma:mlx5_bond_0/1:cma-roce-mode"), "RoCE v2")
      << "of bond and member, once";
  EXPECT_EQ(test::value(result, "rdma:mlx5_bond_0/1:cc-np_cnp_dscp"), "48");
  EXPECT_EQ(test::find(result, "rdma:mlx5_0/2:cma-roce-tos")->device, "rdma pci of mlx5_0");
  ASSERT_EQ(test::value(result, "rdma:mlx5_0:cma"), "present");
  EXPECT_EQ(test::find(result, "rdma:mlx5_0:cma")->device, "rdma pci of mlx5_0");
  EXPECT_FALSE(test::find(result, "rdma:mlx5_0:cma")->optional) << "the mode in it is not";
  EXPECT_TRUE(test::any_has(result.desired.notes, "ens3 has no RDMA port"));
  EXPECT_EQ(test::value(good(set + "traffic-class = 106\n"), "rdma:mlx5_0:cma"), "-");
  EXPECT_TRUE(
      test::find(good(set + "cma-roce-tos = { value = 1, optional = true }\n"), "rdma:mlx5_0:cma")
          ->optional);
  bad(set + "cma-roce-tos = 256\n", 7, {"[rdma.d] cma-roce-tos", "256", "0 to 255"});
  bad(set + "cma-roce-tos = \"106\"\n", 7, {"an integer", "a string"});
  bad(set + "cma-roce-mode = \"v2\"\n", 7, {"v2", "RoCE v2"});
  bad(set + "cma-rose-mode = \"RoCE v2\"\n", 7, {"cma-rose-mode", "\"cma-roce-mode\""});
  bad(set + "cc-np_cnp_dcsp = 48\n", 7, {"\"cc-np_cnp_dscp\""});
  bad(set + "cc-np_cnp_dscp = \"many\"\n", 7, {"cc-np_cnp_dscp", "an integer"});
  bad(set + "cc-rp_ai_rate = 4294967296\n", 7, {"4294967295"});
}

TEST_F(ProfileResolve, TwoSectionsMayNotYieldOneSetting) {
  device("ens1");
  bad("[devices.a]\nmatch = { name = \"ens1\" }\n[devices.b]\nmatch = { name = \"ens?\" }\n"
      "[link.a]\nmtu = 9000\n[link.b]\nmtu = 9000\n",
      11, {"link:ens1:mtu", "/p/x.toml:9"});
  bad("[modules]\nload = [\"m\"]\n[files]\n\"/etc/modules-load.d/nettune.conf\" = { content = \"\" "
      "}\n",
      7, {"file:/etc/modules-load.d/nettune.conf", "twice", "nettune itself"});
}

TEST_F(ProfileResolve, Modules) {
  const auto result = good("[modules]\nload = [\"tcp_bbr\", \"xt-foo\"]\n");
  EXPECT_EQ(test::value(result, "module:tcp_bbr"), "loaded");
  EXPECT_EQ(test::value(result, "module:xt_foo"), "loaded");
  EXPECT_TRUE(
      test::content(result, "/etc/modules-load.d/nettune.conf").ends_with("\ntcp_bbr\nxt_foo\n"));
  for (const std::string name : {"../x", "a b", "", "A", "a;b", "$(x)"}) {
    bad("[modules]\nload = [\n\"" + name + "\"]\n", 6, {"module name"});
  }
}

TEST_F(ProfileResolve, Limits) {
  facts.services = {"slurmd.service", "kubelet"};
  const auto result = good(
      "[limits]\nmemlock = \"unlimited\"\nservices = [\"slurmd\", \"kubelet.service\", "
      "\"crio\"]\n");
  EXPECT_NE(test::content(result, "/etc/security/limits.d/zz-nettune.conf")
                .find("* - memlock unlimited\n"),
            std::string::npos);
  EXPECT_EQ(test::value(result, "dir:/etc/systemd/system/slurmd.service.d"), "present");
  EXPECT_NE(test::content(result, "/etc/systemd/system/kubelet.service.d/nettune.conf")
                .find("[Service]\nLimitMEMLOCK=infinity\n"),
            std::string::npos);
  EXPECT_EQ(test::value(result, "dir:/etc/systemd/system/crio.service.d"), "-");
  EXPECT_TRUE(test::any_has(result.desired.notes, "crio"));
  const auto kib = good("[limits]\nmemlock = 65536\nservices = [\"slurmd\"]\n");
  EXPECT_NE(test::content(kib, "/etc/systemd/system/slurmd.service.d/nettune.conf")
                .find("LimitMEMLOCK=67108864\n"),
            std::string::npos);
  const auto all = good(
      "[limits]\nnofile = 65536\nstack = \"unlimited\"\nnproc = 8192\nservices = [\"slurmd\"]\n");
  EXPECT_NE(test::content(all, "/etc/security/limits.d/zz-nettune.conf").find("* - nofile 65536\n"),
            std::string::npos);
  EXPECT_NE(test::content(all, "/etc/systemd/system/slurmd.service.d/nettune.conf")
                .find("LimitNOFILE=65536\nLimitSTACK=infinity\nLimitNPROC=8192\n"),
            std::string::npos);
  bad("[limits]\nnofile = \"unlimited\"\n", 5, {"[limits] nofile", "unlimited", "number"});
  bad("[limits]\nnproc = 5\n", 5, {"nproc", "1024"});
  bad("[limits]\nmemlock = -1\n", 5, {"[limits] memlock", "-1"});
  bad("[limits]\nmemlock = \"lots\"\n", 5, {"lots"});
  bad("[limits]\nservices = [\"slurmd\"]\n", 5, {"without a limit", "nofile"});
  bad("[limits]\nmemlock = 1\nservices = [\"a/../b\"]\n", 6, {"service"});
  bad("[limits]\nmemlok = 1\n", 5, {"memlok", "\"memlock\""});
}

TEST_F(ProfileResolve, Files) {
  const auto result = good(
      "[vars]\nv = { default = \"x\" }\n[files]\n\"/etc//a/./b\" = { content = \"${v}\\n\" }\n"
      "\"/etc/c\" = { content = \"\", mode = \"600\", owner = \"0:42\" }\n");
  EXPECT_EQ(test::value(result, "file:/etc/a/b"),
            "sha256:73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac mode 0644 "
            "owner 0:0");
  EXPECT_EQ(test::content(result, "/etc/a/b"), "x\n");
  EXPECT_TRUE(test::value(result, "file:/etc/c").ends_with(" mode 0600 owner 0:42"));
  const auto file = [](const std::string& path, const std::string& rest = "") {
    return "[files]\n\"" + path + "\" = { content = \"x\"" + rest + " }\n";
  };
  bad(file("etc/a"), 5, {"not absolute"});
  bad(file("/usr/bin/x"), 5, {"below /etc"});
  bad(file("/etc/../root/x"), 5, {"\"..\""});
  bad(file("/etc/"), 5, {"not below /etc"});
  bad(file("/etc"), 5, {"not below /etc"});
  bad(file("/etc/a\\nb"), 5, {"control characters"});
  bad(file("/etc/${v}"), 5, {"/etc/${v}"});
  bad(file("/etc/nccl.conf"), 5, {"[env]"});
  bad(file("/etc/nettune/profiles/evil.toml"), 5, {"reserved for nettune"});
  bad(file("/etc/a", ", mode = \"4755\""), 5, {"4755"});
  bad(file("/etc/a", ", mode = \"rw\""), 5, {"rw"});
  bad(file("/etc/a", ", mode = 420"), 5, {"mode", "a string"});
  bad(file("/etc/a", ", owner = \"alice:alice\""), 5, {"alice:alice"});
  bad(file("/etc/a", ", owner = \"0:4294967295\""), 5, {"4294967295"});
  bad("[files]\n\"/etc/a\" = { mode = \"0644\" }\n", 5, {"\"content\" is missing"});
  bad("[files]\n\"/etc/a\" = \"text\"\n", 5, {"a table"});
}

TEST_F(ProfileResolve, EnvGoesToThreePlaces) {
  device("ens1");
  const auto result = good(
      "[devices.d]\nmatch = { name = \"ens1\" }\n[env]\nNCCL_IB_TC = 106\n"
      "NCCL_SOCKET_IFNAME = \"=${d.names}\"\n"
      "QPS = { value = 4, same_on_all_nodes = true }\n");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_IB_TC"), "106");
  EXPECT_EQ(test::value(result, "nccl.conf:NCCL_SOCKET_IFNAME"), "=ens1");
  EXPECT_TRUE(test::find(result, "nccl.conf:QPS")->same_on_all_nodes);
  const std::string shell = test::content(result, "/etc/profile.d/nettune.sh");
  EXPECT_NE(shell.find("NCCL_IB_TC='106'"), std::string::npos);
  EXPECT_EQ(shell.find("IFNAME"), std::string::npos) << "a value of this node reached the shell";
  EXPECT_TRUE(test::content(result, "/etc/nettune/nccl.env")
                  .ends_with("\nNCCL_IB_TC=106\nNCCL_SOCKET_IFNAME==ens1\nQPS=4\n"));
  EXPECT_EQ(test::value(result, "dir:/etc/nettune"), "present");
}

TEST_F(ProfileResolve, EnvOutputsCanBeChosen) {
  const auto conf = good("[env]\noutputs = [\"nccl.conf\"]\nA = 1\n");
  ASSERT_EQ(conf.desired.settings.size(), 1U);
  EXPECT_EQ(test::value(conf, "nccl.conf:A"), "1");
  const auto shell = good("[env]\noutputs = [\"profile.d\"]\nA = 1\n");
  ASSERT_EQ(shell.desired.settings.size(), 2U);
  EXPECT_EQ(test::value(shell, "dir:/etc/profile.d"), "present");
  EXPECT_NE(test::content(shell, "/etc/profile.d/nettune.sh"), "-");
  EXPECT_TRUE(good("[env]\noutputs = []\nA = 1\n").desired.settings.empty());
  bad("[env]\noutputs = [\"nccl.cnf\"]\nA = 1\n", 5, {"nccl.cnf", "did you mean \"nccl.conf\""});
}

TEST_F(ProfileResolve, EnvGoesToWhateverStartsJobs) {
  device("ens1");
  const std::string variables =
      "A = \"50%\"\nB = { value = 1, same_on_all_nodes = true }\nHCA = \"=${d.names}\"\n";
  const std::string set = "[devices.d]\nmatch = { name = \"ens1\" }\n";
  const auto result =
      good(set + "[env]\noutputs = [\"systemd\", \"slurm\", \"k8s\", \"json\"]\n" + variables);
  EXPECT_TRUE(test::content(result, "/etc/nettune/nccl.service.conf")
                  .ends_with("\n[Service]\nEnvironment=\"A=50%%\"\nEnvironment=\"B=1\"\n"
                             "Environment=\"HCA==ens1\"\n"));
  EXPECT_TRUE(
      test::content(result, "/etc/nettune/task-prolog.sh").starts_with("#!/bin/sh\n# Written by "));
  EXPECT_EQ(test::content(result, "/etc/nettune/task-prolog.sh").find("HCA"), std::string::npos)
      << "srun would carry it to other nodes";
  EXPECT_NE(test::value(result, "file:/etc/nettune/task-prolog.sh").find("mode 0755"),
            std::string::npos)
      << "slurmstepd runs nothing that is not executable";
  EXPECT_TRUE(test::content(result, "/etc/nettune/nccl.configmap.yaml")
                  .ends_with("\ndata:\n  'A': '50%'\n  'B': '1'\n"));
  EXPECT_NE(test::content(result, "/etc/nettune/env.json").find("\"value\": \"50%\""),
            std::string::npos);
  for (const char* const path : {"/etc/profile.d/nettune.sh", "/etc/nettune/nccl.env"})
    EXPECT_EQ(test::content(result, path), "-") << path;
  const auto& jobs = result.desired.variables;
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_TRUE(!jobs[0].of_this_node && !jobs[1].of_this_node && jobs[2].of_this_node);
  EXPECT_TRUE(!jobs[0].same_on_all_nodes && jobs[1].same_on_all_nodes);
  EXPECT_EQ(jobs[2].value, "=ens1");
  EXPECT_EQ(jobs[2].origin.line, 10);
  const auto none = good(set + "[env]\noutputs = [\"k8s\"]\nHCA = \"=${d.names}\"\n");
  EXPECT_EQ(test::content(none, "/etc/nettune/nccl.configmap.yaml"), "-") << "it would be empty";
}

TEST_F(ProfileResolve, EnvGoesToServices) {
  const auto result =
      good("[env]\noutputs = []\nservices = [\"ray-head.service\", \"j\"]\nA = 1\n");
  for (const char* const name : {"ray-head", "j"})
    EXPECT_TRUE(test::content(result, std::string("/etc/systemd/system/") + name +
                                          ".service.d/nettune-env.conf")
                    .ends_with("\n[Service]\nEnvironment=\"A=1\"\n"))
        << name;
  EXPECT_EQ(test::content(result, "/etc/nettune/nccl.service.conf"), "-");
  bad("[env]\nservices = [\"a/b\"]\nA = 1\n", 5, {"a/b"});
  EXPECT_TRUE(good("[env]\nservices = [\"j\"]\n").desired.settings.empty());
}

TEST_F(ProfileResolve, NothingThatAShellOrNcclCouldMisreadGetsThrough) {
  for (const std::string text :
       {"$(id)", "`id`", "a\\\"b", "it's", "a\\nb", "a\\\\b", "\\u00e4", "", " x", "x ", "a\\tb"}) {
    bad("[env]\n\nA = \"" + text + "\"\n", 6, {"[env] A"});
  }
  bad("[env]\nA = \"" + std::string(1024, 'x') + "\"\n", 5, {"1024 bytes"});
  bad("[env]\nA = true\n", 5, {"[env] A", "true"});
  for (const std::string name : {"LD_PRELOAD", "PATH", "\"A B\"", "\"A=B\"", "\"1A\"", "\"\""}) {
    profile("x", "[env]\n" + name + " = 1\n");
    const auto result = resolved();
    ASSERT_FALSE(result) << name;
    EXPECT_EQ(result.error().line, 5) << result.error().text;
  }
  sources.set = {{"v", "$(id)"}};
  bad("[vars]\nv = { default = \"a\" }\n[env]\nA = \"x${v}\"\n", 7, {"[env] A", "$(id)"});
}

TEST_F(ProfileResolve, AnInterfaceThatIsNamedAndNotThereDoesNotFit) {
  const auto result = good("[devices.d]\nmatch = { name = \"eth77\" }\n[link.d]\nmtu = 1400\n");
  EXPECT_TRUE(test::any_has(result.misfits, "not present"));
}

TEST_F(ProfileResolve, AnEmptySetLeavesOutOrDoesNotFit) {
  const std::string set = "[devices.d]\nmatch = { name = \"none*\" }\n[env]\n";
  const auto optional = good(set + "A = { value = \"=${d.names}\", optional = true }\n");
  EXPECT_TRUE(optional.desired.settings.empty());
  EXPECT_TRUE(test::any_has(optional.desired.notes, "[env] A"));
  EXPECT_TRUE(optional.misfits.empty());
  const auto needed = good(set + "A = \"=${d.names}\"\n");
  EXPECT_TRUE(test::any_has(needed.misfits, "[env] A"));
  EXPECT_EQ(test::value(good(set + "A = \"${d.count}\"\n"), "nccl.conf:A"), "0");
  bad(set + "A = { value = \"=${d.names}\", same_on_all_nodes = true }\n", 7,
      {"same_on_all_nodes"});
}

TEST_F(ProfileResolve, TcpBuffersAreTwiceTheProductInPowersOfTwo) {
  EXPECT_EQ(intents::tcp_buffer_bytes(25, 5, 0), 33554432);
  EXPECT_EQ(intents::tcp_buffer_bytes(100, 10, 0), 268435456);
  EXPECT_EQ(intents::tcp_buffer_bytes(25, 0.5, 0), 4194304);  // 3.125 MB
  EXPECT_EQ(intents::tcp_buffer_bytes(25, 0.5, 6291456),
            6291456);  // the kernel's own maximum stays
  EXPECT_EQ(intents::tcp_buffer_bytes(400, 1000, 0), 2147483647);
  EXPECT_EQ(intents::tcp_buffer_bytes(8.388608, 4, 0), 8388608);  // exactly a power of two
}

TEST_F(ProfileResolve, TheTcpIntentYieldsToWhatIsSetByHand) {
  const auto result = good("[tcp]\nrate_gbps = 25\nrtt_ms = 5\n");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_rmem"), "4096 131072 33554432");
  EXPECT_EQ(test::value(result, "sysctl:net.ipv4.tcp_wmem"), "4096 16384 33554432");
  EXPECT_EQ(test::find(result, "sysctl:net.ipv4.tcp_rmem")->origin.text(), "/p/x.toml:5");
  const auto small = good("[tcp]\nrate_gbps = 1\nrtt_ms = 0.1\n");
  EXPECT_EQ(test::value(small, "sysctl:net.ipv4.tcp_rmem"), "4096 131072 6291456");
  EXPECT_EQ(test::value(small, "sysctl:net.ipv4.tcp_wmem"), "4096 16384 4194304");
  profile("a", "[tcp]\nrate_gbps = 25\nrtt_ms = 5\n");
  const auto child =
      good("extends = [\"a\"]\n[tcp]\nrtt_ms = 50\n[sysctl]\n\"net.ipv4.tcp_wmem\" = [1, 2, 3]\n");
  EXPECT_EQ(test::value(child, "sysctl:net.ipv4.tcp_rmem"), "4096 131072 536870912");
  EXPECT_EQ(test::value(child, "sysctl:net.ipv4.tcp_wmem"), "1 2 3");
  bad("[tcp]\nrate_gbps = 25\n", 5, {"both"});
  bad("[tcp]\nrate_gbps = 0\nrtt_ms = 5\n", 5, {"rate_gbps", "above 0"});
  bad("[tcp]\nrate_gbps = 25\nrtt_ms = -5\n", 6, {"rtt_ms", "-5"});
  bad("[tcp]\nrate_gbps = 1e200\nrtt_ms = 5\n", 5, {"at most 10000"});
  bad("[tcp]\nrate_gbps = \"25\"\nrtt_ms = 5\n", 5, {"a number"});
}

TEST_F(ProfileResolve, BootFilesHoldWhatIsExact) {
  const auto result = good(
      "[sysctl]\n\"k.b\" = [1, 2]\n\"k.a\" = { value = 0, optional = true }\n"
      "\"k.c\" = \">= 7\"\n\"k.d\" = { elements = [1] }\n");
  const std::string text = test::content(result, "/etc/sysctl.d/zz-nettune.conf");
  EXPECT_TRUE(text.starts_with("# Written by nettune for the profile x.\n# Do not edit")) << text;
  EXPECT_TRUE(text.ends_with(".\n-k.a = 0\nk.b = 1 2\n")) << text;
  const Setting* const setting = test::find(result, "file:/etc/sysctl.d/zz-nettune.conf");
  EXPECT_EQ(setting->origin.text(), "x");
  EXPECT_TRUE(setting->want->ends_with(" mode 0644 owner 0:0"));
  EXPECT_TRUE(good("").desired.settings.empty());
  EXPECT_EQ(good("[sysctl]\n\"k.c\" = \">= 7\"\n").desired.settings.size(), 1U);
}

TEST_F(ProfileResolve, OneOfTwoBoundsMayBeRefusedAtBoot) {
  const std::string high = "\"net.ipv4.ipfrag_high_thresh\" = 2\n";
  const std::string low = "\"net.ipv4.ipfrag_low_thresh\" = 1\n";
  const auto text = [&](const std::string& lines) {
    return test::content(good("[sysctl]\n" + lines), "/etc/sysctl.d/zz-nettune.conf");
  };
  EXPECT_TRUE(
      text(low + high)
          .ends_with("\n-net.ipv4.ipfrag_high_thresh = 2\n-net.ipv4.ipfrag_low_thresh = 1\n"));
  EXPECT_TRUE(text(high).ends_with("\nnet.ipv4.ipfrag_high_thresh = 2\n"));
  // What the other one has to be is not in the file.
  EXPECT_TRUE(text(low + "\"net.ipv4.ipfrag_high_thresh\" = \">= 2\"\n")
                  .ends_with("\n-net.ipv4.ipfrag_low_thresh = 1\n"));
}

TEST_F(ProfileResolve, AnActiveRdmaPortIsACaution) {
  facts::RdmaDevice rdma;
  rdma.name = "mlx5_0";
  rdma.ports = {{1, "InfiniBand", "DOWN", "", "", {}, "", {}}};
  facts.rdma = {rdma};
  const std::string body = "[refuse]\nrdma_active = \"it is slower\"\n";
  EXPECT_TRUE(good(body).cautions.empty());
  facts.rdma[0].ports[0].state = "ACTIVE";
  const auto result = good(body);
  ASSERT_EQ(result.cautions.size(), 1U);
  EXPECT_NE(result.cautions[0].find("mlx5_0/1"), std::string::npos);
  EXPECT_NE(result.cautions[0].find("it is slower"), std::string::npos);
  EXPECT_NE(result.cautions[0].find("/p/x.toml:5"), std::string::npos);
}

TEST_F(ProfileResolve, EveryShownValueHasItsOrigin) {
  profile("a", "[sysctl]\n\"k.a\" = 1\n");
  const auto result = good(
      "extends = [\"a\"]\n[vars]\nv = { default = 3 }\n[sysctl]\n\"k.b\" = [1, \"${v}\"]\n"
      "[env]\nA = { value = \"x${v}\", optional = true }\n[modules]\nload = [\"m\"]\n");
  std::string text;
  for (const Shown& shown : result.shown) {
    text += "[" + shown.section + "] " + shown.key + " = " + shown.value + " (" +
            shown.origin.text() + ")\n";
  }
  EXPECT_EQ(text,
            "[vars] v = 3 (/p/x.toml:6)\n"
            "[sysctl] k.a = 1 (/p/a.toml:5)\n"
            "[sysctl] k.b = [1, 3] (/p/x.toml:8)\n"
            "[modules] load = m (/p/x.toml:12)\n"
            "[env] A = {optional = true, value = x3} (/p/x.toml:10)\n");
}

}  // namespace
}  // namespace nettune::profile
