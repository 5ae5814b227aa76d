// SPDX-License-Identifier: Apache-2.0
#include "nccl/log/marks.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace nettune::nccl_log {

namespace {

/// Of each text that catalog/nccl-causes.toml has of others than NCCL ("said_by"), and of each kind
/// of an error block: by letters that are rare, so that the first of them is mostly not there.
constexpr std::string_view kMarks[] = {
    "SystemError",    // ncclSystemError
    "RemoteError",    // ncclRemoteError
    "InternalError",  // ncclInternalError
    "Invalid",        // ncclInvalidUsage, ncclInvalidArgument
    "Unhandled",      // ncclUnhandledCudaError
    "UnknownError",   // UnknownError: ncclCommInitRank failed, of TensorFlow
    "SIG",            // SIGKILL, SIGTERM
    "Signal",         // SignalException, Signal: Bus error
    "Segment",        // Segmentation fault
    "SXid",           //
    "Xid",            // NVRM: Xid
    "NVRM",           //
    "Root Cause",     // what torchrun calls so
    "Received",       // Received 15 death signal
    "Caught",         // Caught signal 11
    "CANCELLED",      // slurmstepd: error: *** JOB 1 ON n CANCELLED AT
    "CONSTRAINT",     // oom-kill:constraint=CONSTRAINT_NONE
    "Detected",       // slurmstepd: error: Detected 1 oom-kill event(s)
    "Killed",         // Killed process
    "Terminated",     // srun: error: n: task 0: Terminated
    "Node fail",      // srun: error: Node failure
    "Out ",           // Out of memory, Out Of Memory, Out of bounds values : 0 OK
    "OutOf",          // OutOfMemoryError
    "OOM",            // OOMKilled
    "CUDA",           // CUDA out of memory, CUDA error, CUDA failure
    "Bus",            // Bus error
    "Unexpected",     // Unexpected bus error
    "The client s",   // The client socket has timed out
    "xit",            // exitcode: -9, exited on signal 9, exits with return code = -9
};

/// The letters with which marks begin, each once.
constexpr std::string_view kLetters = "SRIUXNCDKTOBx";
static_assert(std::all_of(std::begin(kMarks), std::end(kMarks), [](std::string_view mark) {
  return kLetters.find(mark.front()) != std::string_view::npos;
}));

bool is_marked(std::string_view text) {
  return std::any_of(std::begin(kMarks), std::end(kMarks),
                     [&](std::string_view mark) { return text.starts_with(mark); });
}

/// Where the first mark is that begins in the first `length` letters from `at` on; the end of them
/// for none. memchr(3) looks for each letter in turn: that is faster than one look for all.
std::size_t first_mark(std::string_view text, std::size_t at, std::size_t length) {
  const char* const begin = text.data() + at;
  const char* end = begin + length;
  for (const char letter : kLetters)
    for (const char* hit = begin; hit < end; ++hit) {
      hit = static_cast<const char*>(std::memchr(hit, letter, static_cast<std::size_t>(end - hit)));
      if (hit == nullptr) break;
      if (is_marked(text.substr(static_cast<std::size_t>(hit - text.data())))) end = hit;
    }
  return static_cast<std::size_t>(end - text.data());
}

}  // namespace

std::size_t find_marked_line(std::string_view lines, std::size_t from) {
  constexpr std::size_t kBlock = 4096;  // that stays in the cache
  for (std::size_t at = from; at < lines.size();) {
    const std::size_t length = std::min(kBlock, lines.size() - at);
    const std::size_t mark = first_mark(lines, at, length);
    if (mark != at + length) {
      const auto newline = mark == 0 ? lines.npos : lines.rfind('\n', mark - 1);
      return newline == lines.npos || newline < from ? from : newline + 1;
    }
    at += length;
  }
  return lines.npos;
}

}  // namespace nettune::nccl_log
