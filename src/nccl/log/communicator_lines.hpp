// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "nccl/log/log.hpp"

namespace nettune::nccl_log {

/// Takes a message about a communicator: its begin, its end, its size, or how many nodes it has.
/// False where it is about something else.
bool take_communicator_line(Log& log, std::uint32_t process, std::uint32_t thread,
                            std::string_view message, bool whole);

/// The number in "comm 0x1fc96400", the address of a communicator in its process; 0 for none.
std::uint64_t address_in(std::string_view message);

/// The communicator that this thread of the process is setting up; kNone where that is unknown.
std::uint32_t open_communicator(const Process& process, std::uint32_t thread);

}  // namespace nettune::nccl_log
