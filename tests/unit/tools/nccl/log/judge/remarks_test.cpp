// SPDX-License-Identifier: Apache-2.0
//
// What is said in words at the top.

#include "base/text.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::judge {
namespace {

std::string told_by(std::uint32_t rank, const std::string& text, std::uint32_t gpus = 1) {
  return cat("n", rank / gpus, ":", 10 + rank % gpus, ":2 [0] NCCL INFO ", text, "\n");
}

/// A job of so many ranks, each of which says `own`, connected in a ring by `via`.
std::string ring(std::uint32_t ranks, const std::string& own, const std::string& via,
                 std::uint32_t gpus = 1) {
  std::string text;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (const std::string_view line : split(own, '\n'))
      if (!line.empty()) text += told_by(rank, std::string(line), gpus);
    for (const char* const what : {"START", "COMPLETE"})
      text += told_by(rank,
                      cat("ncclCommInitRank comm 0x1 rank ", rank, " nranks ", ranks,
                          " cudaDev 0 commId 0x5 - Init ", what),
                      gpus);
    const std::uint32_t next = (rank + 1) % ranks;
    if (via.starts_with("NET/")) {
      text += told_by(rank, cat("Channel 00/0 : ", rank, "[0] -> ", next, "[0] [send] via ", via),
                      gpus);
      text += told_by(
          next, cat("Channel 00/0 : ", rank, "[0] -> ", next, "[0] [receive] via ", via), gpus);
    } else {
      text += told_by(rank, cat("Channel 00/0 : ", rank, "[0] -> ", next, "[0] via ", via), gpus);
    }
  }
  return text;
}

std::string remarks(const std::string& text) { return join(Case(text).verdict.remarks, "\n"); }

void expect_said(const std::string& text, const std::string& part) {
  EXPECT_NE(remarks(text).find(part), std::string::npos) << part << "\n is not in\n"
                                                         << remarks(text);
}

/// aws/aws-ofi-nccl issue 889.
TEST(NcclLogJudgeRemarks, NoEfaDevice) {
  const std::string empty =
      "libfabric:85:174::core:core:fi_getinfo_():1392<warn> fi_getinfo: provider efa output empty "
      "list\n";
  EXPECT_NE(remarks(empty).find("no suitable EFA device was found"), std::string::npos);
  EXPECT_NE(remarks(empty).find("fi_info -p efa"), std::string::npos);
  // Where the job then fails for no reason of its own, that is said there, too.
  const std::string failed =
      "n:1:2 [0] x.cc:1 NCCL WARN socketProgress: Connection closed by remote peer n1<42830>\n";
  const std::string said = "also in the log: libfabric found no EFA device";
  EXPECT_NE(printed(Case(empty + failed)).find(said), std::string::npos);
  EXPECT_EQ(printed(Case(failed)).find(said), std::string::npos);
  EXPECT_EQ(printed(Case(empty + "n:1:2 [0] NCCL INFO Using network Socket\n" + failed)).find(said),
            std::string::npos);
  EXPECT_EQ(
      printed(Case(empty + "n:1:2 [0] x.cc:1 NCCL WARN Duplicate GPU detected : rank 2 and rank "
                           "0 both on CUDA device 1000\n"))
          .find(said),
      std::string::npos);
}

TEST(NcclLogJudgeRemarks, AHealthyJobHasNone) {
  EXPECT_EQ(
      remarks(ring(2, "Bootstrap : Using eth0:10.0.0.1<0>\nUsing network IB", "NET/IB/0/GDRDMA"))
          .find("GPUDirect"),
      std::string::npos);
  EXPECT_EQ(remarks(ring(2, "Using network IB", "NET/IB/0/GDRDMA")), "");
  EXPECT_EQ(remarks(ring(4, "Using network Socket", "P2P/CUMEM", 4)), "");  // one node: no network
}

