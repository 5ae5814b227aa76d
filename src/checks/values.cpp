// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "checks/advice.hpp"

namespace nettune::checks {
namespace {

struct Values {
  std::string_view what;
  std::string_view all;  ///< with | between them
};

/// The observations that remedies are keyed by, with every value that they can have;
/// docs/doctor.md and docs/checks.md say what the values mean.
constexpr auto kValues = std::to_array<Values>({
    {"gpu.answers", "yes|lost|reset required|error|fewer"},
    {"gpu.clocks", "equal|application|maximum"},
    {"gpu.device-nodes", "usable|missing|closed|not given"},
    {"gpu.driver", "loaded|absent|nouveau|mismatch"},
    {"gpu.fabric", "ready|not ready|rack not ready"},
    {"gpu.fabric-manager", "active|inactive|absent|mismatch"},
    {"gpu.imex", "active|inactive|absent"},
    {"gpu.nvlsm", "active|inactive|absent"},
    {"gpu.recovery", "none|reset|reboot|drain p2p|drain and reset"},
    {"gpu.throttle", "none|software|hardware|heat|power brake"},
    {"gpu.xid", "none|reset|reboot|nvlink|power|hardware"},
    {"gdr.peer-memory", "loaded|not-needed|absent|impossible"},
    {"ib.state", "ACTIVE|INIT|ARMED|DOWN"},
    {"limit.memlock", "unlimited|service|login|docker"},
    {"peer.gid-index", "equal|looked-for|mixed|none"},
    {"peer.path-mtu", "whole|smaller|none"},
    {"peer.port", "reachable|refused|dropped|no route"},
    {"rdma.nodes", "usable|missing|closed|not given"},
    {"rdma.rate", "equal|below|narrow"},
    {"rdma.port", "active|down|disabled|init|armed|absent"},
});

}  // namespace

std::vector<std::string> values_of(std::string_view what) {
  const auto* const found = std::ranges::find(kValues, what, &Values::what);
  std::vector<std::string> values;
  if (found != kValues.end())
    for (const std::string_view value : split(found->all, '|')) values.emplace_back(value);
  return values;
}

}  // namespace nettune::checks
