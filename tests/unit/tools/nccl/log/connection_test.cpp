// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/log/connection.hpp"

#include <gtest/gtest.h>
#include <regex.h>

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

std::string said(std::string_view message) {
  Connection one;
  switch (parse_connection(message, one)) {
    case Parsed::other:
      return "other";
    case Parsed::damaged:
      return "damaged";
    case Parsed::found:
      break;
  }
  static constexpr const char* kTransports[] = {"p2p", "shm", "net", "collnet"};
  static constexpr const char* kSides[] = {"", " send", " receive"};
  return cat(kTransports[static_cast<std::size_t>(one.transport)], " ", one.detail, " ", one.from,
             ">", one.to, " c", one.channel, "/", one.index,
             kSides[static_cast<std::size_t>(one.side)],
             one.device < 0 ? "" : cat(" d", one.device), one.proxy < 0 ? "" : cat(" x", one.proxy),
             one.gdr ? " gdr" : "");
}

// The forms of src/transport/*.cc, NVIDIA/nccl v2.12.12, v2.14.3, v2.18.6, v2.21.5, v2.27.7,
// v2.30.7.
TEST(NcclLogConnection, EveryForm) {
  EXPECT_EQ(said("Channel 00 : 4[4] -> 3[3] via direct shared memory"), "shm SHM 4>3 c0/0");
  EXPECT_EQ(said("Channel 01 : 2[c7000] -> 0[87000] [receive] via NET/IB/5/GDRDMA"),
            "net IB 2>0 c1/0 receive d5 gdr");
  EXPECT_EQ(said("Channel 11/0 : 47[7] -> 39[7] [receive] via NET/IBext_v8/2"),
            "net IBext_v8 47>39 c11/0 receive d2");
  EXPECT_EQ(said("Channel 01/1 : 1[4] -> 0[4] [send] via NET/IB/4(2)/GDRDMA(PCI)/Shared"),
            "net IB 1>0 c1/1 send d4 x2 gdr");
  EXPECT_EQ(said("Channel 00/0 : 1[4] -> 0[4] [send] via NET/AWS Libfabric/12/GDRDMA"),
            "net AWS Libfabric 1>0 c0/0 send d12 gdr");
  EXPECT_EQ(said("Channel 00/0 : 0[1000] -> 1[2000] via P2P/direct pointer/read"),
            "p2p direct pointer 0>1 c0/0");
  EXPECT_EQ(said("Channel 23/0 : 2[201c0] -> 3[201d0] via P2P/IPC/read"), "p2p IPC 2>3 c23/0");
  EXPECT_EQ(said("Channel 00/0 : 7[7] -> 6[6] via P2P/CUMEM/CE"), "p2p CUMEM 7>6 c0/0");
  EXPECT_EQ(said("Channel 00/0 : 7[7] -> 6[6] via P2P/MNNVL/read/CE"), "p2p MNNVL 7>6 c0/0");
  EXPECT_EQ(said("Channel 00 : 7[7] -> 6[6] via P2P/indirect/3[b000]/read"),
            "p2p indirect 7>6 c0/0");
  EXPECT_EQ(said("Channel 00 : 2[1] -> 0[0] via SHM/direct/direct"), "shm SHM 2>0 c0/0");
  EXPECT_EQ(said("Channel 00 : 2[1] -> 0[0] via SHM/CE/direct"), "shm SHM 2>0 c0/0");
  EXPECT_EQ(said("Channel 00 : 2[1] -> 0[0] via SHM/direct"), "shm SHM 2>0 c0/0");
  EXPECT_EQ(said("CollNet 00/0 : 3 [send] via COLLNET/SHARP/0/GDRDMA"),
            "collnet SHARP 3>3 c0/0 send d0 gdr");
  EXPECT_EQ(said("CollNet 01 : 3 [receive] via COLLNET/SHARP/1"),
            "collnet SHARP 3>3 c1/0 receive d1");
}

TEST(NcclLogConnection, WhatOnlyLooksLikeOne) {
  for (const char* message :
       {"Channel 00/02 :    0   1   2   3", "Channel 00 :    0   1   3   2", "Channel 00/16 : 0 1",
        // Of a communicator of one rank (src/graph/rings.cc, NVIDIA/nccl v2.23.4).
        "Channel 00/64 : 0", "Channel 63/64 : 0", "Channel 00/01 : 0", "Channel 00/01 :    0",
        "Ring 00 : 3 -> 0 -> 1", "Channels of something", "Connected all rings",
        "Trees [0] 17/24/-1->16->0 [1] 17/-1/-1->16->9", ""})
    EXPECT_EQ(said(message), "other") << message;
}

TEST(NcclLogConnection, HalfALineIsNeverAWholeOne) {
  const std::string whole = "Channel 00/0 : 10[a] -> 2[b] [send] via NET/IB/0(3)/GDRDMA/Shared";
  for (std::size_t length = 8; length < whole.size(); ++length) {
    const std::string text = said(whole.substr(0, length));
    const std::string_view cut = std::string_view(whole).substr(0, length);
    // Where a line may end by itself nothing can be seen here; the reader sees it by other means.
    if (cut.ends_with("/0") || cut.ends_with(")") || cut.ends_with("/GDRDMA")) continue;
    EXPECT_EQ(text, "damaged") << cut;
  }
  EXPECT_EQ(said("Channel 00/0 : 6["), "damaged");
  EXPECT_EQ(said("Channel 00/0 : 0"), "damaged");
  EXPECT_EQ(said("Channel 01/1 : 0"), "damaged");
  EXPECT_EQ(said("Channel 00/0 : 1[0] -> 0[0] via NET/IB/0"), "damaged");
  EXPECT_EQ(said("Channel 00/0 : 1[0] -> 0[0] via P2P/IP"), "damaged");
  EXPECT_EQ(said("Channel 4294967297/0 : 1[0] -> 0[0] via P2P/IPC"), "other");
  EXPECT_EQ(said("Channel 0/0 : 99999999999[0] -> 0[0] via P2P/IPC"), "damaged");
}

}  // namespace
}  // namespace nettune::tools::nccl::log
