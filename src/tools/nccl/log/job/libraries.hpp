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

}  // namespace nettune::tools::nccl::log::job
