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

}  // namespace nettune::tools::nccl::log::judge
