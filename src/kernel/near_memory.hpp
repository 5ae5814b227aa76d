// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// The CPUs that this thread may run on, by number: those of its cpuset and affinity.
Result<std::vector<bool>> allowed_cpus();
/// Binds this thread, and what it starts or becomes, to these CPUs (sched_setaffinity(2)).
Result<> run_on(const std::vector<bool>& cpus);

/// Prefers memory of this NUMA node for this thread and what it starts or becomes
/// (set_mempolicy(2), kept across execve). It uses MPOL_PREFERRED: with MPOL_BIND the OOM killer
/// ends the job on a full node although others have free memory. Errc::denied in a container
/// without CAP_SYS_NICE.
Result<> take_memory_of(int numa_node);

}  // namespace nettune::kernel
