// SPDX-License-Identifier: Apache-2.0
//
// Lines in the shape of those in issues of NVIDIA/nccl, NVIDIA/nccl-tests and of plugins, which are
// named at them, and of NVIDIA/nccl's sources.

#include "base/text.hpp"
#include "unit/nccl_log_fixture.hpp"

namespace nettune::nccl_log {
namespace {

std::string line_by(const std::string& host, const std::string& text) {
  return cat(host, ":10:2 [0] NCCL INFO ", text, "\n");
}

std::string warned_at(const std::string& host, const std::string& place, const std::string& text) {
  return cat(host, ":10:2 [0] ", place, " NCCL WARN ", text, "\n");
}

bool stands(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// NVIDIA/nccl issues 1099 and 952; src/misc/socket.cc, socketPollConnect, of 2.18.
TEST(NcclWildLogs, AConnectionThatFailsWithoutAWarning) {
  const std::string failed =
      line_by("a", "misc/socket.cc:564 -> 2") + line_by("a", "misc/socket.cc:615 -> 2") +
      line_by("a", "bootstrap.cc:270 -> 2") + line_by("a", "init.cc:1303 -> 2");
  const Case one(failed);
  EXPECT_EQ(one.first(), "connect-silent");
  EXPECT_EQ(one.log.events.size(), 1U);
  // What the helper thread says of it follows from it.
  EXPECT_EQ(
      Case(line_by("a", "misc/socket.cc:567 -> 2") + line_by("a", "transport/net.cc:592 -> 2") +
           warned_at("a", "proxy.cc:1485",
                     "[Service thread] Error encountered progressing operation=Connect, res=2, "
                     "closing connection"))
          .first(),
      "connect-silent");
  // A warning says more, and another number is what the peer or the end of the job did.
  EXPECT_EQ(Case(warned_at("a", "misc/socket.cc:49",
                           "socketStartConnect: Connect to 10.0.0.2<4> failed : No route to host") +
                 failed)
                .first(),
            "connect-no-route");
  for (const char* const text : {"misc/socket.cc:47 -> 3", "misc/socket.cc:749 -> 6"})
    EXPECT_EQ(Case(line_by("a", text)).first(), "none") << text;
}

/// google/nccl-plugin-gpudirecttcpx issue 1.
TEST(NcclWildLogs, APeerThatTcpxWaitsForIsNoCause) {
  const std::string waits =
      "[0] tcpxResult_t tcpxCommProgress(tcpxComm*):1231 NCCL WARN 0xadca8062b70:0xadca805d0f0, "
      "nic 0, enp12s0, 172.16.0.11<39187><-172.16.0.95<46723> rx rx ctrl timeout cnt 7331502, "
      "nanos 10000000585\n";
  EXPECT_EQ(Case(waits).first(), "tcpx-waits");
  EXPECT_EQ(Case(waits + warned_at("b", "x.cc:1", "Something that nobody catalogued")).first(),
            "uncatalogued");
}

/// NVIDIA/nccl issue 2190: src/transport/shm.cc, ncclShmImportShareableBuffer.
TEST(NcclWildLogs, ANameOfSharedMemoryThatIsNone) {
  const auto attach = [](const std::string& what) {
    return Case(warned_at("a", "misc/shmutils.cc:93",
                          "Call to open failed: No such file or directory") +
                warned_at("a", "misc/shmutils.cc:132",
                          cat("Error while attaching to shared memory segment /dev/shm/nccl-", what,
                              ", error: No such file or directory (2)")))
        .first();
  };
  EXPECT_EQ(attach(" (size 0)"), "shm-attach-nameless");
  EXPECT_EQ(attach(" (size 192814336)"), "shm-attach-nameless");
  EXPECT_EQ(attach("\x01\x02 (size 0)"), "shm-attach-nameless");
  EXPECT_EQ(attach("glnlGK (size 14156128)"), "shm-attach");
}

/// pytorch/pytorch issue 23534: src/include/shm.h of 2.4.2.
TEST(NcclWildLogs, SharedMemoryThatCudaDoesNotRegister) {
  EXPECT_EQ(Case(warned_at("a", "include/shm.h:42", "Cuda failure 'invalid argument'")).first(),
            "cuda-shm-register-old");
  EXPECT_EQ(Case(warned_at("a", "include/alloc.h:42", "Cuda failure 'invalid argument'")).first(),
            "cuda-invalid-argument");
}

/// neither.
TEST(NcclWildLogs, AnEmptyAddressHasTwoReasons) {
  const Case one(
      line_by("a", "Channel 01/1 : 0[0] -> 1[1] [send] via NET/Socket/0/Shared") +
      warned_at("a", "misc/socket.cc:537",
                "ncclSocketInit: connecting to address  with family 1 is neither AF_INET(2) "
                "nor AF_INET6(10)"));
  EXPECT_EQ(one.first(), "no-address");
  EXPECT_TRUE(stands(printed(one), "ncclGroupStart")) << printed(one);
}

}  // namespace
}  // namespace nettune::nccl_log
