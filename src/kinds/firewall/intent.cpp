// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/intent.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "profile/compose.hpp"
#include "profile/schema.hpp"

namespace nettune::kinds::firewall {
namespace {

using nettune::firewall::rules::Network;
using nettune::firewall::rules::Opening;
using nettune::firewall::rules::PortRange;
using nettune::firewall::rules::Protocol;

/// In a job of a thousand ranks each rank connects to each other, and each end takes a port.
constexpr int kFewestPorts = 16384;
/// fe80::/10, where neighbour solicitations may come from, and ff02::1:ff00:0/104 of RFC 4291,
/// where they go.
constexpr Network kLinkLocal{true, {0xFE, 0x80}, 10};
constexpr Network kSolicitedNodes{true, {0xFF, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0xFF}, 104};
/// UDP port of RoCEv2 (IANA, roce).
constexpr PortRange kRocePort{4791, 4791};

template <class T>
Result<T> at(const Origin& origin, const std::string& what, Result<T> result) {
  if (result) return result;
  return toml::fail_at(origin, cat(what, ": ", result.error().text), result.error().code);
}

/// Reads one CIDR a line; '#' begins a comment.
Result<> add_peers_of(const std::string& path, const std::string& text,
                      std::vector<Network>& peers) {
  int line = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++line;
    const std::string_view cidr = trim(raw.substr(0, raw.find('#')));
    if (cidr.empty()) continue;
    auto network = nettune::firewall::rules::parse_network(cidr);
    if (!network) return toml::fail_at({path, line}, network.error().text);
    peers.push_back(*network);
  }
  return {};
}

/// The keys of one [firewall.SET].
class FirewallKeys {
 public:
  FirewallKeys(const profile::Merged& merged, const profile::Expander& expander,
               const profile::ReadFile& read_peers, std::string set)
      : merged_(merged), expander_(expander), read_peers_(read_peers), set_(std::move(set)) {}

  Result<FirewallIntent> read() {
    TRY(read_peers());
    const auto mode = text("mode");
    if (!mode) return fail(mode.error());
    intent_.restricts = *mode == "restrict";
    TRY_ASSIGN(intent_.backend, text("backend"));
    TRY_ASSIGN(intent_.tcp, ports("tcp"));
    TRY_ASSIGN(intent_.udp, ports("udp"));
    TRY(read_ephemeral());
    TRY_ASSIGN(const bool rdma, flag("rdma"));
    if (rdma) intent_.udp.push_back(kRocePort);
    TRY_ASSIGN(intent_.icmp, flag("icmp"));
    TRY_ASSIGN(const Found outgoing, find("outgoing"));
    intent_.outgoing = outgoing.item == nullptr || outgoing.value.boolean;
    intent_.tcp = nettune::firewall::rules::merged(std::move(intent_.tcp));
    intent_.udp = nettune::firewall::rules::merged(std::move(intent_.udp));
    TRY(check());
    return std::move(intent_);
  }

 private:
  struct Found {
    const profile::Item* item = nullptr;  ///< null if the profile does not have the key
    toml::Node value;
  };

  Result<Found> find(std::string_view key) const {
    const profile::Item* const item = merged_.find(cat("firewall:", set_, ':', key));
    if (item == nullptr) return Found{};
    TRY_ASSIGN(const profile::Expanded expanded, expander_.expand(item->value));
    TRY(profile::validate_value(expanded.node, item->path, profile::label(*item)));
    return Found{item, expanded.node};
  }

  Result<std::string> text(std::string_view key) const {
    TRY_ASSIGN(const Found found, find(key));
    return found.value.text;
  }

  Result<bool> flag(std::string_view key) const {
    TRY_ASSIGN(const Found found, find(key));
    return found.value.boolean;
  }

