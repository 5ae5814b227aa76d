// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/nccl/log/judge/remark_texts.hpp"

namespace nettune::tools::nccl::log::judge {

/// What stands out in how the ranks are connected, each with the reasons that the log gives:
/// sockets, a plugin that was asked for and is not there, no EFA, no SHARP, no GPUDirect RDMA, host
/// memory between GPUs.
void say_transports(const Log& log, const Verdict& verdict, Texts& into);

}  // namespace nettune::tools::nccl::log::judge
