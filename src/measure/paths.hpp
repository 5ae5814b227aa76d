// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "measure/ceiling.hpp"

namespace nettune::measure {

struct EndPair {
  End ours;
  End theirs;
};

/// "10.0.0.1/24" and "10.0.0.2/24" are in one network, and are not the same address. Loopback and
/// link-local addresses are in none.
bool share_a_network(std::string_view ours, std::string_view theirs);
/// "10.0.0.1" of "10.0.0.1/24".
std::string_view without_prefix(std::string_view address);

/// The rails that two nodes have in common: one pair for every two interfaces that share a network,
/// by IPv4 where both have it.
std::vector<EndPair> shared_paths(const std::vector<End>& ours, const std::vector<End>& theirs);
/// InfiniBand ports without an address, of one subnet: the first with the first, and so on.
std::vector<EndPair> shared_subnets(const std::vector<End>& ours, const std::vector<End>& theirs);

}  // namespace nettune::measure
