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

/// The setting that says what class RDMA data has.
inline constexpr std::string_view kTrafficClass = "nccl.conf:NCCL_IB_TC";

/// A link of a chain that does not hold.
struct Finding {
  std::string where;    ///< where it breaks: an address, or an interface
  std::string problem;  ///< what is wrong, one sentence
  std::string remedy;   ///< what to set
};

/// How the packets of RDMA go through one port: from NCCL_IB_TC to the class that is paused.
struct Chain {
  std::string interface;
  std::string text;  ///< what holds, as far as it was seen
  std::vector<Finding> findings;
};

/// What has to be read to judge the port of an interface.
std::vector<Address> chain_addresses(const std::string& interface);

/// Whether the layers of a port agree with each other, whoever set them: the DSCP in NCCL_IB_TC is
/// mapped to a priority that PFC pauses, that ETS gives bandwidth, that is no other traffic's, with
/// global pause off; the MTU carries RDMA's packets of 4096 bytes; the GID that NCCL takes is one
/// of RoCE v2 with an address. What could not be read breaks nothing, and is named in the text; so
/// is the switch's half, unless it is told of elsewhere (switch_half.hpp).
Chain judge_chain(const std::string& interface, const std::map<Address, Reading>& readings,
                  const facts::Facts& facts, bool switch_told = false);

}  // namespace nettune::checks
