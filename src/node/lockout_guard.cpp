// SPDX-License-Identifier: Apache-2.0
#include "node/lockout_guard.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "firewall/firewall_address.hpp"
#include "firewall/rules/ranges.hpp"
#include "firewall/simulation.hpp"
#include "firewall/walk/evaluate.hpp"
#include "kinds/firewall/firewalld_rule.hpp"
#include "kinds/firewall/ufw_rule.hpp"

namespace nettune::node {

namespace {

using firewall::rules::Network;
using firewall::rules::Opening;

/// Whether new connections of a session may arrive on an interface: the one with the address, or
/// the one for the answers. An address on neither may arrive anywhere.
bool comes_by(const facts::SshSession& session, const std::string& interface) {
  return session.interface.empty() || interface == session.interface ||
         interface == session.leaves_by;
}

/// Whether an allow rule covers new connections of a session, apart from its peers. A rule of
/// firewalld names no interface.
bool concerns(const Opening& opening, const facts::SshSession& session, const Network& remote) {
  const auto on = [&](const std::string& name) { return comes_by(session, name); };
  const auto to = [&](const firewall::rules::PortRange& ports) {
    return ports.first <= session.local_port && session.local_port <= ports.last;
  };
  return opening.protocol == firewall::rules::Protocol::tcp && opening.ipv6 == remote.ipv6 &&
         (opening.interfaces.empty() || std::ranges::any_of(opening.interfaces, on)) &&
         std::ranges::any_of(opening.ports, to);
}

bool has_peer(const Opening& opening, const Network& remote) {
  return firewall::rules::ranges_of({remote}, remote.ipv6)
      .within(firewall::rules::ranges_of(opening.peers, remote.ipv6));
}

/// The text of one of our rules; for a daemon it is the element of the address.
std::optional<Opening> opening_of(const Address& address, const Value& value) {
  if (!firewall::is_firewall(address) || !value) return {};
  const std::string_view backend = firewall::firewall_backend(address.rest());
  const auto opening = backend == "ufw" ? kinds::firewall::ufw_opening(address.element())
                       : backend == "firewalld"
                           ? kinds::firewall::firewalld_opening(address.element())
                           : firewall::rules::parse_opening(*value);
  return opening ? std::optional<Opening>(*opening) : std::nullopt;
}

std::string session_text(const facts::SshSession& session) {
  return cat("ssh from ", session.remote, " to port ", session.local_port,
             session.interface.empty() ? "" : cat(" on ", session.interface), " is connected now");
}

/// The rule set with the desired rules and no other rules of ours.
kernel::NfRuleset afterwards(const Desired& desired, const std::map<Address, Owned>& owned,
                             const kernel::NfRuleset& now) {
  firewall::Simulation then(now);
  for (const auto& [address, value] : owned) then.set(address, {});
  for (const Setting& setting : desired.settings) then.set(setting.address, setting.want);
  return then.take();
}

/// Rules of ours that allow a session now and will be removed, if no other rule is known to allow
/// it.
class TakenAway {
 public:
  TakenAway(const Desired& desired, const std::map<Address, Owned>& owned,
            const kernel::NfRuleset* now)
      : desired_(desired), owned_(owned), now_(now) {}

  void add(const facts::SshSession& session, const Network& remote,
           std::map<Address, std::string>& found) {
    for (const auto& [address, value] : owned_) {
      const auto opening = opening_of(address, value.committed);
      if (!opening || !lets_in(*opening, session, remote)) continue;
      // A daemon allows answers by its own rules.
      if (opening->outgoing && firewall::is_of_daemon(address)) continue;
      const std::string why = firewall::is_of_daemon(address)
                                  ? without_daemons(address, session, remote)
                                  : without(*opening, session, remote);
      if (!why.empty())
        found.emplace(address, cat(session_text(session), " through this rule, and ", why));
    }
  }

 private:
  static bool lets_in(const Opening& opening, const facts::SshSession& session,
                      const Network& remote) {
    return opening.effect == Opening::Effect::accept && concerns(opening, session, remote) &&
           has_peer(opening, remote);
  }

  /// The daemon's other rules are unknown: only a rule of ours that stays, or replaces this one, is
  /// known to allow the session. "" in that case.
  std::string without_daemons(const Address& address, const facts::SshSession& session,
                              const Network& remote) const {
    const std::string_view backend = firewall::firewall_backend(address.rest());
    for (const Setting& setting : desired_.settings) {
      const auto opening = opening_of(setting.address, setting.want);
      if (opening && firewall::firewall_backend(setting.address.rest()) == backend &&
          lets_in(*opening, session, remote))
        return {};
    }
    return cat("it is unknown whether ", backend, " allows it again without the rule");
  }

  /// "" if the rule set allows the session anyway, or blocks it already.
  std::string without(const Opening& opening, const facts::SshSession& session,
                      const Network& remote) {
    if (now_ == nullptr) return {};
    if (!then_) then_ = afterwards(desired_, owned_, *now_);
    const auto port = static_cast<std::uint16_t>(session.local_port);
    firewall::walk::Traffic traffic{
        {}, {remote}, firewall::rules::Protocol::tcp, {firewall::rules::PortRange{port, port}}};
    if (const auto local = firewall::rules::parse_network(session.local)) traffic.own = {*local};
    for (const std::string& interface : opening.interfaces) {
      if (!comes_by(session, interface)) continue;
      traffic.interface = interface;
      if (firewall::walk::evaluate(*now_, traffic).passage == firewall::walk::Passage::dropped)
        continue;
      const firewall::walk::Verdict then = firewall::walk::evaluate(*then_, traffic);
      if (then.passage == firewall::walk::Passage::dropped)
        return cat(then.where, " would block it");
      if (then.passage == firewall::walk::Passage::unknown)
        return cat("it is unknown whether it could log in again (", then.why, ", in ", then.where,
                   ")");
    }
    return {};
  }

  const Desired& desired_;
  const std::map<Address, Owned>& owned_;
  const kernel::NfRuleset* now_;  ///< null if unknown
  std::optional<kernel::NfRuleset> then_;
};

}  // namespace

std::map<Address, std::string> lockouts(const Desired& desired,
                                        const std::map<Address, Owned>& owned,
                                        const std::vector<facts::SshSession>& sessions,
                                        const kernel::NfRuleset* ruleset) {
  std::map<Address, std::string> found;
  TakenAway taken_away(desired, owned, ruleset);
  for (const facts::SshSession& session : sessions) {
    const auto remote = firewall::rules::parse_network(session.remote);
    if (!remote) continue;
    for (const Setting& setting : desired.settings) {
      const auto opening = opening_of(setting.address, setting.want);
      if (opening && opening->effect == Opening::Effect::drop_others &&
          concerns(*opening, session, *remote) && !has_peer(*opening, *remote))
        found.emplace(setting.address,
                      cat(session_text(session), ", is not a peer, and could not log in again"));
    }
    taken_away.add(session, *remote, found);
  }
  return found;
}

}  // namespace nettune::node
