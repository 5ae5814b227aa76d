// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log {

/// Takes a message about a communicator: its begin, its end, its size, or how many nodes it has.
/// False where it is about something else.
bool take_communicator_line(Log& log, std::uint32_t process, std::uint32_t thread,
                            std::string_view message);

/// Takes the number of ranks of a communicator of which the line names no rank; the first few.
void add_size(Log& log, std::uint32_t ranks);

/// Takes the size of a communicator that RCCL says at the end of lines: "Trees [0] 17/24/-1->16->0
/// ... comm 0x5609976f9470 nRanks 32 busId 17000", "Connected all rings comm 0x2aaf44000c00 nRanks
/// 08 busId 4000".
void take_size(Log& log, std::string_view message);

/// The number in "comm 0x1fc96400", the address of a communicator in its process; 0 for none.
std::uint64_t address_in(std::string_view message);

/// The communicator that this thread of the process is setting up; kNone where that is unknown.
std::uint32_t open_communicator(const Process& process, std::uint32_t thread);

}  // namespace nettune::tools::nccl::log
