// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/ufw_rule.hpp"

#include <algorithm>
#include <net/if.h>

#include "base/text.hpp"

namespace nettune::kinds::firewall {
namespace {

/// XT_MULTI_PORTS, linux/netfilter/xt_multiport.h.
constexpr std::size_t kMaxPorts = 15;
constexpr std::string_view kTuple = "### tuple ### ";
constexpr std::string_view kComment = " comment=";

/// Lists of ports as ufw takes them, each short enough for one rule.
std::vector<std::string> port_lists(
    const std::vector<nettune::firewall::rules::PortRange>& ranges) {
  std::vector<std::string> lists;
  std::size_t used = kMaxPorts;
  for (const nettune::firewall::rules::PortRange& range : ranges) {
    const bool single = range.first == range.last;
    const std::size_t needed = single ? 1 : 2;
    const std::string text = single ? cat(range.first) : cat(range.first, ':', range.last);
    if (used + needed > kMaxPorts) {
      lists.push_back(text);
      used = needed;
    } else {
      lists.back() += cat(',', text);
      used += needed;
    }
  }
  return lists;
}

/// A host is written without its prefix.
std::string address_of(const nettune::firewall::rules::Network& peer) {
  const std::string text = nettune::firewall::rules::text_of(peer);
  const std::string_view whole = peer.ipv6 ? "/128" : "/32";
  return text.ends_with(whole) ? text.substr(0, text.size() - whole.size()) : text;
}

std::string text_of(const UfwRule& rule) {
  if (rule.outgoing)
    return cat("allow out on ", rule.interface, " from any to ", rule.peer, " port ", rule.ports,
               " proto ", rule.protocol);
  return cat("allow in on ", rule.interface, " from ", rule.peer, " to any port ", rule.ports,
             " proto ", rule.protocol);
}

Result<std::vector<nettune::firewall::rules::PortRange>> parse_ports(std::string_view text) {
  std::vector<nettune::firewall::rules::PortRange> ranges;
  for (const std::string_view part : split(text, ',')) {
    std::string port(part);
    std::ranges::replace(port, ':', '-');
    TRY_ASSIGN(const nettune::firewall::rules::PortRange range,
               nettune::firewall::rules::parse_port_range(port));
    ranges.push_back(range);
  }
  return ranges;
}

/// The allow rule with this one ufw rule, as far as the words can be understood.
Result<nettune::firewall::rules::Opening> understood(const std::vector<std::string_view>& word) {
  if (word.size() != 12) return fail(Errc::invalid, "a ufw rule has twelve words");
  nettune::firewall::rules::Opening opening;
  opening.outgoing = word[1] == "out";
  TRY_ASSIGN(const nettune::firewall::rules::Network peer,
             nettune::firewall::rules::parse_network(word[opening.outgoing ? 7 : 5]));
  TRY_ASSIGN(opening.ports, parse_ports(word[9]));
  opening.ipv6 = peer.ipv6;
  opening.peers = {peer};
  opening.interfaces = {std::string(word[3])};
  opening.protocol = word[11] == "udp" ? nettune::firewall::rules::Protocol::udp
                                       : nettune::firewall::rules::Protocol::tcp;
  return opening;
}

}  // namespace

std::vector<std::string> ufw_rules(const nettune::firewall::rules::Opening& opening) {
  if (opening.ports.empty() || opening.answers) return {};
  const std::string protocol(nettune::firewall::rules::kProtocols.word(opening.protocol));
  const auto lists = port_lists(opening.ports);
  std::vector<std::string> rules;
  for (const std::string& interface : opening.interfaces)
    for (const nettune::firewall::rules::Network& peer : opening.peers)
      for (const std::string& ports : lists)
        rules.push_back(text_of(
            UfwRule{opening.ipv6, interface, address_of(peer), ports, protocol, opening.outgoing}));
  return rules;
}

Result<UfwRule> parse_ufw_rule(std::string_view text) {
  const auto word = split(text, ' ');
  const auto opening = understood(word);
  // ufw sorts ports itself.
  if (opening && is_ufw_interface(word[3]) &&
      opening->ports == nettune::firewall::rules::merged(opening->ports) &&
      ufw_rules(*opening) == std::vector<std::string>{std::string(text)})
    return UfwRule{opening->ipv6,        std::string(word[3]),  address_of(opening->peers.front()),
                   std::string(word[9]), std::string(word[11]), opening->outgoing};
  return fail(Errc::invalid, cat("'", printable(text.substr(0, 200)),
                                 "' is not a ufw rule of nettune; an example: allow in on "
                                 "eth1 from 10.10.0.0/16 to any port 29500 proto tcp"));
}

Result<nettune::firewall::rules::Opening> ufw_opening(std::string_view text) {
  TRY(parse_ufw_rule(text));
  return understood(split(text, ' '));
}

std::string tuple_of(const UfwRule& rule) {
  const std::string_view any = rule.ipv6 ? "::/0" : "0.0.0.0/0";
  if (rule.outgoing)
    return cat(rule.protocol, ' ', rule.ports, ' ', rule.peer, " any ", any, " out_",
               rule.interface);
  return cat(rule.protocol, ' ', rule.ports, ' ', any, " any ", rule.peer, " in_", rule.interface);
}

std::string ufw_rules_file(bool ipv6) { return cat("/etc/ufw/user", ipv6 ? "6" : "", ".rules"); }

std::map<std::string, std::string, std::less<>> ufw_actions(std::string_view file) {
  std::map<std::string, std::string, std::less<>> actions;
  for (const std::string_view line : split(file, '\n')) {
    if (!line.starts_with(kTuple)) continue;
    std::string_view tuple = line.substr(kTuple.size());
    tuple = trim(tuple.substr(0, tuple.find(kComment)));
    const std::size_t blank = tuple.find(' ');
    if (blank != tuple.npos) actions.emplace(tuple.substr(blank + 1), tuple.substr(0, blank));
  }
  return actions;
}

std::vector<std::string> ufw_rules_with(std::string_view file, std::string_view comment) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : comment) {
    const auto byte = static_cast<unsigned char>(c);
    hex += {kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  std::vector<std::string> rules;
  for (const std::string_view line : split(file, '\n')) {
    const auto word = words(line.substr(std::min(kTuple.size(), line.size())));
    if (!line.starts_with(kTuple) || word.size() != 8 || word[0] != "allow" ||
        word[7] != cat(trim(kComment), hex) || word[6].find('_') == std::string_view::npos)
      continue;
    UfwRule rule;
    rule.outgoing = word[6].starts_with("out_");
    rule.protocol = word[1];
    rule.ports = word[2];
    rule.peer = word[rule.outgoing ? 3 : 5];
    rule.interface = word[6].substr(word[6].find('_') + 1);
    std::string text = text_of(rule);
    if (parse_ufw_rule(text)) rules.push_back(std::move(text));
  }
  return rules;
}

bool is_ufw_interface(std::string_view name) {
  // ufw/common.py allows more characters; a '+' at the end is a wildcard to iptables.
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '@';
  };
  return !name.empty() && name.size() < IFNAMSIZ && std::ranges::all_of(name, good) &&
         name.front() != '-' && name != "." && name != "..";
}

}  // namespace nettune::kinds::firewall
