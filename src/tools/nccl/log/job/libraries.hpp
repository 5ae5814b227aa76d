// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tools/nccl/log/log.hpp"
#include "tools/nccl/log/position.hpp"

namespace nettune::tools::nccl::log::job {

/// Takes the version of NCCL or RCCL that a line names ("NCCL version 2.20.5") into `log`.
void take_versions(Log& log, const Position& position, std::string_view line);

/// "libfabric:462:1673041636:efa:core:function():506<warn> text": of hints that it prints for every
/// provider that it tries it is not known which one matters, so that they are kept and not judged.
void take_libfabric(Log& log, std::string_view line);

/// A line of PyTorch's watchdog on Ascend NPUs, or of that on GPUs.
void take_npu(Log& log, std::string_view line);

/// Takes why SHARP is off, without which NCCL goes on. Of libsharp: "[node2:0:3745 -
/// context.c:709][2024-09-24 16:15:29] ERROR text" and "[node2:0:3745 unique id 93705834][...]
/// ERROR text"; of its daemon: "[node2][Sep 24 16:15:29 847428][GENERAL][3745][warn ] - Begin job
/// id: 93705834 failed with status: No resource" (NVIDIA/nccl issues 1219 and 1460).
void take_sharp(Log& log, std::string_view line);

}  // namespace nettune::tools::nccl::log::job
