// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.hpp"

namespace nettune::kernel {

/// The CPUs that this thread may run on: those of its cpuset and affinity. By number.
Result<std::vector<bool>> allowed_cpus();
/// Lets this thread, and what it starts or becomes, run on these alone (sched_setaffinity(2)).
Result<> run_on(const std::vector<bool>& cpus);

/// Takes memory from this NUMA node first, for this thread and what it starts or becomes
/// (set_mempolicy(2), kept across execve). MPOL_PREFERRED, not MPOL_BIND: with that, a node that is
/// full ends the job by the OOM killer, although others have free memory; what is wanted is to be
/// near. Errc::denied in a container without CAP_SYS_NICE.
Result<> take_memory_of(int numa_node);

}  // namespace nettune::kernel
