// SPDX-License-Identifier: Apache-2.0
#include "node/confirm/probe.hpp"

#include <algorithm>
#include <net/if.h>
#include <optional>

#include "base/interface_name.hpp"
#include "base/text.hpp"
#include "kernel/command.hpp"
#include "kernel/rtnl.hpp"

namespace nettune::node::confirm {

namespace {

constexpr std::uint32_t kMainTable = 254;  // RT_TABLE_MAIN

Failure wrong(const std::string& text, std::string_view why) {
  return fail(Errc::invalid,
              cat("--probe ", printable(text), ": ", why,
                  "; it takes path:PEER, path:PEER%INTERFACE, gateway, tcp:HOST:PORT or "
                  "command:/PATH"));
}

bool is_host(std::string_view text) {
  return !text.empty() && !text.starts_with('-') && !has_control_characters(text) &&
         text.find_first_of(" /%") == text.npos;
}

Result<Probe> parse_path(Probe probe, std::string_view rest) {
  const std::size_t percent = rest.find('%');
  probe.kind = Probe::Kind::path;
  probe.peer.address = rest.substr(0, percent);
  if (percent != rest.npos) {
    probe.peer.interface = rest.substr(percent + 1);
    if (!check_interface_name(probe.peer.interface))
      return wrong(probe.text, "the text after % is not a valid interface name");
  }
  if (!is_host(probe.peer.address))
    return wrong(probe.text, "the host is neither an address nor a valid name");
  return probe;
}

/// HOST:PORT or [ADDRESS]:PORT.
Result<Probe> parse_tcp(Probe probe, std::string_view rest) {
  const std::size_t colon = rest.rfind(':');
  const auto port = parse_int(rest.substr(colon == rest.npos ? rest.size() : colon + 1));
  if (colon == rest.npos || !port || *port < 1 || *port > 65535)
    return wrong(probe.text, "the port is missing or not a number from 1 to 65535");
  std::string_view host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (!is_host(host)) return wrong(probe.text, "the host is neither an address nor a valid name");
  probe.kind = Probe::Kind::tcp;
  probe.peer.address = host;
  probe.port = static_cast<std::uint16_t>(*port);
  return probe;
}

Result<Probe> parse_command(Probe probe, std::string_view rest) {
  probe.kind = Probe::Kind::command;
  for (const std::string_view word : words(rest)) probe.words.emplace_back(word);
  if (probe.words.empty() || !probe.words.front().starts_with('/'))
    return wrong(probe.text, "a command needs its absolute path (it runs without a shell)");
  return probe;
}

struct Way {
  std::string name;
  std::uint32_t mtu = 0;
};

Result<Way> way_to(const kernel::Peer& peer) {
  TRY_ASSIGN(const auto links, kernel::dump_links());
  const auto named = [&](const auto& key, auto member) -> const kernel::Link* {
    const auto found = std::ranges::find(links, key, member);
    return found == links.end() ? nullptr : &*found;
  };
  // This holds with an interface too: the node answers its own addresses itself.
  const bool has_zone = peer.address.starts_with("fe80:");
  TRY_ASSIGN(const int ifindex, has_zone ? Result<int>(0) : kernel::route_device(peer.address));
  const kernel::Link* const routed = named(ifindex, &kernel::Link::ifindex);
  if (routed && (routed->flags & IFF_LOOPBACK) != 0)
    return fail(Errc::invalid, "the peer is this node itself");
  const kernel::Link* const way =
      peer.interface.empty() ? routed : named(peer.interface, &kernel::Link::name);
  if (way) return Way{way->name, way->mtu};
  if (peer.interface.empty())
    return fail(Errc::not_found, cat("there is no route to ", peer.address));
  return fail(Errc::not_found, cat("there is no interface ", printable(peer.interface)));
}

Result<std::string> try_path(const Probe& probe, int timeout_ms) {
  TRY_ASSIGN(const Way way, way_to(probe.peer));
  const std::size_t bytes =
      std::clamp<std::size_t>(way.mtu, kernel::kSmallestEcho, kernel::kLargestEcho);
  if (auto done = kernel::echo(probe.peer, bytes, timeout_ms); !done)
    return fail_in(cat("by ", way.name), std::move(done).error());
  return cat(probe.peer.address, " answered a packet of ", bytes, " bytes (", way.name, ")");
}

Result<std::string> try_gateway(int timeout_ms) {
  TRY_ASSIGN(auto routes, kernel::dump_routes());
  std::erase_if(routes, [](const kernel::Route& route) {
    return !route.is_default || route.table != kMainTable || route.gateway.empty() ||
           route.ifindexes.empty();
  });
  if (routes.empty()) return fail(Errc::not_found, "there is no default gateway");
  const auto best = std::ranges::min_element(routes, {}, &kernel::Route::priority);
  TRY_ASSIGN(const auto links, kernel::dump_links());
  const auto link = std::ranges::find(links, best->ifindexes.front(), &kernel::Link::ifindex);
  const kernel::Peer peer{best->gateway, link == links.end() ? "" : link->name};
  if (auto done = kernel::echo(peer, kernel::kSmallestEcho, timeout_ms); !done)
    return fail_in(best->gateway, std::move(done).error());
  return cat(best->gateway, " answered");
}

Result<std::string> try_tcp(const Probe& probe, int timeout_ms) {
  TRY(kernel::connect_tcp(probe.peer, probe.port, timeout_ms));
  return cat(probe.peer.address, " accepted a connection to port ", probe.port);
}

Result<std::string> try_command(const Probe& probe, int timeout_ms) {
  TRY_ASSIGN(const int status, kernel::run_command({probe.words, "", timeout_ms}));
  if (status != 0) return fail(Errc::io, cat("it exited with ", status));
  return cat(printable(probe.words.front()), " exited with 0");
}

}  // namespace

Result<Probe> parse_probe(const std::string& text) {
  Probe probe;
  probe.text = text;
  const std::string_view all = text;
  if (all == "gateway") return probe;
  if (all.starts_with("path:")) return parse_path(std::move(probe), all.substr(5));
  if (all.starts_with("tcp:")) return parse_tcp(std::move(probe), all.substr(4));
  if (all.starts_with("command:")) return parse_command(std::move(probe), all.substr(8));
  return wrong(text, "unknown kind of probe");
}

Result<> resolve_names(Probe& probe) {
  if (probe.peer.address.empty()) return {};
  TRY_ASSIGN(std::string address, kernel::resolve(probe.peer.address));
  probe.peer.address = std::move(address);
  return {};
}

std::string device_of(const Probe& probe) {
  if (probe.kind != Probe::Kind::path) return {};
  const auto way = way_to(probe.peer);
  return way ? way->name : std::string();
}

Result<std::string> try_probe(const Probe& probe, int timeout_ms) {
  switch (probe.kind) {
    case Probe::Kind::path:
      return try_path(probe, timeout_ms);
    case Probe::Kind::gateway:
      return try_gateway(timeout_ms);
    case Probe::Kind::tcp:
      return try_tcp(probe, timeout_ms);
    case Probe::Kind::command:
      return try_command(probe, timeout_ms);
  }
  return fail(Errc::invalid, "unknown kind of probe");
}

}  // namespace nettune::node::confirm
