// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "nccl/log/log.hpp"

namespace nettune::nccl_log {

/// Takes what an INFO message says about its process: version, network and how it was chosen,
/// devices, GPUDirect, NVLS, environment, communicators. What it does not know it passes over.
/// `whole`: the end of the message was there; else a name or a number at its end may be a part of
/// another one, and is passed over, too.
void take_evidence(Log& log, std::uint32_t process, std::uint32_t thread, std::string_view message,
                   bool whole);

/// Whether a version ends with "+cuda" and a CUDA version with one digit behind its point, as all
/// of them have: then nothing of it can be cut off.
bool is_whole_version(std::string_view version);

/// The communicator that this thread of the process is setting up; kNone where that is unknown.
std::uint32_t open_communicator(const Process& process, std::uint32_t thread);

}  // namespace nettune::nccl_log
