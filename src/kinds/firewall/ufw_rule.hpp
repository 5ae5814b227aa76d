// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "firewall/rules/opening.hpp"

namespace nettune::kinds::firewall {

/// A rule of ufw that nettune makes.
struct UfwRule {
  bool ipv6 = false;
  std::string interface;
  std::string peer;   ///< in ufw's form: "10.10.0.0/16", a host without its prefix
  std::string ports;  ///< "29400,29500:29510"
  std::string protocol;
  bool outgoing = false;  ///< to the peer, out by the interface
};

/// The ufw rules of an allow rule `opening`, in the words of ufw's command line: "allow in on eth1
/// from 10.10.0.0/16 to any port 29400,29500:29510 proto tcp", "allow out on eth1 from any to
/// 10.10.0.0/16 port 29400 proto tcp", one for each interface, peer and fifteen ports (a range
/// counts as two: ufw(8)). None for ICMP, which ufw has no rules for: its before.rules accept echo
/// requests and errors. None for answers, which they accept, too.
std::vector<std::string> ufw_rules(const nettune::firewall::rules::Opening& opening);
/// Errc::invalid for a text that ufw_rules() cannot make.
Result<UfwRule> parse_ufw_rule(std::string_view text);
/// The allow rule of such a text.
Result<nettune::firewall::rules::Opening> ufw_opening(std::string_view text);
/// The part after "### tuple ###" of the rule in /etc/ufw/user.rules or user6.rules, without its
/// action and comment: "tcp 29400 0.0.0.0/0 any 10.10.0.0/16 in_eth1". ufw has one action for each.
std::string tuple_of(const UfwRule& rule);

/// The file with ufw's rules of a family.
std::string ufw_rules_file(bool ipv6);
/// The action of every tuple of such a file: "allow", "deny_log".
std::map<std::string, std::string, std::less<>> ufw_actions(std::string_view file);

/// The rules of such a file that ufw_rules() can make and that have exactly this comment.
std::vector<std::string> ufw_rules_with(std::string_view file, std::string_view comment);

/// Whether ufw accepts the interface name and it is not a wildcard to the kernel.
bool is_ufw_interface(std::string_view name);

}  // namespace nettune::kinds::firewall
