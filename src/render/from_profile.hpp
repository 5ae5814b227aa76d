// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/setting.hpp"
#include "firewall/opening.hpp"
#include "intents/lossless.hpp"
#include "profile/profile.hpp"

namespace nettune::render {

/// What a profile says to jobs and switches, whatever node it is asked on.
struct FromProfile {
  std::string name;
  std::map<std::string, std::string> set;
  std::vector<JobVariable> variables;       ///< the same on every node
  std::vector<std::string> node_variables;  ///< each node has its own value
  std::vector<formats::PortRange> ports;    ///< TCP, of [firewall]; none where it has no such
  std::string ports_source;
  std::optional<profile::Lossless> lossless;
  std::map<std::string, std::string, std::less<>> sources;  ///< of a key of it, and "mtu"
  std::optional<std::int64_t> mtu;  ///< of the interfaces that have the lossless class
};

/// Resolves the profile for no node at all: what depends on a device has no value. So the result
/// depends on files and --set alone. Errors are those of the profile.
Result<FromProfile> from_profile(Disk& disk, const profile::Sources& sources,
                                 const std::string& name);

}  // namespace nettune::render