TEST(NcclLogJudgeRemarks, OneConnectionIsOne) {
  const auto line = [](std::uint32_t rank, const std::string& via) {
    return told_by(rank, cat("Channel 00/0 : 0[0] -> 1[0] ", via), 2);
  };
  expect_said(line(0, "via SHM/direct/direct"), "for 1 connection between GPUs");
  expect_said(line(0, "[send] via NET/IB/0"),
              "the only line about a connection over the network does not show it");
  // The end of a file may be cut (horovod/horovod issue 1651).
  const Log cut = read(line(0, "[send] via NET/IB/0") +
                       "n1:10:2 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [send] via NET/IB/0\n");
  const std::string said = join(judge(cut, causes()).remarks, "\n");
  EXPECT_NE(said.find("the only whole line about a connection over the network does not show it"),
            std::string::npos)
      << said;
}

/// horovod/horovod issue 610.
TEST(NcclLogJudgeRemarks, ANameOfManyMachines) {
  const auto told = [](const char* host, const char* pid) {
    return cat(host, ":", pid, ":2 [0] NCCL INFO Using network Socket\n");
  };
  const auto says_least = [&](const std::string& text) {
    return printed(Case(text)).find("processes on at least ") != std::string::npos;
  };
  EXPECT_TRUE(says_least(told("localhost", "10") + told("localhost", "20")));
  EXPECT_FALSE(says_least(told("localhost", "10") + told("n0", "20")));
  EXPECT_FALSE(says_least(told("n0", "10") + told("n0", "20")));
}

/// NVIDIA/TensorRT-LLM issue 2225: before the log shows what is used instead.
TEST(NcclLogJudgeRemarks, GpusWithoutP2p) {
  const std::string off = "P2P is disabled between connected GPUs 6 and 7. You can repress this";
  expect_said(told_by(0, off), "some GPUs of a node have no P2P: P2P is disabled between");
  EXPECT_EQ(remarks(told_by(0, "NCCL_P2P_LEVEL set by environment to SYS")), "");
  EXPECT_EQ(remarks(ring(2, off, "P2P/IPC", 2)).find("have no P2P"), std::string::npos);
}

/// NVIDIA/nccl issue 529.
TEST(NcclLogJudgeRemarks, ATunnelOfIpv6) {
  expect_said(told_by(0, "Bootstrap : Using [0]ip6tnl0:fe80::e866%ip6tnl0<0>") +
                  told_by(1, "Bootstrap : Using [0]ip6tnl0:fe80::e867%ip6tnl0<0>"),
              "the bootstrap uses ip6tnl0 on n0, n1, which is a tunnel");
}

TEST(NcclLogJudgeRemarks, SocketsWithTheReason) {
  expect_said(ring(2, "NET/IB : No device found.\nUsing network Socket", "NET/Socket/0"),
              "NCCL chose sockets (TCP), not RDMA, between nodes: NET/IB : No device found.");
  expect_said(
      ring(2, "NCCL_IB_DISABLE set by environment to 1.\nUsing network Socket", "NET/Socket/0"),
      "between nodes: NCCL_IB_DISABLE is 1");
  // aws/aws-ofi-nccl src/nccl_ofi_rdma.cpp, where fi_getinfo() has nothing for the plugin.
  expect_said(
      ring(2, "NET/OFI No eligible providers were found\nUsing network Socket", "NET/Socket/0"),
      "between nodes: NET/OFI No eligible providers were found");
  // The plugin is there, and dlopen() refuses it (NCCL 2.23.4 on, src/plugin/net.cc).
  const std::string broken =
      "NET/Plugin: /lib/libnl-route-3.so.200: undefined symbol: nla_nest_end";
  expect_said(ring(2, broken + "\nUsing network Socket", "NET/Socket/0"),
              "between nodes: " + broken);
  expect_said(ring(2, "Using network Socket", "NET/Socket/0"), "no reason was found in the log");
  // NVIDIA/nccl issue 697: the log shows one host, and a connection that then failed.
  expect_said(told_by(0, "Channel 03/0 : 0[90000] -> 1[1000] [send] via NET/Socket/3"),
              "NCCL chose sockets (TCP), not RDMA, for connections over the network;");
  EXPECT_EQ(remarks(ring(2, "Using network Socket", "NET/Socket/0")).find("GPUDirect"),
            std::string::npos);
}

