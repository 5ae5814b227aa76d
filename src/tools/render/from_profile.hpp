// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/setting.hpp"
#include "firewall/rules/opening.hpp"
#include "intents/lossless.hpp"
#include "profile/profile.hpp"

namespace nettune::tools::render {

/// The parts of a profile for jobs and switches, which are equal on all nodes.
struct FromProfile {
  std::string name;
  std::map<std::string, std::string> set;
  std::vector<JobVariable> variables;             ///< the same on every node
  std::vector<std::string> node_variables;        ///< each node has its own value
  std::vector<firewall::rules::PortRange> ports;  ///< TCP ports of [firewall]; none without it
  std::string ports_source;
  std::optional<intents::Lossless> lossless;
  std::map<std::string, std::string, std::less<>> sources;  ///< of each key of it, and of "mtu"
  std::optional<std::int64_t> mtu;  ///< of the interfaces with the lossless class
};

/// Resolves the profile without a node: what depends on a device has no value, so the result
/// depends only on files and --set. Errors are those of the profile.
Result<FromProfile> from_profile(Disk& disk, const profile::Sources& sources,
                                 const std::string& name);

}  // namespace nettune::tools::render
