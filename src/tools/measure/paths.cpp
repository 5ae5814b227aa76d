// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/paths.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/text.hpp"

namespace nettune::tools::measure {
namespace {

struct Prefixed {
  std::array<unsigned char, 16> bytes{};
  bool ipv6 = false;
  unsigned prefix = 0;
};

std::optional<Prefixed> read_prefixed(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == text.npos) return {};
  Prefixed out;
  const std::string address(text.substr(0, slash));
  out.ipv6 = address.find(':') != address.npos;
  const auto prefix = parse_int(text.substr(slash + 1));
  if (!prefix || *prefix < 1 || *prefix > (out.ipv6 ? 128 : 32)) return {};
  out.prefix = static_cast<unsigned>(*prefix);
  if (::inet_pton(out.ipv6 ? AF_INET6 : AF_INET, address.c_str(), out.bytes.data()) != 1) return {};
  return out;
}

bool is_local_only(const Prefixed& address) {
  if (address.ipv6)
    return (address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0U) == 0x80) ||
           IN6_IS_ADDR_LOOPBACK(reinterpret_cast<const in6_addr*>(address.bytes.data()));
  return address.bytes[0] == 127 || (address.bytes[0] == 169 && address.bytes[1] == 254);
}

/// The network of an address as a key; "" for what is none, or reaches no other node.
std::string network_key(std::string_view text) {
  auto address = read_prefixed(text);
  if (!address || is_local_only(*address)) return "";
  for (unsigned bit = address->prefix; bit < 128; ++bit)
    address->bytes[bit / 8] &= static_cast<unsigned char>(~(0x80U >> (bit % 8)));
  return cat(address->ipv6 ? "6 " : "4 ", address->prefix, " ",
             std::string_view(reinterpret_cast<const char*>(address->bytes.data()), 16));
}

/// The interfaces of two nodes in one network, each once.
struct Network {
  std::vector<const End*> ours;
  std::vector<const End*> theirs;
};

/// In the order of our ends. A node of Kubernetes may have thousands of addresses.
std::vector<Network> networks_of(const std::vector<End>& ours, const std::vector<End>& theirs,
                                 bool ipv6) {
  std::vector<Network> out;
  std::map<std::string, std::size_t> places;
  const auto add = [](std::vector<const End*>& to, const End& end) {
    if (std::ranges::find(to, end.interface, &End::interface) == to.end()) to.push_back(&end);
  };
  const char family = ipv6 ? '6' : '4';
  for (const End& end : ours) {
    const std::string key = network_key(end.address);
    if (!key.starts_with(family)) continue;
    const auto [place, is_new] = places.try_emplace(key, out.size());
    if (is_new) out.emplace_back();
    add(out[place->second].ours, end);
  }
  for (const End& end : theirs)
    if (const auto place = places.find(network_key(end.address)); place != places.end())
      add(out[place->second].theirs, end);
  return out;
}

std::vector<EndPair> paired(Network network) {
  std::vector<EndPair> out;
  // One address on both nodes, as docker0 has it, leads nowhere.
  const auto add = [&](const End* here, const End* there) {
    if (share_a_network(here->address, there->address)) out.push_back({*here, *there});
  };
  if (network.ours.size() == 1 || network.theirs.size() == 1) {
    for (const End* const here : network.ours)
      for (const End* const there : network.theirs) add(here, there);
    return out;
  }
  std::vector<const End*> left;
  for (const End* const here : network.ours) {
    const auto there = std::ranges::find(network.theirs, here->interface, &End::interface);
    if (there == network.theirs.end()) {
      left.push_back(here);
      continue;
    }
    add(here, *there);
    network.theirs.erase(there);
  }
  for (std::size_t i = 0; i < std::min(left.size(), network.theirs.size()); ++i)
    add(left[i], network.theirs[i]);
  return out;
}

}  // namespace

bool share_a_network(std::string_view ours, std::string_view theirs) {
  const std::string key = network_key(ours);
  return !key.empty() && key == network_key(theirs) &&
         read_prefixed(ours)->bytes != read_prefixed(theirs)->bytes;
}

std::string_view without_prefix(std::string_view address) {
  return address.substr(0, address.find('/'));
}

std::vector<EndPair> shared_subnets(const std::vector<End>& ours, const std::vector<End>& theirs) {
  constexpr std::size_t kPrefix = 19;  // "fe80:0000:0000:0000"
  std::vector<EndPair> out;
  std::set<const End*> taken;
  const auto is_bare = [](const End& end) {
    return end.address.empty() && end.rdma && end.rdma->infiniband;
  };
  for (const End& here : ours) {
    if (!is_bare(here)) continue;
    for (const End& there : theirs)
      if (is_bare(there) && !taken.contains(&there) &&
          here.rdma->gid.substr(0, kPrefix) == there.rdma->gid.substr(0, kPrefix)) {
        taken.insert(&there);
        out.push_back({here, there});
        break;
      }
  }
  return out;
}

std::vector<std::string> beside(std::string_view interface, const std::vector<End>& ends) {
  std::set<std::string> networks;
  for (const End& end : ends)
    if (end.interface == interface) networks.insert(network_key(end.address));
  networks.erase("");
  std::vector<std::string> out;
  for (const End& other : ends)
    if (other.interface != interface && networks.contains(network_key(other.address)) &&
        std::ranges::find(out, other.interface) == out.end())
      out.push_back(other.interface);
  return out;
}

std::vector<std::string> in_one_network(const std::vector<End>& ends) {
  std::set<std::string> out;
  for (const bool ipv6 : {false, true})
    for (const Network& network : networks_of(ends, {}, ipv6))
      if (network.ours.size() > 1)
        for (const End* const end : network.ours) out.insert(end->interface);
  return {out.begin(), out.end()};
}

std::vector<EndPair> shared_paths(const std::vector<End>& ours, const std::vector<End>& theirs) {
  std::vector<EndPair> out;
  std::set<std::pair<std::string, std::string>> seen;
  for (const bool ipv6 : {false, true})
    for (Network& network : networks_of(ours, theirs, ipv6))
      for (const EndPair& pair : paired(std::move(network)))
        if (seen.insert({pair.ours.interface, pair.theirs.interface}).second) out.push_back(pair);
  return out;
}

}  // namespace nettune::tools::measure
