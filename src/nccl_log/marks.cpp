// SPDX-License-Identifier: Apache-2.0
#include "nccl_log/marks.hpp"

#include <algorithm>
#include <cstdint>

namespace nettune::nccl_log {

namespace {

/// Three letters of each text that catalog/nccl-causes.toml has of others than NCCL ("said_by").
constexpr char kMarks[][4] = {
    "ncc",  // ncclSystemError:
    "SIG",  // SIGKILL, SIGTERM
    "sig",  // signal: 15
    "Xid",  // NVRM: Xid
    "slu",  // slurmstepd: error:
    "sru",  // srun: error:
    "oom",  // oom-kill
    "Kil",  // Killed process, OOMKilled
    "xit",  // exitcode: -9
    "CUD",  // CUDA out of memory
    "Seg",  // Segmentation fault
    "Bus",  // Bus error
    "bus",  // unexpected bus error
    "NVR",  // NVRM:
    "soc",  // The client socket
    "Out",  // Out of bounds values : 0 OK
};

bool is_marked(const char* at) {
  return std::any_of(std::begin(kMarks), std::end(kMarks), [&](const char* mark) {
    return at[0] == mark[0] && at[1] == mark[1] && at[2] == mark[2];
  });
}

/// Some mark begins in the block. All letters are compared with all marks and nothing is decided
/// between, so that the compiler makes vector instructions of it at -O2 too.
constexpr std::size_t kBlock = 128;
bool has_mark(const char* block) {
  std::uint8_t found = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    std::uint8_t here = 0;
    for (const auto& mark : kMarks)
      here = static_cast<std::uint8_t>(here | ((block[i] == mark[0] ? 1 : 0) &
                                               (block[i + 1] == mark[1] ? 1 : 0) &
                                               (block[i + 2] == mark[2] ? 1 : 0)));
    found = static_cast<std::uint8_t>(found | here);
  }
  return found != 0;
}

}  // namespace

std::size_t find_marked_line(std::string_view lines, std::size_t from) {
  constexpr std::size_t kLetters = 3;
  for (std::size_t at = from; at + kLetters <= lines.size();) {
    const bool whole = at + kBlock + kLetters <= lines.size();
    if (whole && !has_mark(lines.data() + at)) {
      at += kBlock;
      continue;
    }
    const std::size_t end = whole ? at + kBlock : lines.size() - kLetters + 1;
    for (; at < end; ++at) {
      if (!is_marked(lines.data() + at)) continue;
      const auto newline = at == 0 ? lines.npos : lines.rfind('\n', at - 1);
      return newline == lines.npos || newline < from ? from : newline + 1;
    }
  }
  return lines.npos;
}

}  // namespace nettune::nccl_log
