// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log {

/// Takes what an INFO message says about its process: version, network and how it was chosen,
/// devices, GPUDirect, NVLS, environment, communicators. What it does not know it passes over.
/// `whole`: the end of the message was there; else a name or a number at its end may be a part of
/// another one, and is passed over, too.
void take_evidence(Log& log, std::uint32_t process, std::uint32_t thread, std::string_view message,
                   bool whole);

/// Whether nothing can be cut off at the end of a version of NCCL: behind "+cuda" it ends with one
/// digit, as all of CUDA do. Without that the third number tells it: 2.12.10 and 2.12.12 alone have
/// one of two digits, so that any other digit than 1 is all of it, and so is 1 before a newline.
bool is_whole_version(std::string_view version, bool newline);

/// "TOPO/NET : Force-fusing NICs using NCCL_NET_FORCE_MERGE=mlx5_1,mlx5_3" (2.23 and later), also
/// where people copied it without what is in front of it.
void take_forced_merge(Process& process, std::string_view text);

}  // namespace nettune::tools::nccl::log
