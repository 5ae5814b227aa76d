// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "core/setting.hpp"

namespace nettune::firewall {

/// A chain as firewall:nft/FAMILY/TABLE/CHAIN names it. To the kernel, table and chain may have any
/// byte but NUL (nla_strscpy(), nf_tables_api.c); bytes that an address cannot have are written
/// %XX.
struct ChainName {
  std::string family;  ///< "ip", "ip6" or "inet"
  std::string table;
  std::string chain;

  bool operator==(const ChainName&) const = default;
};
/// "nft/inet/filter/input"
std::string text_of(const ChainName& chain);
Result<ChainName> parse_chain_name(std::string_view text);

/// The element of a rule's address: "fabric-tcp4" in firewall:restrict#fabric-tcp4. In the rule's
/// comment it follows kFirewallTag, which identifies the rule.
bool is_rule_name(std::string_view text);
inline constexpr std::string_view kFirewallTag = "nettune:";

/// Whether it is an address of this kind.
bool is_firewall(const Address& address);
/// The first part of a firewall: address, up to '/' or '#': "nft", "restrict", "firewalld".
std::string_view firewall_backend(std::string_view rest);
/// Whether it is a rule of firewalld or ufw, which make the kernel's rules themselves.
bool is_of_daemon(const Address& address);

}  // namespace nettune::firewall
