// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/provider.hpp"
#include "core/setting.hpp"
#include "facts/facts.hpp"

namespace nettune::checks {

/// The setting with the traffic class of RDMA data.
inline constexpr std::string_view kTrafficClass = "nccl.conf:NCCL_IB_TC";

/// A broken link of a chain.
struct Finding {
  std::string where;    ///< where it breaks: an address, or an interface
  std::string problem;  ///< what is wrong, one sentence
  std::string remedy;   ///< what to set
};

/// The way of RDMA packets through one port: from NCCL_IB_TC to the paused class.
struct Chain {
  std::string interface;
  std::string text;  ///< what holds, as far as it is readable
  std::vector<Finding> findings;
};

/// The settings to read to judge the port of an interface.
std::vector<Address> chain_addresses(const std::string& interface);

/// Whether the layers of a port agree with each other, whoever set them: the DSCP in NCCL_IB_TC is
/// mapped to a priority that PFC pauses, that ETS gives bandwidth and that no other traffic has;
/// global pause is off; the MTU carries RDMA packets of 4096 bytes; the GID that NCCL takes is a
/// RoCE v2 GID with an address. What could not be read breaks nothing and is named in the text. So
/// are the switch's settings, unless they are reported elsewhere (switch_half.hpp).
Chain judge_chain(const std::string& interface, const std::map<Address, Reading>& readings,
                  const facts::Facts& facts, bool switch_told = false);

}  // namespace nettune::checks
