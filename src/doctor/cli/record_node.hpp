// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"
#include "doctor/machine.hpp"

namespace nettune::cli {

/// Writes what doctor reads of this machine, and what its probes answered, into a new directory
/// that --root replays. Errc::conflict where it is there already.
Result<> record_node(const doctor::Machine& machine, const std::string& directory);

}  // namespace nettune::cli
