// SPDX-License-Identifier: Apache-2.0
#include "firewall/rules/opening.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <optional>
#include <span>
#include <sys/socket.h>

#include "base/interface_name.hpp"
#include "base/text.hpp"

namespace nettune::firewall::rules {
namespace {

int bits_of(const Network& network) { return network.ipv6 ? 128 : 32; }

bool bit_at(const Network& network, int bit) {
  const auto byte = network.address[static_cast<std::size_t>(bit / 8)];
  return (byte >> (7 - bit % 8) & 1) != 0;
}

void clear_bit(Network& network, int bit) {
  auto& byte = network.address[static_cast<std::size_t>(bit / 8)];
  byte = static_cast<std::uint8_t>(byte & ~(1U << (7 - bit % 8)));
}

bool contains(const Network& outer, const Network& inner) {
  if (outer.ipv6 != inner.ipv6 || outer.prefix > inner.prefix) return false;
  for (int bit = 0; bit < outer.prefix; ++bit) {
    if (bit_at(outer, bit) != bit_at(inner, bit)) return false;
  }
  return true;
}

/// The network one bit wider, if `left` and `right` are its two halves.
std::optional<Network> joined(const Network& left, const Network& right) {
  if (left.ipv6 != right.ipv6 || left.prefix != right.prefix || left.prefix == 0) {
    return std::nullopt;
  }
  Network wide = left;
  wide.prefix -= 1;
  clear_bit(wide, wide.prefix);
  if (!contains(wide, right) || left == right) return std::nullopt;
  return wide;
}

bool has_ports(Protocol protocol) { return protocol == Protocol::tcp || protocol == Protocol::udp; }

template <class T, class Text>
std::string list_of(const std::vector<T>& items, const Text& text) {
  std::string out;
  for (const T& item : items) {
    if (!out.empty()) out += ',';
    out += text(item);
  }
  return out;
}

std::string text_of_ports(const PortRange& range) {
  return range.first == range.last ? cat(range.first) : cat(range.first, "-", range.last);
}

Failure wrong(std::string_view text, std::string_view why) {
  return fail(Errc::invalid, cat("'", printable(text), "' is not a valid firewall rule: ", why));
}

/// The words of a rule, read from the left.
class Words {
 public:
  explicit Words(std::string_view text) : words_(split(text, ' ')) {}

