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

std::vector<EndPair> shared_paths(const std::vector<End>& ours, const std::vector<End>& theirs) {
  std::vector<EndPair> out;
  std::set<std::pair<std::string, std::string>> seen;
  for (const bool ipv6 : {false, true})
    for (const End& here : ours)
      for (const End& there : theirs) {
        if ((here.address.find(':') != std::string::npos) != ipv6) continue;
        if (!share_a_network(here.address, there.address)) continue;
        if (seen.insert({here.interface, there.interface}).second) out.push_back({here, there});
      }
  return out;
}

}  // namespace nettune::measure
