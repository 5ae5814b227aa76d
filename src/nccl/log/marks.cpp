// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/marks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace nettune::nccl_log {

namespace {

/// Of each text that catalog/nccl-causes.toml has of others than NCCL ("said_by"), and of each kind
/// of an error block. The longer the shortest of them is, the faster they are found.
constexpr std::array kMarks = std::to_array<std::string_view>({
    "ncclSystemError",
    "ncclRemoteError",
    "ncclInternalError",
    "ncclInvalidUsage",
    "ncclInvalidArgument",
    "ncclUnhandledCudaError",
    "failed: unhandled ",  // ncclCommInitRank failed: unhandled system error
    "signal SIGKILL",      // terminated with signal SIGKILL
    "signal: SIGKILL",     // killed by signal: SIGKILL
    "Received SIGTERM",
    " received by PID",   // Signal 9 (SIGKILL) received by PID 3
    "<Signals.",          // died with <Signals.SIGBUS
    "BY SIGNAL",          // KILLED BY SIGNAL: 7
    "Signal: Bus error",  // of Open MPI
    "Signal: Aborted",
    "Signal: Segmentation",
    "SignalException",  // of torchrun
    "Caught signal ",   // of UCX
    "death signal",     // Received 15 death signal
    "Segmentation fault",
    "Bus error (",
    "bus error encountered",
    "EXIT STRING: ",  // of MPICH
    "exitcode: ",
    "exits with return code",
    "exited on signal",
    "process exited or",
    "Root Cause (",  // what torchrun calls so
    "slurmstepd",
    "srun: error",
    "Killed process",
    "oom-kill:",
    "OOMKilled",
    "Out of memory",
    "Out Of Memory",
    "OutOfMemoryError",
    " out of memory",
    "CUDA error",
    "CUDA Error",
    "CUDA failure",
    "NVRM: Xid",
    "SXid (PCI",
    "fallen off the bus",
    "client socket has",
    "mismatch between collectives",
    "uncorrectable ECC",
    "(exit code: -",           // Rank 0 scheduler died (exit code: -9), of SGLang
    "Duplicate GPU detected",  // above its block where the newest line comes first
    "is using nccl==",         // of vLLM and SGLang
    "Out of bounds values",    // of nccl-tests
});

constexpr std::size_t kShortest = std::ranges::min(kMarks, {}, &std::string_view::size).size();
constexpr std::size_t kLetters = 3;  ///< that are looked at at once

constexpr std::size_t hash(const char* letters) {
  const auto letter = [&](std::size_t i) -> std::size_t {
    return static_cast<unsigned char>(letters[i]);
  };
  return (letter(0) ^ (letter(1) << 3U) ^ (letter(2) << 6U)) & 4095U;
}

/// By the last letters of kShortest: how much further at least a mark may end (Wu and Manber, "A
/// fast algorithm for multi-pattern searching", 1994).
constexpr std::array<std::uint8_t, 4096> kSkip = [] {
  std::array<std::uint8_t, 4096> skip{};
  skip.fill(kShortest - kLetters + 1);
  for (const std::string_view mark : kMarks)
    for (std::size_t at = 0; at + kLetters <= kShortest; ++at) {
      std::uint8_t& least = skip[hash(mark.data() + at)];
      least = std::min(least, static_cast<std::uint8_t>(kShortest - kLetters - at));
    }
  return skip;
}();

/// Where the first mark is from `at` on; npos for none.
std::size_t first_mark(std::string_view text, std::size_t at) {
  const char* const letters = text.data();
  for (std::size_t end = at + kShortest; end <= text.size();) {
    if (const std::size_t skip = kSkip[hash(letters + end - kLetters)]; skip != 0) {
      end += skip;
      continue;
    }
    const std::string_view rest = text.substr(end - kShortest);
    if (std::any_of(kMarks.begin(), kMarks.end(),
                    [&](std::string_view mark) { return rest.starts_with(mark); }))
      return end - kShortest;
    ++end;
  }
  return text.npos;
}

}  // namespace

std::size_t find_marked_line(std::string_view lines, std::size_t from) {
  const std::size_t mark = first_mark(lines, from);
  if (mark == lines.npos) return lines.npos;
  const auto newline = mark == 0 ? lines.npos : lines.rfind('\n', mark - 1);
  return newline == lines.npos || newline < from ? from : newline + 1;
}

}  // namespace nettune::nccl_log
