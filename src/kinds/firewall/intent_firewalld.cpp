// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "kinds/firewall/firewalld_rule.hpp"
#include "kinds/firewall/openers.hpp"

namespace nettune::kinds::firewall {
namespace {

using facts::FirewallZone;
using nettune::firewall::rules::Network;

/// firewalld takes and lists rules one by one; more of them would take minutes.
constexpr std::size_t kMaxRichRules = 256;

bool has(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

/// Whether two networks overlap.
bool overlap(const Network& one, const Network& other) {
  if (one.ipv6 != other.ipv6) return false;
  const int bits = std::min(one.prefix, other.prefix);
  for (int bit = 0; bit < bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    const int mask = 0x80 >> (bit % 8);
    if ((one.address[byte] & mask) != (other.address[byte] & mask)) return false;
  }
  return true;
}

class ZoneComposer {
 public:
  explicit ZoneComposer(const facts::Firewall& firewall) : firewall_(firewall) {}

  Opener compose(std::span<const NamedOpening> openings) {
    if (firewall_.panic.value_or(false))
      return {{},
              {},
              "firewalld is in panic mode: it drops everything and accepts no rules; run "
              "firewall-cmd --panic-off"};
    if (firewall_.default_zone.empty())
      return {{}, {}, "firewalld is not running, so it cannot accept allow rules; start it first"};
    for (const NamedOpening& each : openings)
      if (!each.opening.outgoing) open(each.opening);
    for (const auto& [zone, interfaces] : opened_) note_others(zone, interfaces);
    Opener opener;
    opener.notes.assign(notes_.begin(), notes_.end());
    if (rules_.size() > kMaxRichRules)
      opener.misfit =
          cat("firewalld would need ", rules_.size(),
              " rich rules, one for each peer network, port range and zone; the limit is ",
              kMaxRichRules, ": use larger networks");
    else
      for (const auto& [zone, rule] : rules_)
        for (const char* const layer : {"permanent", "runtime"})
          opener.rules.push_back(
              {{cat("firewall:firewalld/", layer, '/', zone, '#', rule)}, "present"});
    return opener;
  }

 private:
  void open(const nettune::firewall::rules::Opening& opening) {
    std::set<std::string> zones;
    for (const std::string& interface : opening.interfaces) {
      const std::string zone = zone_of(interface);
      zones.insert(zone);
      opened_[zone].insert(interface);
    }
    for (const FirewallZone& zone : firewall_.zones)
      if (takes_from(zone, opening)) zones.insert(zone.name);
    for (const std::string& zone : zones) open_in(zone, opening);
  }

  void open_in(const std::string& zone, const nettune::firewall::rules::Opening& opening) {
    if (target_of(zone) == "ACCEPT") {
      notes_.insert(cat("firewalld zone ", zone, " accepts everything; no rule is added"));
      opened_.erase(zone);
      return;
    }
    for (std::string& rule : firewall::firewalld_rules(opening))
      rules_.emplace(zone, std::move(rule));
  }

  std::string zone_of(const std::string& interface) const {
    for (const FirewallZone& zone : firewall_.zones)
      if (has(zone.interfaces, interface)) return zone.name;
    return firewall_.default_zone;
  }

  std::string target_of(const std::string& name) const {
    const auto found = std::ranges::find(firewall_.zones, name, &FirewallZone::name);
    return found == firewall_.zones.end() ? std::string() : found->target;
  }

  /// Whether a zone gets the packets of peers because of their source: firewalld matches sources
  /// before interfaces.
  bool takes_from(const FirewallZone& zone, const nettune::firewall::rules::Opening& opening) {
    bool takes = false;
    for (const std::string& source : zone.sources) {
      const auto network = nettune::firewall::rules::parse_network(source);
      if (!network) {
        notes_.insert(cat("firewalld zone ", zone.name, " gets packets from ", source,
                          "; nettune adds no rule there for peers among them"));
        continue;
      }
      takes = takes || std::ranges::any_of(opening.peers, [&](const Network& peer) {
                return overlap(*network, peer);
              });
    }
    return takes;
  }

  /// A rich rule names no interface.
  void note_others(const std::string& zone, const std::set<std::string>& interfaces) {
    const auto found = std::ranges::find(firewall_.zones, zone, &FirewallZone::name);
    std::vector<std::string> others;
    if (found != firewall_.zones.end())
      for (const std::string& interface : found->interfaces)
        if (!interfaces.contains(interface)) others.push_back(interface);
    if (zone == firewall_.default_zone) others.emplace_back("every interface without a zone");
    if (others.empty()) return;
    notes_.insert(cat("firewalld zone ", zone, " also has ", join(others, ", "),
                      ": peers may also reach these ports through it"));
  }

  const facts::Firewall& firewall_;
  std::map<std::string, std::set<std::string>>
      opened_;  ///< by zone, the interfaces with allow rules
  std::set<std::pair<std::string, std::string>> rules_;  ///< zone, rule
  std::set<std::string> notes_;
};

}  // namespace

Opener open_in_firewalld(std::span<const NamedOpening> openings, const facts::Firewall& firewall) {
  return ZoneComposer(firewall).compose(openings);
}

}  // namespace nettune::kinds::firewall
