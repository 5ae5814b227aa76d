// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/advise/job.hpp"

namespace nettune::tools::advise {

/// Why the model of DDP does not describe the job: a tenth or more of its communication is in other
/// collectives than all-reduces, or in all-reduces of a second process group. "" if it may be DDP.
std::string not_only_ddp(const Job& job);

/// Whether the job gathers and scatters its parameters, as FSDP and ZeRO do.
bool is_sharded(const Job& job);

}  // namespace nettune::tools::advise