/// vllm-project/vllm issue 11139: each host has a communicator of its own.
TEST(NcclLogJudgeRemarks, SocketsThatNoCommunicatorNeeds) {
  const auto host = [](std::uint32_t rank, int nodes) {
    return told_by(rank, "Using network Socket") +
           told_by(rank, cat("ncclCommInitRank comm 0x1 rank 0 nranks 2 cudaDev 0 commId 0x",
                             rank + 5, " - Init START")) +
           told_by(rank,
                   cat("comm 0x1 rank 0 nRanks 2 nNodes ", nodes, " localRanks 2 localRank 0"));
  };
  EXPECT_EQ(remarks(host(0, 1) + host(1, 1)), "");
  EXPECT_NE(remarks(host(0, 2) + host(1, 2)), "");
  // NVLink between hosts (MNNVL) makes them one node for NCCL.
  const auto one = [](std::uint32_t rank) {
    return told_by(rank, "Bootstrap : Using docker0:172.17.0.1<0>") +
           told_by(rank, cat("ncclCommInitRank comm 0x1 rank ", rank,
                             " nranks 2 cudaDev 0 commId 0x5 - Init START")) +
           told_by(rank,
                   cat("comm 0x1 rank ", rank, " nRanks 2 nNodes 1 localRanks 2 localRank 0"));
  };
  expect_said(one(0) + one(1), "the bootstrap uses docker0");
}

/// NVIDIA-NeMo/Speech issue 4035: before a line shows how they are connected.
TEST(NcclLogJudgeRemarks, HostsOfDifferentNetworks) {
  const std::string both = told_by(0, "Using network IBext") +
                           told_by(1, "NCCL_IB_DISABLE set by environment to 1.") +
                           told_by(1, "Using network Socket");
  expect_said(both,
              "hosts use different networks, over which NCCL cannot connect them: IBext on n0, "
              "Socket on n1: NCCL_IB_DISABLE is 1 (1 of 2 processes says so)");
  EXPECT_EQ(remarks(both).find("chose sockets"), std::string::npos);
  // Of a host with both it is not known which one it uses for what.
  EXPECT_EQ(remarks(told_by(0, "Using network IB") + told_by(0, "Using network Socket") +
                    told_by(1, "Using network Socket"))
                .find("different networks"),
            std::string::npos);
}

TEST(NcclLogJudgeRemarks, NoGpuDirectWithTheReason) {
  expect_said(
      ring(2, "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'\nUsing network IB", "NET/IB/0"),
      "GPUDirect RDMA: none of the 4 different lines about connections over the network shows it "
      "(each end "
      "prints one): NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'");
  expect_said(ring(2, "NCCL_NET_GDR_LEVEL set by environment to LOC\nUsing network IB", "NET/IB/0"),
              "NCCL_NET_GDR_LEVEL is LOC");
  expect_said(ring(2, "NCCL_NET_GDR_READ set by environment to 0\nUsing network IB", "NET/IB/0"),
              "(each end prints one): for sends, NCCL_NET_GDR_READ is 0");
  EXPECT_EQ(
      remarks(ring(2, "NCCL_NET_GDR_LEVEL set by environment to PXB\nUsing network IB", "NET/IB/0"))
          .find("PXB"),
      std::string::npos);
  expect_said(ring(2, "Using network IB", "NET/IB/0"), "no reason was found in the log");
}