  Result<> read_peers() {
    TRY_ASSIGN(const Found found, find("peers"));
    if (found.item == nullptr)
      return toml::fail_at(merged_.with_prefix(cat("firewall:", set_, ':')).front()->value.origin,
                           cat("[firewall.", set_,
                               "] needs peers: the allowed networks, as \"10.10.0.0/16\", "
                               "a list of these, or { file = \"/PATH\" }"));
    intent_.origin = found.value.origin;
    const std::string what = profile::label(*found.item);
    if (const toml::Node* const file = found.value.find("file")) {
      if (!file->text.starts_with('/'))
        return toml::fail_at(
            file->origin,
            cat(what, ": the path \"", printable(file->text.substr(0, 200)), "\" is not absolute"));
      TRY_ASSIGN(const std::string lines, read_peers_(file->text, file->origin));
      TRY(add_peers_of(file->text, lines, intent_.peers));
    }
    for (const toml::Node* const node : texts_of(found.value)) {
      TRY_ASSIGN(const Network network,
                 at(node->origin, what, nettune::firewall::rules::parse_network(node->text)));
      intent_.peers.push_back(network);
    }
    intent_.peers = nettune::firewall::rules::merged(std::move(intent_.peers));
    if (intent_.peers.empty())
      return toml::fail_at(intent_.origin, cat(what, " is empty; add at least one network"));
    return {};
  }

  /// The value itself, or the members of a list.
  static std::vector<const toml::Node*> texts_of(const toml::Node& value) {
    std::vector<const toml::Node*> nodes;
    if (value.is(toml::Node::Kind::array))
      for (const toml::Node& item : value.items) nodes.push_back(&item);
    else if (!value.is(toml::Node::Kind::table))
      nodes.push_back(&value);
    return nodes;
  }

  Result<std::vector<PortRange>> ports(std::string_view key) const {
    std::vector<PortRange> ranges;
    TRY_ASSIGN(const Found found, find(key));
    if (found.item == nullptr) return ranges;
    for (const toml::Node* const node : texts_of(found.value)) {
      const std::string text =
          node->is(toml::Node::Kind::integer) ? std::to_string(node->integer) : node->text;
      TRY_ASSIGN(const PortRange range, at(node->origin, profile::label(*found.item),
                                           nettune::firewall::rules::parse_port_range(text)));
      ranges.push_back(range);
    }
    return ranges;
  }

  Result<> read_ephemeral() {
    TRY_ASSIGN(const std::vector<PortRange> ranges, ports("ephemeral"));
    if (ranges.empty()) return {};
    TRY_ASSIGN(const Found found, find("ephemeral"));
    TRY_ASSIGN(const bool narrow, flag("narrow"));
    const PortRange range = ranges.front();
    intent_.ephemeral_origin = found.value.origin;
    const int count = range.last - range.first + 1;
    if (count < kFewestPorts && !narrow)
      return toml::fail_at(found.value.origin,
                           cat(profile::label(*found.item), ": ", found.value.text, " has only ",
                               count, count == 1 ? " port" : " ports", ", and large jobs need ",
                               kFewestPorts, " or more; if it is intended, add narrow = true"));
    intent_.ephemeral = range;
    intent_.tcp.push_back(range);
    return {};
  }

  Result<> check() const {
    const auto refuse = [&](std::string_view why) {
      return toml::fail_at(intent_.origin, cat("[firewall.", set_, "] ", why));
    };
    if (intent_.tcp.empty() && intent_.udp.empty() && !intent_.icmp)
      return refuse("allows nothing; add tcp, udp, ephemeral, rdma or icmp");
    if (!intent_.restricts) return {};
    if (intent_.tcp.empty() && intent_.udp.empty())
      return refuse("has no ports for mode = \"restrict\" to close; add tcp or udp");
    if (std::ranges::any_of(intent_.peers, [](const Network& peer) { return peer.prefix == 0; }))
      return refuse("allows all addresses as peers, so mode = \"restrict\" would close nothing");
    return {};
  }

  const profile::Merged& merged_;
  const profile::Expander& expander_;
  const profile::ReadFile& read_peers_;
  std::string set_;
  FirewallIntent intent_;
};

std::vector<Network> of_family(const std::vector<Network>& networks, bool ipv6) {
  std::vector<Network> found;
  std::ranges::copy_if(networks, std::back_inserter(found),
                       [&](const Network& network) { return network.ipv6 == ipv6; });
  return found;
}

}  // namespace

