// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/measure/ceiling.hpp"

namespace nettune::tools::measure {

/// The remedy for interfaces that answer for each other.
constexpr std::string_view kOneRouteEach =
    "give each address a route of its own, and set arp_ignore = 1 and arp_announce = 2";

struct EndPair {
  End ours;
  End theirs;
};

/// Whether two different addresses are in one network, like "10.0.0.1/24" and "10.0.0.2/24".
/// Loopback and link-local addresses share none.
bool share_a_network(std::string_view ours, std::string_view theirs);
/// "10.0.0.1" of "10.0.0.1/24".
std::string_view without_prefix(std::string_view address);

/// The other interfaces of a node that are in a network of `interface`, each once.
std::vector<std::string> beside(std::string_view interface, const std::vector<End>& ends);
/// The interfaces of a node that share a network with another one of it: there the routes alone
/// would send everything by one of them.
std::vector<std::string> in_one_network(const std::vector<End>& ends);

/// The common rails of two nodes, with IPv4 if both have it: interfaces that share a network. Where
/// both nodes have several in one network, those of one name belong together, and of what is left
/// the first with the first, and so on.
std::vector<EndPair> shared_paths(const std::vector<End>& ours, const std::vector<End>& theirs);
/// Pairs of InfiniBand ports without an address in the same subnet: the first with the first, and
/// so on.
std::vector<EndPair> shared_subnets(const std::vector<End>& ours, const std::vector<End>& theirs);

}  // namespace nettune::tools::measure
