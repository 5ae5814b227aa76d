// SPDX-License-Identifier: Apache-2.0
#include "cli/kept_out.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "firewall/evaluate.hpp"
#include "firewall/own_rules.hpp"
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

/// Whether new connections of a session are among what an opening names, its peers aside.
bool concerns(const Opening& opening, const facts::SshSession& session, const Network& remote) {
  const auto on = [&](const std::string& name) {
    return session.interface.empty() || name == session.interface;
  };
  const auto to = [&](const formats::PortRange& ports) {
    return ports.first <= session.local_port && session.local_port <= ports.last;
  };
  return opening.protocol == formats::Protocol::tcp && opening.ipv6 == remote.ipv6 &&
         std::ranges::any_of(opening.interfaces, on) && std::ranges::any_of(opening.ports, to);
}

bool has_peer(const Opening& opening, const Network& remote) {
  return std::ranges::any_of(opening.peers,
                             [&](const Network& peer) { return is_in(peer, remote); });
}

std::string session_text(const facts::SshSession& session) {
  return cat("ssh from ", session.remote, " to port ", session.local_port,
             session.interface.empty() ? "" : cat(" on ", session.interface), " is here now");
}

/// The rule set once what is desired stands in it, and nothing else of ours.
kernel::NfRuleset afterwards(const Desired& desired, const std::map<Address, Owned>& owned,
                             const kernel::NfRuleset& now) {
  kernel::NfRuleset then = now;
  std::uint32_t last_set = 0;
  const auto change = [&](const Address& address, const Value& want) {
    auto spot = firewall::parse_spot(address.rest());
    if (address.kind() != "firewall" || !spot) return;
    const bool there = firewall::find_place(then, *spot) != nullptr || spot->restricts;
    firewall::Change made;
    firewall::remove_own(then, *spot, made);
    const auto opening =
        want ? formats::parse_opening(*want) : Result<Opening>(fail(Errc::not_found, "it goes"));
    if (opening && there)
      firewall::add_opening(then, *spot, *opening, firewall::Where::head, last_set, made);
    firewall::apply_change(made, then);
  };
  for (const auto& [address, value] : owned) change(address, {});
  for (const Setting& setting : desired.settings) change(setting.address, setting.want);
  return then;
}

/// Rules of ours that let a session in now, where nothing else would.
void add_taken_away(const Desired& desired, const std::map<Address, Owned>& owned,
                    const facts::SshSession& session, const Network& remote,
                    const kernel::NfRuleset& now, std::map<Address, std::string>& found) {
  std::vector<Address> letting_in;
  for (const auto& [address, value] : owned) {
    const auto opening = formats::parse_opening(value.committed.value_or(""));
    if (address.kind() == "firewall" && opening && opening->effect == Opening::Effect::accept &&
        concerns(*opening, session, remote) && has_peer(*opening, remote))
      letting_in.push_back(address);
  }
  if (letting_in.empty()) return;
  const auto port = static_cast<std::uint16_t>(session.local_port);
  firewall::Traffic traffic{
      session.interface, {remote}, formats::Protocol::tcp, {formats::PortRange{port, port}}};
  if (const auto local = formats::parse_network(session.local)) traffic.to = {*local};
  if (firewall::evaluate(now, traffic).passage == firewall::Passage::dropped) return;
  const auto then = firewall::evaluate(afterwards(desired, owned, now), traffic);
  if (then.passage != firewall::Passage::dropped) return;
  for (const Address& address : letting_in)
    found.emplace(address, cat(session_text(session), " by this rule, and ", then.where,
                               " would not let it in again"));
}

}  // namespace

std::map<Address, std::string> kept_out(const Desired& desired,
                                        const std::map<Address, Owned>& owned,
                                        const std::vector<facts::SshSession>& sessions,
                                        const kernel::NfRuleset* ruleset) {
  std::map<Address, std::string> found;
  for (const facts::SshSession& session : sessions) {
    const auto remote = formats::parse_network(session.remote);
    if (!remote) continue;
    for (const Setting& setting : desired.settings) {
      const auto opening = setting.address.kind() == "firewall" && setting.want
                               ? formats::parse_opening(*setting.want)
                               : Result<Opening>(fail(Errc::not_found, "no rule"));
      if (opening && opening->effect == Opening::Effect::drop_others &&
          concerns(*opening, session, *remote) && !has_peer(*opening, *remote))
        found.emplace(setting.address,
                      cat(session_text(session), ", is no peer, and would not get in again"));
    }
    if (ruleset != nullptr && !session.interface.empty())
      add_taken_away(desired, owned, session, *remote, *ruleset, found);
  }
  return found;
}

}  // namespace nettune::cli
