// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"
#include "tools/doctor/machine.hpp"
#include "tools/doctor/pseudonyms.hpp"

namespace nettune::tools::doctor::program {

/// Writes what doctor reads on this machine, and the answers of its probes, into a new directory
/// that --root replays. Errc::conflict if the directory exists. With `hidden`, nothing in it
/// identifies the machine.
Result<> record_node(const doctor::Machine& machine, const std::string& directory,
                     const Pseudonyms* hidden = nullptr);
/// Pseudonyms for this machine, with a key that is not stored.
Pseudonyms pseudonyms_of(const doctor::Machine& machine);

}  // namespace nettune::tools::doctor::program