/// NCCL_NET_PLUGIN, in the words of NCCL 2.18, 2.19 and 2.28 (src/net.cc, src/plugin/net.cc) and of
/// RCCL.
TEST(NcclLogJudgeRemarks, APluginThatIsNotThere) {
  const std::string said = "NCCL did not find the network plugin that NCCL_NET_PLUGIN asks for (";
  for (const char* const asked : {"Plugin name set by env to libnccl-net-x.so",
                                  "NET/Plugin: Plugin name set by env to libnccl-net-x.so",
                                  "NCCL_NET_PLUGIN set by environment to libnccl-net-x.so"})
    for (const char* const lack :
         {"NET/Plugin : dlerror=libnccl-net-x.so: cannot open shared object file: No such file or "
          "directory No plugin found (libnccl-net-x.so), using internal implementation",
          "NET/Plugin: Could not find: libnccl-net-x.so"}) {
      const std::string all = cat(asked, "\n", lack, "\nUsing network ");
      expect_said(ring(2, all + "IB", "NET/IB/0/GDRDMA"),
                  cat(said, "libnccl-net-x.so) and uses its own network: ", lack));
      expect_said(ring(1, all + "Socket", "P2P/IPC"), said);
      // Where another one was found, or the lines end before that.
      EXPECT_EQ(remarks(ring(2, all + "AWS Libfabric", "NET/AWS Libfabric/0/GDRDMA")).find(said),
                std::string::npos);
    }
  const std::string lack = "NET/Plugin: Could not find: libnccl-net.so\nUsing network ";
  for (const char* const other : {"", "NCCL_NET_PLUGIN set by environment to none\n",
                                  "TUNER/Plugin: Plugin name set by env to libnccl-net.so\n"})
    EXPECT_EQ(remarks(ring(2, cat(other, lack, "IB"), "NET/IB/0/GDRDMA")), "");
  // Another one of several was found.
  EXPECT_EQ(
      remarks(ring(2,
                   "NCCL_NET_PLUGIN set by environment to a,spcx\nNET/Plugin: Could not find: a\n"
                   "NET/Plugin: Loaded net plugin spcx (v10)\nUsing network IB",
                   "NET/IB/0/GDRDMA"))
          .find(said),
      std::string::npos);
  // Nobody asked for one, and none is there: beside why sockets are used.
  expect_said(ring(2, lack + "Socket", "NET/Socket/0"), "no reason was found in the log");
  expect_said(ring(2, "NET/IB : No device found.\n" + lack + "Socket", "NET/Socket/0"),
              "between nodes: NET/IB : No device found.; NCCL found no network plugin");
}

/// RCCL's lines of a connection name its communicator: a smaller one may lack what the largest has.
TEST(NcclLogJudgeRemarks, GpuDirectOfTheLargestAlone) {
  const auto job = [](const char* of_smaller, const char* of_largest) {
    std::string text;
    const auto add = [&](int rank, int ranks, const char* comm, const char* via) {
      const std::string in = cat("comm ", comm, " rank ", rank, " nranks ", ranks);
      for (const char* const what : {"START", "COMPLETE"})
        text += told_by(
            static_cast<std::uint32_t>(rank),
            cat("ncclCommInitRank ", in, " cudaDev 0 busId 1000 commId ", comm, " - Init ", what));
      for (const char* const way : {"send", "receive"})
        text += told_by(static_cast<std::uint32_t>(rank),
                        cat("Channel 00/0 : ", (rank + (way[0] == 's' ? 0 : ranks - 1)) % ranks,
                            "[0] -> ", (rank + (way[0] == 's' ? 1 : 0)) % ranks, "[0] [", way,
                            "] via NET/IB/0", via, " comm ", comm, " nRanks 0", ranks));
    };
    for (int rank = 0; rank < 4; ++rank) add(rank, 4, "0x7a00", of_largest);
    for (int rank = 0; rank < 2; ++rank) add(rank, 2, "0x7b00", of_smaller);
    return text;
  };
  const std::string said = "connections of others do not show it";
  expect_said(job("", "/GDRDMA"), said);
  EXPECT_EQ(remarks(job("/GDRDMA", "/GDRDMA")).find(said), std::string::npos);
  EXPECT_EQ(remarks(job("", "")).find(said), std::string::npos);
  EXPECT_EQ(Case(job("", "/GDRDMA")).verdict.open_links, 0U);
  // The largest one needs no network.
  EXPECT_EQ(remarks(ring(8, "Using network IB", "P2P/IPC", 8) + job("", "/GDRDMA")).find(said),
            std::string::npos);
  EXPECT_NE(printed(Case(job("", "/GDRDMA"))).find("Ranks of the largest communicator"),
            std::string::npos);
}

TEST(NcclLogJudgeRemarks, HostMemoryWithTheReason) {
  expect_said(
      ring(2, "NCCL_P2P_DISABLE set by environment to 1.", "SHM/direct/direct", 2),
      "NCCL chose host memory (SHM), not P2P, for 2 different connections between GPUs of a node: "
      "NCCL_P2P_DISABLE is 1");
  expect_said(ring(2,
                   "P2P is disabled between connected GPUs 1 and 0. You can repress this message "
                   "with NCCL_IGNORE_DISABLED_P2P=1.",
                   "SHM/direct/direct", 2),
              "; of pairs the log says: P2P is disabled between connected GPUs 1 and 0");
}

