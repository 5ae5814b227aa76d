// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// What a person should see first, in words: sockets, no GPUDirect RDMA, host memory between GPUs,
/// each with the reasons that the log gives; RDMA devices of both kinds, or one for many GPUs; an
/// interface that other nodes do not reach; two versions; two hosts of one name.
std::vector<std::string> find_remarks(const Log& log, const Verdict& verdict);

/// An interface of a host has several addresses: there may be two hosts of that name.
bool may_share_a_name(const Log& log);

}  // namespace nettune::tools::nccl::log::judge
