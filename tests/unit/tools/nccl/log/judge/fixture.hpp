// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

#include "base/text.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log::judge {

/// A line of rank `rank` on one machine; NCCL takes each rank for a node by NCCL_HOSTID.
inline std::string of_m0(std::uint32_t rank, const std::string& text) {
  return cat("m0:", 70 + rank, ":", 70 + rank, " [0] NCCL INFO ", text, "\n");
}

inline std::string started_on_m0(std::uint32_t rank, const std::string& own = {},
                                 std::uint32_t ranks = 2, const std::string& id = "0x5") {
  std::string text = of_m0(rank, "cudaDriverVersion 13000");
  if (!own.empty()) text += of_m0(rank, own);
  for (const char* const what : {"START", "COMPLETE"})
    text += of_m0(rank, cat("ncclCommInitRankConfig comm 0x1 rank ", rank, " nranks ", ranks,
                            " cudaDev 0 commId ", id, " - Init ", what));
  return text;
}

inline std::string lost_peer(std::uint32_t rank) {
  return cat("[2026-03-01 10:00:00] m0:", 70 + rank, ":", 90 + rank,
             " [0] misc/socket.cc:72 NCCL WARN socketProgress: Connection closed by remote peer\n",
             "[rank", rank, "]:[E301 10:00:00.1 ProcessGroupNCCL.cpp:612] [Rank ", rank,
             "] Collective WorkNCCL(SeqNum=1, OpType=ALLREDUCE) raised the following async "
             "exception: NCCL error: remote process exited or there was a network error, NCCL "
             "version 2.28.9\nncclRemoteError: What it means.\nLast error:\n"
             "socketProgress: Connection closed by remote peer\n");
}

/// "nR:10:2 [0] NCCL INFO text", a line of the only process of host R.
inline std::string line(std::uint32_t rank, const std::string& text, std::uint32_t pid = 10) {
  return cat("n", rank, ":", pid, ":2 [0] NCCL INFO ", text, "\n");
}

inline std::string init(std::uint32_t rank, const std::string& what, std::uint32_t pid = 10,
                        const std::string& id = "0x5", std::uint32_t ranks = 4) {
  return line(rank,
              cat("ncclCommInitRank comm 0x1 rank ", rank, " nranks ", ranks, " cudaDev 0 commId ",
                  id, " - Init ", what),
              pid);
}

inline std::string without(std::string text, const std::string& what) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.erase(at, what.size());
}

}  // namespace nettune::tools::nccl::log::judge
