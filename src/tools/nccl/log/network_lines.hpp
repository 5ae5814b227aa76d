// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tools/nccl/log/log.hpp"

namespace nettune::tools::nccl::log {

/// Takes a message about the networks that a process sees, and the one that it uses.
/// False where it is about something else.
bool take_network_line(Log& log, Process& process, std::string_view message, bool whole);

/// The same for a whole message that says why a network or a transport is used or is not.
bool take_network_reason(Log& log, Process& process, std::string_view message);

/// Whether a message of NCCL that a newline ends is whole, since it ends with a name of a network
/// that is all of it: "Using network IB", "... via NET/Socket/0".
bool ends_with_network(std::string_view message);

}  // namespace nettune::tools::nccl::log