  bool take(std::string_view word) {
    if (at_ >= words_.size() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  std::string_view next() { return at_ < words_.size() ? words_[at_++] : std::string_view(); }
  bool done() const { return at_ == words_.size(); }

 private:
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

Result<std::vector<Network>> parse_peers(std::string_view list) {
  std::vector<Network> peers;
  for (const auto item : split(list, ',')) {
    TRY_ASSIGN(const Network network, parse_network(item));
    peers.push_back(network);
  }
  return merged(std::move(peers));
}

}  // namespace

Result<Network> parse_network(std::string_view text) {
  const auto wrong_network = [&](std::string_view why) {
    return fail(Errc::invalid,
                cat("'", printable(text), "' is not a valid network: ", why,
                    "; write an address or a prefix like 10.10.0.0/16 or fd00:10::/64"));
  };
  const std::size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  Network network;
  network.ipv6 = address.find(':') != std::string::npos;
  // inet_pton() reads up to a NUL.
  if (address.find('\0') != std::string::npos ||
      inet_pton(network.ipv6 ? AF_INET6 : AF_INET, address.c_str(), network.address.data()) != 1) {
    return wrong_network(cat("'", printable(address), "' is not a valid address"));
  }
  network.prefix = bits_of(network);
  if (slash != std::string_view::npos) {
    const auto digits = text.substr(slash + 1);
    const auto prefix = parse_int(digits);
    if (!prefix || *prefix < 0 || *prefix > network.prefix || cat(*prefix) != digits) {
      return wrong_network(cat("the prefix length '", printable(digits),
                               "' is not a number from 0 to ", bits_of(network)));
    }
    network.prefix = static_cast<int>(*prefix);
  }
  Network whole = network;
  for (int bit = network.prefix; bit < bits_of(network); ++bit) clear_bit(whole, bit);
  if (whole != network) {
    return wrong_network(cat("host bits are set; the network is ", text_of(whole)));
  }
  return network;
}

std::string text_of(const Network& network) {
  char address[INET6_ADDRSTRLEN] = {};
  inet_ntop(network.ipv6 ? AF_INET6 : AF_INET, network.address.data(), address, sizeof(address));
  if (network.prefix == bits_of(network)) return address;
  return cat(address, "/", network.prefix);
}

std::vector<Network> merged(std::vector<Network> networks) {
  std::sort(networks.begin(), networks.end());
  // In this order a network directly follows the ones that contain it or are its lower half. Each
  // join can make another one possible.
  std::vector<Network> out;
  for (const Network& network : networks) {
    if (!out.empty() && contains(out.back(), network)) continue;
    out.push_back(network);
    while (out.size() >= 2) {
      const auto wide = joined(out[out.size() - 2], out.back());
      if (!wide) break;
      out.resize(out.size() - 2);
      out.push_back(*wide);
    }
  }
  return out;
}

Result<PortRange> parse_port_range(std::string_view text) {
  const auto port = [](std::string_view digits) -> std::optional<std::uint16_t> {
    const auto value = parse_int(digits);
    if (!value || *value < 1 || *value > 65535 || cat(*value) != digits) return std::nullopt;
    return static_cast<std::uint16_t>(*value);
  };
  const std::size_t dash = text.find('-');
  const auto first = port(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : port(text.substr(dash + 1));
  if (!first || !last || *first > *last) {
    return fail(Errc::invalid,
                cat("'", printable(text),
                    "' is not a valid port or port range; write a number from 1 to 65535, "
                    "or two with the smaller one first, like 29500-29510"));
  }
  return PortRange{*first, *last};
}

std::vector<PortRange> merged(std::vector<PortRange> ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::vector<PortRange> out;
  for (const PortRange& range : ranges) {
    if (!out.empty() && range.first <= out.back().last + 1) {
      out.back().last = std::max(out.back().last, range.last);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

std::uint8_t number_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::tcp:
      return IPPROTO_TCP;
    case Protocol::udp:
      return IPPROTO_UDP;
    case Protocol::icmp:
      return IPPROTO_ICMP;
    case Protocol::icmpv6:
      return IPPROTO_ICMPV6;
  }
  return 0;
}

std::string text_of(const Opening& opening) {
  const bool accepts = opening.effect == Opening::Effect::accept;
  std::string text = cat(accepts ? "accept " : "drop ", kProtocols.word(opening.protocol));
  if (opening.answers) text += " answers of";
  if (!opening.ports.empty()) text += cat(" ", list_of(opening.ports, text_of_ports));
  text += opening.outgoing ? " to " : " from ";
  const auto network_text = [](const Network& network) { return text_of(network); };
  if (!opening.peers.empty()) {
    text += cat(accepts ? "" : "all but ", list_of(opening.peers, network_text));
  } else {
    text += opening.ipv6 ? "all IPv6" : "all IPv4";
  }
  text += cat(opening.outgoing ? " out " : " in ", join(opening.interfaces, ","));
  return text;
}

Result<Opening> parse_opening(std::string_view text) {
  Opening opening;
  Words words(text);
  const bool accepts = words.take("accept");
  if (!accepts && !words.take("drop")) return wrong(text, "it must begin with accept or drop");
  opening.effect = accepts ? Opening::Effect::accept : Opening::Effect::drop_others;

  const auto word = words.next();
  const auto protocol = kProtocols.value(word);
  if (!protocol) {
    return wrong(text, "its second word must be tcp, udp, icmp or icmpv6");
  }
  opening.protocol = *protocol;
  if (has_ports(opening.protocol)) {
    opening.answers = accepts && words.take("answers");
    if (opening.answers && !words.take("of"))
      return wrong(text, "'answers' must be followed by 'of'");
    for (const auto item : split(words.next(), ',')) {
      TRY_ASSIGN(const PortRange range, parse_port_range(item));
      opening.ports.push_back(range);
    }
    opening.ports = merged(std::move(opening.ports));
    if (opening.ports.empty()) return wrong(text, "it has no ports");
  } else if (!accepts) {
    return wrong(text, "only tcp and udp can be dropped");
  }

  opening.outgoing = accepts && words.take("to");
  if (!opening.outgoing && !words.take("from")) {
    return wrong(text, "protocol and ports must be followed by 'from' or 'to'");
  }
  if (!accepts && words.take("all")) {
    if (words.take("IPv6")) {
      opening.ipv6 = true;
    } else if (words.take("but")) {
      TRY_ASSIGN(opening.peers, parse_peers(words.next()));
      if (opening.peers.empty()) return wrong(text, "'all but' must be followed by networks");
    } else if (!words.take("IPv4")) {
      return wrong(text, "'all' must be followed by 'but', 'IPv4' or 'IPv6'");
    }
  } else if (accepts) {
    TRY_ASSIGN(opening.peers, parse_peers(words.next()));
    if (opening.peers.empty()) return wrong(text, "'from' or 'to' must be followed by networks");
  } else {
    return wrong(text, "a drop rule must say 'from all'");
  }
  if (!opening.peers.empty()) opening.ipv6 = opening.peers.front().ipv6;
  if (opening.peers.size() > 1 && opening.peers.back().ipv6 != opening.ipv6) {
    return wrong(text, "its networks are of two families; a rule has only one");
  }
  if ((opening.protocol == Protocol::icmp && opening.ipv6) ||
      (opening.protocol == Protocol::icmpv6 && !opening.ipv6)) {
    return wrong(text, "icmp needs IPv4 networks, icmpv6 needs IPv6 networks");
  }

  if (!words.take(opening.outgoing ? "out" : "in")) {
    return wrong(text, "networks must be followed by 'in', or by 'out' after 'to'");
  }
  for (const auto name : split(words.next(), ',')) {
    if (const auto good = check_interface_name(name); !good) return wrong(text, good.error().text);
    opening.interfaces.emplace_back(name);
  }
  std::sort(opening.interfaces.begin(), opening.interfaces.end());
  const auto twice = std::unique(opening.interfaces.begin(), opening.interfaces.end());
  opening.interfaces.erase(twice, opening.interfaces.end());
  if (opening.interfaces.empty()) return wrong(text, "it has no interface");
  if (!words.done()) return wrong(text, "there is text after the interfaces");
  return opening;
}

}  // namespace nettune::firewall::rules