/// src/transport/net_ib.cc of 2.27: the list with the properties comes before "Using", and has
/// addresses in it that differ between processes.
TEST(NcclLogJudgeRemarks, PropertiesOfADeviceAreNoDevices) {
  std::string text;
  for (const char* const pid : {"7", "8"})
    text += cat("n1:", pid, ":", pid,
                " [0] NCCL INFO NET/IB: [0] mlx5_0:uverbs0:1/RoCE provider=Mlx5 speed=400000 "
                "context=0x6497f5e4c7",
                pid, "0 pciPath=/sys/x ar=0\n", "n1:", pid, ":", pid,
                " [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\n",
                "n1:", pid, ":", pid, " [0] NCCL INFO Using network IB\n");
  const Case one(text);
  EXPECT_TRUE(one.verdict.differences.empty());
  EXPECT_EQ(printed(one).find("provider"), std::string::npos) << printed(one);
  EXPECT_NE(printed(one).find("[0]mlx5_0:1/RoCE"), std::string::npos) << printed(one);
}

TEST(NcclLogJudgeRemarks, DevicesOfBothKindsAndOneForMany) {
  const auto devices = [](const std::string& list) {
    return cat("NET/IB : Using", list, " [RO]; OOB eth0:10.0.0.1<0>\nUsing network IB");
  };
  expect_said(ring(2, devices(" [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE"), "NET/IB/0/GDRDMA"),
              "NCCL opened RDMA devices of both kinds, InfiniBand and RoCE, on n0, n1");
  expect_said(ring(16, devices(" [0]mlx5_0:1/IB"), "NET/IB/0/GDRDMA", 8),
              "one RDMA device serves 8 GPUs on n0, n1");
  EXPECT_EQ(remarks(ring(16, devices(" [0]mlx5_0:1/IB [1]mlx5_1:1/IB"), "NET/IB/0/GDRDMA", 8)), "");
}

TEST(NcclLogJudgeRemarks, InterfacesThatOthersDoNotReach) {
  const auto bootstrap = [](const std::string& interface) {
    return ring(2, cat("Bootstrap : Using ", interface, ":172.17.0.1<0>"), "NET/IB/0/GDRDMA");
  };
  expect_said(
      bootstrap("docker0"),
      "the bootstrap uses docker0 on n0, n1, which is a container bridge local to one node");
  expect_said(bootstrap("[0]wlp2s0"), "which is Wi-Fi");
  EXPECT_EQ(remarks(bootstrap("eth0")), "");
  EXPECT_EQ(remarks(bootstrap("lom1")), "");
  // On one node nobody has to reach it.
  EXPECT_EQ(remarks(ring(2, "Bootstrap : Using docker0:172.17.0.1<0>", "P2P/CUMEM", 2)), "");
}

/// src/transport/net_socket.cc makes a device of each interface.
TEST(NcclLogJudgeRemarks, InterfacesOfSocketsThatOthersDoNotReach) {
  const auto sockets = [](const std::string& list, std::uint32_t per_node = 1) {
    return ring(2, cat("NET/Socket : Using ", list, "\nUsing network Socket"), "NET/Socket/1",
                per_node);
  };
  const std::string said = "that NCCL uses for sockets: ";
  expect_said(sockets("[0]eno1:10.0.0.1<0> [1]veth25f2e72:fe80::1%veth25f2e72<0>"),
              cat("an interface ", said,
                  "veth25f2e72 on n0, n1 (one end of a container's link, local to one node)"));
  expect_said(sockets("[0]lo:127.0.0.1<0> [1]br-8a9e04832258:172.18.0.1<0>"),
              cat("interfaces ", said,
                  "br-8a9e04832258 on n0, n1 (a container bridge local to one "
                  "node); lo on n0, n1 (local to one node)"));
  for (const char* const list :
       {"[0]eno1:10.0.0.1<0> [1]eno2:10.1.0.1<0>", "[0]eno1:10.0.0.1<0> [1]wlp2s0:10.1.0.1<0>"})
    EXPECT_EQ(remarks(sockets(list)).find(said), std::string::npos) << list;
  // On one node nobody needs to reach them.
  EXPECT_EQ(remarks(sockets("[0]lo:127.0.0.1<0>", 2)).find(said), std::string::npos);
}

