// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/firewalld_rule.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::kinds::firewall {
namespace {

constexpr std::size_t kMaxZoneBytes = 64;

std::string begin_of(bool ipv6) {
  return cat("rule priority=\"", kFirewalldPriority, "\" family=\"", ipv6 ? "ipv6" : "ipv4", '"');
}

/// A rule for all peers has no source: firewalld makes an address match of any source.
std::string source(const nettune::firewall::rules::Network& peer) {
  return peer.prefix == 0 ? ""
                          : cat(" source address=\"", nettune::firewall::rules::text_of(peer), '"');
}

std::string ports_of(const nettune::firewall::rules::PortRange& range) {
  return range.first == range.last ? cat(range.first) : cat(range.first, '-', range.last);
}

/// The part after the source.
std::vector<std::string> ends_of(const nettune::firewall::rules::Opening& opening) {
  if (opening.protocol == nettune::firewall::rules::Protocol::icmp)
    return {" protocol value=\"icmp\" accept"};
  if (opening.protocol == nettune::firewall::rules::Protocol::icmpv6)
    return {" protocol value=\"ipv6-icmp\" accept"};
  const std::string_view protocol = nettune::firewall::rules::kProtocols.word(opening.protocol);
  std::vector<std::string> ends;
  for (const nettune::firewall::rules::PortRange& range : opening.ports)
    ends.push_back(cat(" port port=\"", ports_of(range), "\" protocol=\"", protocol, "\" accept"));
  return ends;
}

/// Takes `prefix`, the text up to the next quote, and the quote.
std::string_view quoted_behind(std::string_view& rest, std::string_view prefix) {
  if (!rest.starts_with(prefix)) return {};
  const std::size_t end = rest.find('"', prefix.size());
  if (end == rest.npos) return {};
  const std::string_view value = rest.substr(prefix.size(), end - prefix.size());
  rest.remove_prefix(end + 1);
  return value;
}

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\n' && c != '\t' && c != '\r') out += c;
  return out;
}

/// The parsed text, as far as it can be understood; generating it again decides.
Result<nettune::firewall::rules::Opening> understood(std::string_view text) {
  nettune::firewall::rules::Opening opening;
  opening.ipv6 = text.starts_with(begin_of(true));
  std::string_view rest = text.substr(std::min(text.size(), begin_of(opening.ipv6).size()));
  nettune::firewall::rules::Network everybody;
  everybody.ipv6 = opening.ipv6;
  opening.peers = {everybody};
  if (const auto address = quoted_behind(rest, " source address=\""); !address.empty()) {
    TRY_ASSIGN(opening.peers.front(), nettune::firewall::rules::parse_network(address));
    if (opening.peers.front().ipv6 != opening.ipv6)
      return fail(Errc::invalid, "the address is of the other family");
  }
  if (const auto port = quoted_behind(rest, " port port=\""); !port.empty()) {
    TRY_ASSIGN(const nettune::firewall::rules::PortRange range,
               nettune::firewall::rules::parse_port_range(port));
    opening.ports = {range};
    opening.protocol = rest.starts_with(" protocol=\"udp\"")
                           ? nettune::firewall::rules::Protocol::udp
                           : nettune::firewall::rules::Protocol::tcp;
  } else {
    opening.protocol = opening.ipv6 ? nettune::firewall::rules::Protocol::icmpv6
                                    : nettune::firewall::rules::Protocol::icmp;
  }
  return opening;
}

}  // namespace

std::vector<std::string> firewalld_rules(const nettune::firewall::rules::Opening& opening) {
  std::vector<std::string> rules;
  const auto ends = ends_of(opening);
  for (const nettune::firewall::rules::Network& peer : opening.peers)
    for (const std::string& end : ends)
      rules.push_back(cat(begin_of(opening.ipv6), source(peer), end));
  return rules;
}

Result<> check_firewalld_rule(std::string_view text) {
  const auto opening = understood(text);
  if (opening && firewalld_rules(*opening) == std::vector<std::string>{std::string(text)})
    return {};
  return fail(Errc::invalid, cat("'", printable(text.substr(0, 200)),
                                 "' is not a rich rule of nettune; an example: rule priority=\"",
                                 kFirewalldPriority,
                                 "\" family=\"ipv4\" source address=\"10.10.0.0/16\" port "
                                 "port=\"29500\" protocol=\"tcp\" accept"));
}

std::string firewalld_zone_file(std::string_view zone) {
  return cat("/etc/firewalld/zones/", zone, ".xml");
}

Result<nettune::firewall::rules::Opening> firewalld_opening(std::string_view text) {
  TRY(check_firewalld_rule(text));
  return understood(text);
}

bool zone_file_has(std::string_view xml, std::string_view rule) {
  // zone_writer(), firewall/core/io/zone.py: an element for each part of the rule, with the same
  // attributes in the same order, except those of the rule itself.
  std::string block(rule);
  const auto replace = [&](std::string_view what, std::string_view by) {
    if (const std::size_t at = block.find(what); at != std::string::npos)
      block.replace(at, what.size(), by);
  };
  for (const bool ipv6 : {false, true})
    replace(begin_of(ipv6), cat("<rule family=\"", ipv6 ? "ipv6" : "ipv4", "\" priority=\"",
                                kFirewalldPriority, '"'));
  replace("\" source ", "\"><source ");
  for (const std::string_view element : {"port port", "protocol value"})
    replace(cat("\" ", element),
            cat(block.find("<source") == block.npos ? "\"><" : "\"/><", element));
  replace("\" accept", "\"/><accept/></rule>");
  return without_blanks(xml).find(without_blanks(block)) != std::string::npos;
}

bool is_firewalld_zone(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  };
  return !name.empty() && name.size() <= kMaxZoneBytes && std::ranges::all_of(name, good) &&
         std::ranges::count(name, '/') <= 1 && name.front() != '/' && name.back() != '/' &&
         name.front() != '.' && name.find("/.") == name.npos;
}

}  // namespace nettune::kinds::firewall
