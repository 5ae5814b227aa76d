// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"
#include "doctor/machine.hpp"
#include "doctor/pseudonyms.hpp"

namespace nettune::cli {

/// Writes what doctor reads of this machine, and what its probes answered, into a new directory
/// that --root replays. Errc::conflict where it already exists. With `hidden` nothing in it names
/// the machine.
Result<> record_node(const doctor::Machine& machine, const std::string& directory,
                     const doctor::Pseudonyms* hidden = nullptr);
/// For this machine, with a key that nobody keeps.
doctor::Pseudonyms pseudonyms_of(const doctor::Machine& machine);

}  // namespace nettune::cli