TEST(NcclLogJudgeRemarks, TwoVersionsAndTwoHostsOfOneName) {
  expect_said(
      told_by(0, "NCCL version 2.20.5+cuda12.4") + told_by(1, "NCCL version 2.21.5+cuda12.4"),
      "more than one version of NCCL: 2.20.5+cuda12.4, 2.21.5+cuda12.4");
  const std::string same =
      "ubuntu:10:2 [0] NCCL INFO Bootstrap : Using eno1:10.0.0.1<0>\n"
      "ubuntu:10:2 [0] NCCL INFO Using network IB\n";
  expect_said(same + "ubuntu:11:2 [0] NCCL INFO Bootstrap : Using eno1:10.0.0.2<0>\n",
              "more than one host is called ubuntu, or this is more than one run, or its eno1 has "
              "several addresses: 10.0.0.1, 10.0.0.2");
  EXPECT_EQ(remarks(same + "ubuntu:11:2 [0] NCCL INFO Bootstrap : Using eno1:10.0.0.1<0>\n"), "");
  expect_said(
      ring(2, "comm 0x1 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0", "NET/IB/0", 2) +
          ring(2, "", "NET/IB/0", 2),
      "GPUDirect");
}

/// NVIDIA/nccl-tests issue 188: the list of sockets has the other address, and one of those who say
/// the variable does not say more.
TEST(NcclLogJudgeRemarks, AddressesAndVariablesOfAllLinesCount) {
  const std::string text =
      "user:1:2 [6] NCCL INFO Bootstrap : Using ibs85f0:192.168.1.10<0>\n"
      "user:3:2 [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.\n"
      "user:3:2 [0] NCCL INFO NET/Socket : Using [0]ibs85f0:192.168.1.14<0> "
      "[1]ib0:192.168.1.15<0>\n"
      "user:3:2 [0] NCCL INFO Using network Socket\n"
      "user:4:2 [1] NCCL INFO NCCL_IB_DISABLE set by environment to 1.\n";
  expect_said(text, "several addresses: 192.168.1.10, 192.168.1.14");
  const std::string told = printed(Case(text));
  EXPECT_NE(told.find("3 processes on at least 1 host"), told.npos) << told;
  EXPECT_NE(told.find("NCCL_IB_DISABLE is 1 (2 of 3 processes say so)"), told.npos) << told;
  // Of two families an interface has one address each.
  EXPECT_EQ(remarks("user:1:2 [6] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n"
                    "user:3:2 [0] NCCL INFO NET/Socket : Using [0]eth0:fe80::1%eth0<0>\n"),
            "");
}

/// kubeflow/pytorch-operator issue 202.
TEST(NcclLogJudgeRemarks, SocketsThatAreListedAreShownAsThat) {
  const std::string told =
      printed(Case("n0:1:1 [0] NCCL INFO NET/Socket : Using [0]lo:127.0.0.1<0>\n"));
  EXPECT_NE(told.find("interfaces for sockets are listed, which does not show that they were "),
            told.npos)
      << told;
}

/// aws-samples/training-on-eks and slurm-on-aws: aws-ofi-nccl says it itself.
TEST(NcclLogJudgeRemarks, ThePluginsReasonForNoGpuDirect) {
  const std::string off =
      "NET/OFI Could not disable CUDA API usage for HMEM, disabling GDR\nUsing network Libfabric";
  expect_said(ring(2, off, "NET/Libfabric/0"),
              "prints one): NET/OFI Could not disable CUDA API usage for HMEM, disabling GDR");
  EXPECT_EQ(remarks(ring(2, off, "NET/Libfabric/0")).find("no reason"), std::string::npos);
}

