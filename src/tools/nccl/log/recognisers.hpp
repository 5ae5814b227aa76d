// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace nettune::tools::nccl::log {

/// Finds a cause where texts in one line are not enough. An entry of the catalogue refers to it by
/// its name.
struct Recogniser {
  std::string_view name;
  std::string_view mark = {};  ///< letters that a line of it has; "" where others wait for it
};

/// A process begins a communicator with the id of one that it had destroyed.
inline constexpr Recogniser kStaleId{"stale-id"};
/// A row of nccl-tests in which values are wrong.
inline constexpr Recogniser kWrongRow{"wrong-row"};
/// "^C" or KeyboardInterrupt alone on a line.
inline constexpr Recogniser kInterrupt{"interrupt", "KeyboardInterrupt"};
/// "Terminated" of a shell, directly above a line of PyTorch's watchdog.
inline constexpr Recogniser kTerminated{"shell-terminated", "Terminated"};
/// Ranks that make the same call with tensors of other shapes or types.
inline constexpr Recogniser kSameCall{"same-call", "mismatch between collectives"};
/// More workers than the group has have joined a barrier of PyTorch's store.
inline constexpr Recogniser kMoreWorkers{"more-workers", "in store based barrier on rank"};
/// A line of Slurm about an end, of which the reason is missing.
inline constexpr Recogniser kSlurmCut{"slurm-end-cut", "slurmstepd: error: ***"};
/// What a shell that knows no more says of a crash, alone on a line.
inline constexpr Recogniser kSegmentation{"segmentation-fault", "Segmentation fault"};
inline constexpr Recogniser kBusError{"bus-error", "Bus error"};
/// The loader wants a later version of the C library.
inline constexpr Recogniser kGlibc{"glibc-version", "version `GLIBC"};
/// A trace of Open MPI or UCX with NCCL at its top, or with a library that NCCL had called.
inline constexpr Recogniser kInNccl{"crash-in-nccl", "==== backtrace"};
inline constexpr Recogniser kBelowNccl{"crash-below-nccl", "*** Process received signal ***"};

inline constexpr Recogniser kRecognisers[] = {kStaleId,  kWrongRow,    kInterrupt, kTerminated,
                                              kSameCall, kMoreWorkers, kSlurmCut,  kSegmentation,
                                              kBusError, kGlibc,       kInNccl,    kBelowNccl};

}  // namespace nettune::tools::nccl::log
