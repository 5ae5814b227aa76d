// SPDX-License-Identifier: Apache-2.0
#include "cli/kept_out.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "formats/opening.hpp"

namespace nettune::cli {

namespace {

using formats::Network;
using formats::Opening;

bool is_in(const Network& network, const Network& address) {
  if (network.ipv6 != address.ipv6) return false;
  const std::vector<Network> one = {network};
  return formats::merged({network, address}) == one;
}

bool keeps_out(const Opening& drop, const facts::SshSession& session, const Network& remote) {
  const auto on = [&](const std::string& name) {
    return session.interface.empty() || name == session.interface;
  };
  const auto to = [&](const formats::PortRange& ports) {
    return ports.first <= session.local_port && session.local_port <= ports.last;
  };
  return drop.effect == Opening::Effect::drop_others && drop.protocol == formats::Protocol::tcp &&
         drop.ipv6 == remote.ipv6 && std::ranges::any_of(drop.interfaces, on) &&
         std::ranges::any_of(drop.ports, to) &&
         std::ranges::none_of(drop.peers, [&](const Network& peer) { return is_in(peer, remote); });
}

}  // namespace

std::map<Address, std::string> kept_out(const Desired& desired,
                                        const std::vector<facts::SshSession>& sessions) {
  std::map<Address, std::string> found;
  for (const Setting& setting : desired.settings) {
    if (setting.address.kind() != "firewall" || !setting.want) continue;
    const auto opening = formats::parse_opening(*setting.want);
    if (!opening) continue;
    for (const facts::SshSession& session : sessions) {
      const auto remote = formats::parse_network(session.remote);
      if (!remote || !keeps_out(*opening, session, *remote)) continue;
      found.emplace(setting.address,
                    cat("ssh from ", session.remote, " to port ", session.local_port,
                        session.interface.empty() ? "" : cat(" on ", session.interface),
                        " is here now, is no peer, and would not get in again"));
    }
  }
  return found;
}

}  // namespace nettune::cli
