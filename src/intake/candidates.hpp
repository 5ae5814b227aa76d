// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conf/files.hpp"
#include "core/setting.hpp"
#include "facts/facts.hpp"
#include "intake/defaults.hpp"

namespace nettune::intake {

/// The kinds that capture reads, in the order of a profile's sections.
std::vector<std::string> captured_kinds();

/// Interfaces that a person configures: hardware, bonds, VLANs, teams and IP over InfiniBand.
bool is_captured(const facts::NetDevice& device);

/// The addresses that are worth reading on a node. `files` has its configuration, for the keys,
/// modules and variables that somebody sets there; null for a recorded node.
std::vector<Address> addresses_to_capture(const facts::Facts& facts, const Defaults& defaults,
                                          const conf::Files* files);

/// The file and line that loads a module at boot (modules-load.d(5)); "" for none.
std::string loads_module(const conf::Files& files, std::string_view module);

}  // namespace nettune::intake
