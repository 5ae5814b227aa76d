// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace nettune::formats {

/// A chain as firewall:nft/FAMILY/TABLE/CHAIN names it. Table and chain may hold any byte but NUL
/// to the kernel (nla_strscpy(), nf_tables_api.c); what an address cannot hold is written %XX.
struct ChainName {
  std::string family;  ///< "ip", "ip6" or "inet"
  std::string table;
  std::string chain;

  bool operator==(const ChainName&) const = default;
};
/// "nft/inet/filter/input"
std::string text_of(const ChainName& chain);
Result<ChainName> parse_chain_name(std::string_view text);

/// Element of the address of a rule: "fabric-tcp4" in firewall:restrict#fabric-tcp4. In its comment
/// it stands behind kFirewallTag, and by this it is found.
bool is_rule_name(std::string_view text);
inline constexpr std::string_view kFirewallTag = "nettune:";

/// The part of a firewall: address up to the first '/' or '#': "nft", "restrict", "firewalld".
std::string_view firewall_backend(std::string_view rest);

}  // namespace nettune::formats
