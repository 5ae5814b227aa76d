// SPDX-License-Identifier: Apache-2.0
#include "measure/paths.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "base/text.hpp"

namespace nettune::measure {
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

/// The interfaces of two nodes in one network.
struct Network {
  std::vector<const End*> ours;
  std::vector<const End*> theirs;
};

std::vector<const End*> ends_of_family(const std::vector<End>& ends, bool ipv6) {
  std::vector<const End*> out;
  for (const End& end : ends)
    if (!end.address.empty() && (end.address.find(':') != std::string::npos) == ipv6)
      out.push_back(&end);
  return out;
}

/// What shares the network of `first`; each interface once.
Network network_of(const End& first, const std::vector<const End*>& ours,
                   const std::vector<const End*>& theirs) {
  Network out{{&first}, {}};
  const auto add = [&](std::vector<const End*>& to, const End* end) {
    if (share_a_network(first.address, end->address) &&
        std::ranges::find(to, end->interface, &End::interface) == to.end())
      to.push_back(end);
  };
  for (const End* const end : ours) add(out.ours, end);
  for (const End* const end : theirs) add(out.theirs, end);
  return out;
}

std::vector<EndPair> paired(Network network) {
  std::vector<EndPair> out;
  if (network.ours.size() == 1 || network.theirs.size() == 1) {
    for (const End* const here : network.ours)
      for (const End* const there : network.theirs) out.push_back({*here, *there});
    return out;
  }
  std::vector<const End*> left;
  for (const End* const here : network.ours) {
    const auto there = std::ranges::find(network.theirs, here->interface, &End::interface);
    if (there == network.theirs.end()) {
      left.push_back(here);
      continue;
    }
    out.push_back({*here, **there});
    network.theirs.erase(there);
  }
  for (std::size_t i = 0; i < std::min(left.size(), network.theirs.size()); ++i)
    out.push_back({*left[i], *network.theirs[i]});
  return out;
}

}  // namespace

bool share_a_network(std::string_view ours, std::string_view theirs) {
  const auto a = read_prefixed(ours);
  const auto b = read_prefixed(theirs);
  if (!a || !b || a->ipv6 != b->ipv6 || a->prefix != b->prefix || a->bytes == b->bytes)
    return false;
  if (is_local_only(*a)) return false;
  for (unsigned bit = 0; bit < a->prefix; ++bit) {
    const unsigned mask = 0x80U >> (bit % 8);
    if ((a->bytes[bit / 8] & mask) != (b->bytes[bit / 8] & mask)) return false;
  }
  return true;
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

std::vector<std::string> beside(const End& end, const std::vector<End>& ends) {
  std::vector<std::string> out;
  for (const End& other : ends)
    if (other.interface != end.interface && share_a_network(end.address, other.address) &&
        std::ranges::find(out, other.interface) == out.end())
      out.push_back(other.interface);
  return out;
}

std::vector<std::string> in_one_network(const std::vector<End>& ends) {
  std::vector<std::string> out;
  for (const End& end : ends)
    if (!beside(end, ends).empty() && std::ranges::find(out, end.interface) == out.end())
      out.push_back(end.interface);
  return out;
}

std::vector<EndPair> shared_paths(const std::vector<End>& ours, const std::vector<End>& theirs) {
  std::vector<EndPair> out;
  for (const bool ipv6 : {false, true}) {
    std::vector<const End*> left = ends_of_family(ours, ipv6);
    while (!left.empty()) {
      Network network = network_of(*left.front(), left, ends_of_family(theirs, ipv6));
      std::erase_if(left, [&](const End* end) {
        return std::ranges::find(network.ours, end) != network.ours.end();
      });
      for (const EndPair& pair : paired(std::move(network))) {
        const auto same = [&](const EndPair& one) {
          return one.ours.interface == pair.ours.interface &&
                 one.theirs.interface == pair.theirs.interface;
        };
        if (std::ranges::none_of(out, same)) out.push_back(pair);
      }
    }
  }
  return out;
}

}  // namespace nettune::measure