Result<std::map<std::string, FirewallIntent>> firewall_intents(
    const profile::Merged& merged, const profile::Expander& expander,
    const profile::ReadFile& read_peers) {
  std::map<std::string, FirewallIntent> intents;
  for (const profile::Item* const item : merged.with_prefix("firewall:")) {
    const std::string set = item->section.substr(item->section.find('.') + 1);
    if (intents.contains(set)) continue;
    TRY_ASSIGN(FirewallIntent intent, FirewallKeys(merged, expander, read_peers, set).read());
    intents.emplace(set, std::move(intent));
  }
  return intents;
}

std::vector<NamedOpening> accepted(const std::string& set, const FirewallIntent& intent,
                                   const std::vector<std::string>& interfaces) {
  std::vector<NamedOpening> openings;
  for (const bool ipv6 : {false, true}) {
    const std::vector<Network> peers = of_family(intent.peers, ipv6);
    if (peers.empty()) continue;
    const auto add = [&](std::string_view name, Protocol protocol, std::vector<PortRange> ports) {
      openings.push_back(
          {cat(set, '-', name, ipv6 ? '6' : '4'),
           {Opening::Effect::accept, ipv6, protocol, std::move(ports), peers, interfaces}});
    };
    if (!intent.tcp.empty()) add("tcp", Protocol::tcp, intent.tcp);
    if (!intent.udp.empty()) add("udp", Protocol::udp, intent.udp);
    if (intent.icmp) add("icmp", ipv6 ? Protocol::icmpv6 : Protocol::icmp, {});
  }
  return openings;
}

std::vector<NamedOpening> sent(const std::string& set, const FirewallIntent& intent,
                               const std::vector<std::string>& interfaces) {
  std::vector<NamedOpening> openings;
  if (!intent.outgoing) return openings;
  for (NamedOpening& each : accepted(cat(set, "-out"), intent, interfaces)) {
    if (each.opening.ports.empty()) continue;
    each.opening.outgoing = true;
    openings.push_back(std::move(each));
  }
  return openings;
}

std::vector<NamedOpening> sent_along(const std::string& set, const FirewallIntent& intent,
                                     const std::vector<std::string>& interfaces) {
  std::vector<NamedOpening> openings;
  if (!intent.outgoing) return openings;
  for (const bool outgoing : {true, false}) {
    for (NamedOpening& each :
         accepted(cat(set, outgoing ? "-out-answers" : "-answers"), intent, interfaces)) {
      if (each.opening.ports.empty()) continue;
      each.opening.outgoing = outgoing;
      each.opening.answers = true;
      openings.push_back(std::move(each));
    }
  }
  for (const bool ipv6 : {false, true}) {
    std::vector<Network> peers = of_family(intent.peers, ipv6);
    if (peers.empty() || (!ipv6 && !intent.icmp)) continue;
    if (ipv6) peers.insert(peers.end(), {kLinkLocal, kSolicitedNodes});
    Opening opening{Opening::Effect::accept,
                    ipv6,
                    ipv6 ? Protocol::icmpv6 : Protocol::icmp,
                    {},
                    nettune::firewall::rules::merged(std::move(peers)),
                    interfaces};
    opening.outgoing = true;
    openings.push_back({cat(set, "-out-icmp", ipv6 ? '6' : '4'), std::move(opening)});
  }
  return openings;
}

std::vector<NamedOpening> dropped(const std::string& set, const FirewallIntent& intent,
                                  const std::vector<std::string>& interfaces) {
  std::vector<NamedOpening> openings;
  if (!intent.restricts) return openings;
  for (const bool ipv6 : {false, true}) {
    const auto add = [&](std::string_view name, Protocol protocol,
                         const std::vector<PortRange>& ports) {
      if (!ports.empty())
        openings.push_back({cat(set, '-', name, ipv6 ? '6' : '4'),
                            {Opening::Effect::drop_others, ipv6, protocol, ports,
                             of_family(intent.peers, ipv6), interfaces}});
    };
    add("tcp", Protocol::tcp, intent.tcp);
    add("udp", Protocol::udp, intent.udp);
  }
  return openings;
}

}  // namespace nettune::kinds::firewall