/// A log of MLPerf Training 2.0 on Azure.
TEST(NcclLogJudgeRemarks, SharpThatFailedIsNoConnection) {
  const std::string begun = told_by(0, "CollNet 00 : 0 [receive] via COLLNET/SHARP/0/GDRDMA");
  EXPECT_NE(printed(Case(begun)).find("C CollNet"), std::string::npos);
  const std::string told = printed(
      Case(begun + "n0:10:2 [0] sharp_plugin.c:288 NCCL WARN NET/IB :SHARP coll init error: Cannot "
                   "create SHArP job(-11)\n"));
  EXPECT_EQ(told.find("C CollNet"), told.npos) << told;
  EXPECT_NE(told.find("0      n0     unknown"), told.npos) << told;
}

TEST(NcclLogJudgeRemarks, AreAtTheTop) {
  const Case one(ring(2, "Using network Socket", "NET/Socket/0"));
  const std::vector<Outcome> outcomes;
  const std::string text =
      program::text::nccl_explain({causes(), one.log, one.verdict, outcomes}, {});
  EXPECT_LT(text.find("sockets (TCP)"), text.find("Ranks"));
  EXPECT_NE(
      program::json::nccl_explain({causes(), one.log, one.verdict, outcomes}).find("\"remarks\""),
      std::string::npos);
}

/// NCCL src/init.cc, commFree(): of a communicator that was given up it is "Abort COMPLETE".
TEST(NcclLogJudgeRemarks, AllRanksDestroyedTheCommunicator) {
  const auto ends = [](std::uint32_t ranks, std::uint32_t count, const char* what) {
    std::string text;
    for (std::uint32_t rank = 0; rank < count; ++rank)
      text += told_by(rank, cat("comm 0x1 rank ", rank, " nranks ", ranks,
                                " cudaDev 0 busId 1000 - ", what, " COMPLETE"));
    return ring(ranks, "", "P2P/IPC") + text;
  };
  expect_said(ends(4, 4, "Destroy"), "in good order by all of its 4 ranks (Destroy COMPLETE)");
  expect_said(ends(1, 1, "Destroy"), "in good order by its only rank");
  EXPECT_EQ(remarks(ends(4, 3, "Destroy")).find("good order"), std::string::npos);
  EXPECT_EQ(remarks(ends(4, 4, "Abort")).find("good order"), std::string::npos);
  const std::string limit =
      "slurmstepd: error: *** JOB 7 ON n0 CANCELLED AT 2026-01-01T10:00:00 ***\n";
  EXPECT_EQ(remarks(ends(4, 4, "Destroy") + limit).find("good order"), std::string::npos);
}

/// NVIDIA/nccl-tests issue 284: one release, in two builds.
TEST(NcclLogJudgeRemarks, VersionsAndBuilds) {
  const auto of = [](const char* first, const char* second) {
    return remarks(told_by(0, cat("NCCL version ", first)) +
                   told_by(1, cat("NCCL version ", second)));
  };
  EXPECT_EQ(of("2.25.1+cuda12.1", "2.25.1+cuda12.4"),
            "one version of NCCL, built for more than one CUDA: 2.25.1+cuda12.1, 2.25.1+cuda12.4");
  EXPECT_EQ(of("2.25.1+cuda12.4", "2.26.2+cuda12.4"),
            "more than one version of NCCL: 2.25.1+cuda12.4, 2.26.2+cuda12.4");
}

/// vLLM says the release, RCCL says that it is RCCL's.
TEST(NcclLogJudgeRemarks, OneVersionOfRccl) {
  const Case one("vLLM is using nccl==2.26.6\nRCCL version : 2.26.6-HEAD:64f2bbd\n");
  EXPECT_EQ(one.verdict.versions, std::vector<std::string>{"2.26.6 (RCCL)"});
}

/// libsharp says that nobody manages the trees: other jobs cannot be the reason.
TEST(NcclLogJudgeRemarks, SharpWithoutItsManager) {
  const std::string without =
      told_by(0, "Cannot initialize CollNet, using point-to-point network instead");
  const std::string manager =
      "[n0:0:3745 - context.c:709][2024-09-24 16:15:29] ERROR No Aggregation Manager (sharp_am) "
      "detected in sharp_create_job.\n";
  expect_said(without, "or other jobs that use it");
  expect_said(without + manager, "is sharp_am, the aggregation manager of the fabric, running?");
  EXPECT_EQ(remarks(without + manager).find("other jobs"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::nccl::log::judge
