// SPDX-License-Identifier: Apache-2.0
#include "profile/section.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "firewall/firewall_address.hpp"
#include "kinds/firewall/intent.hpp"
#include "kinds/firewall/kind.hpp"
#include "kinds/firewall/openers.hpp"

namespace nettune::kinds::firewall {
namespace {

/// How each manager allows something. "none" needs nothing.
struct OwnerKind {
  std::string_view name;
  Opener (*open)(std::span<const NamedOpening>, const facts::Firewall&);
};
constexpr std::array kOwners = {
    OwnerKind{"firewalld", open_in_firewalld}, OwnerKind{"ufw", open_in_ufw},
    OwnerKind{"nftables", open_in_nftables}, OwnerKind{"iptables", open_in_nftables}};

/// Composes one [firewall.SET] on this node.
class FirewallLayers {
 public:
  FirewallLayers(profile::Composer& composer, const std::string& set, const FirewallIntent& intent,
                 const std::vector<std::string>& interfaces)
      : composer_(composer),
        intent_(intent),
        label_(cat("[firewall.", set, "]")),
        owner_(intent.backend.empty() ? composer.facts().firewall.owner : intent.backend),
        accepted_(accepted(set, intent, interfaces)),
        sent_(sent(set, intent, interfaces)),
        sent_along_(sent_along(set, intent, interfaces)),
        dropped_(dropped(set, intent, interfaces)) {}

  Result<> add() {
    for (const auto* const openings : {&accepted_, &sent_})
      for (const NamedOpening& each : *openings)
        composer_.admit(
            {each.name, nettune::firewall::rules::text_of(each.opening), intent_.origin});
    TRY(open());
    for (const NamedOpening& each : dropped_)
      TRY(put({cat("firewall:restrict#", each.name)},
              nettune::firewall::rules::text_of(each.opening)));
    if (!dropped_.empty()) reapply_behind("nftables", true);
    return {};
  }

 private:
  const facts::Firewall& firewall() const { return composer_.facts().firewall; }

  Result<> put(Address address, std::string want) {
    Setting setting;
    setting.address = std::move(address);
    setting.want = std::move(want);
    setting.origin = intent_.origin;
    return composer_.add(std::move(setting));
  }

  Result<> open() {
    if (owner_.empty()) return leave_open();
    if (owner_ == "none") {
      composer_.note(cat(
          label_, ": no rules are needed: ",
          intent_.backend.empty() ? firewall().found_by : "the profile says backend = \"none\""));
      return {};
    }
    if (owner_ == "iptables-legacy") {
      composer_.misfit(
          cat(label_, ": this node filters with iptables-legacy (", firewall().found_by,
              "), which nettune does not support; move its rules to iptables-nft or "
              "nftables, or set backend = \"none\" if they allow this traffic"),
          intent_.origin);
      return {};
    }
    const auto* const kind = std::ranges::find(kOwners, owner_, &OwnerKind::name);
    if (kind == kOwners.end()) return leave_open();
    TRY(put_all(kind->open(kind->open == open_in_nftables ? all() : in_and_out(), firewall()),
                kind->open == open_in_nftables));
    // It runs after nettune-apply.service, which cannot give it rules: at a first boot these wait.
    if (kind->open == open_in_firewalld) reapply_behind("firewalld", false);
    // Outgoing traffic may be filtered by another manager than incoming traffic.
    if (kind->open != open_in_nftables) TRY(put_all(open_in_nftables(out(), firewall()), true));
    return {};
  }

  Result<> put_all(Opener opener, bool in_nftables) {
    for (std::string& note : opener.notes) composer_.note(cat(label_, ": ", note));
    if (!opener.misfit.empty()) composer_.misfit(cat(label_, ": ", opener.misfit), intent_.origin);
    if (in_nftables) name_services(opener.rules);
    for (Opener::Rule& rule : opener.rules)
      if (!is_put(rule)) TRY(put(std::move(rule.address), std::move(rule.want)));
    return {};
  }

  std::vector<NamedOpening> in_and_out() const {
    std::vector<NamedOpening> openings = accepted_;
    openings.insert(openings.end(), sent_.begin(), sent_.end());
    return openings;
  }
  std::vector<NamedOpening> all() const {
    std::vector<NamedOpening> openings = in_and_out();
    openings.insert(openings.end(), sent_along_.begin(), sent_along_.end());
    return openings;
  }
  std::vector<NamedOpening> out() const {
    std::vector<NamedOpening> openings = all();
    std::erase_if(openings, [](const NamedOpening& each) { return !each.opening.outgoing; });
    return openings;
  }

  /// Another set may need the same rule: a rule of a firewalld zone names no interface.
  bool is_put(const Opener::Rule& rule) const {
    return std::ranges::any_of(composer_.settings(), [&](const Setting& setting) {
      return setting.address == rule.address && setting.want == rule.want;
    });
  }

  /// Only root can see the firewall manager, and a node recorded without root does not have it. The
  /// required traffic is then in the plan as unknown.
  Result<> leave_open() {
    composer_.note(cat(label_, ": the firewall manager of this node is not known",
                       firewall().found_by.empty() ? "" : cat(" (", firewall().found_by, ")")));
    for (const NamedOpening& each : accepted_)
      TRY(put({cat("firewall:allow#", each.name)},
              nettune::firewall::rules::text_of(each.opening)));
    return {};
  }

  /// The services that load the chains flush the managed rules in them: nftables.service all
  /// chains, netfilter-persistent.service (iptables-restore) the tables of iptables. The latter has
  /// no ExecReload in Debian, and systemd refuses to reload it.
  void name_services(const std::vector<Opener::Rule>& rules) {
    if (rules.empty()) return;
    reapply_behind("nftables", true);
    const bool iptables = std::ranges::any_of(rules, [&](const Opener::Rule& rule) {
      return std::ranges::any_of(firewall().chains, [&](const facts::FirewallChain& chain) {
        const nettune::firewall::ChainName name{chain.family, chain.table, chain.name};
        return chain.owner == "iptables" &&
               rule.address.rest().starts_with(cat(nettune::firewall::text_of(name), '#'));
      });
    });
    if (iptables) reapply_behind("netfilter-persistent", false);
  }

  void reapply_behind(const char* service, bool reloads) {
    composer_.boot().firewall_services.emplace(service, reloads);
  }

  profile::Composer& composer_;
  const FirewallIntent& intent_;
  std::string label_;
  std::string owner_;
  std::vector<NamedOpening> accepted_;
  std::vector<NamedOpening> sent_;
  std::vector<NamedOpening> sent_along_;
  std::vector<NamedOpening> dropped_;
};

/// Sockets listen in the sysctl's range, whatever a firewall allows.
Result<> add_port_range(profile::Composer& composer, const std::string& set,
                        const FirewallIntent& intent) {
  if (!intent.ephemeral) return {};
  Setting setting;
  setting.address = {std::string(kPortRangeSetting)};
  setting.want = cat(intent.ephemeral->first, ' ', intent.ephemeral->last);
  setting.origin = intent.ephemeral_origin;
  const auto& settings = composer.settings();
  const auto other = std::ranges::find(settings, setting.address, &Setting::address);
  if (other == settings.end()) return composer.add(std::move(setting));
  const std::string wanted = other->want.value_or("");
  const std::vector<std::string_view> theirs = words(wanted);
  const bool same =
      other->relation == Relation::exact && theirs.size() == 2 && theirs == words(*setting.want);
  if (same) return {};
  return toml::fail_at(
      intent.ephemeral_origin,
      cat("[firewall.", set, "] ephemeral is ", *setting.want, ", but ", other->origin.text(),
          " sets net.ipv4.ip_local_port_range to ", relation_text(other->relation),
          other->want.value_or(""), "; set both to the same range"));
}

/// Whether packets of every member arrive under its name, which rules match: packets of a bond,
/// bridge or VRF member carry the master's name (skb->dev; bond_handle_frame(), br_pass_frame_up(),
/// vrf_ip_rcv()).
bool come_by_name(profile::Composer& composer, const std::string& set, const FirewallIntent& intent,
                  const std::vector<const facts::NetDevice*>& members) {
  bool all = true;
  for (const facts::NetDevice* const device : members) {
    if (device->master.empty()) continue;
    composer.misfit(cat("[firewall.", set, "]: ", device->name, " is a member of ", device->master,
                        ", and its packets arrive under that name; put ", device->master,
                        " into the set instead"),
                    intent.origin);
    all = false;
  }
  return all;
}

bool overlap(const std::vector<nettune::firewall::rules::PortRange>& left,
             const std::vector<nettune::firewall::rules::PortRange>& right) {
  return std::ranges::any_of(left, [&](const nettune::firewall::rules::PortRange& a) {
    return std::ranges::any_of(right, [&](const nettune::firewall::rules::PortRange& b) {
      return a.first <= b.last && b.first <= a.last;
    });
  });
}

/// A drop is final: one set must not drop what another one requires.
Result<> check_sets(const std::map<std::string, FirewallIntent>& intents,
                    const std::map<std::string, std::vector<std::string>>& interfaces) {
  for (const auto& [name, strict] : intents) {
    for (const auto& [other_name, other] : intents) {
      if (!strict.restricts || other_name == name) continue;
      std::vector<std::string> common;
      std::ranges::set_intersection(interfaces.at(name), interfaces.at(other_name),
                                    std::back_inserter(common));
      std::vector<nettune::firewall::rules::Network> all = strict.peers;
      all.insert(all.end(), other.peers.begin(), other.peers.end());
      const bool more = nettune::firewall::rules::merged(std::move(all)) != strict.peers;
      if (common.empty() || !more ||
          (!overlap(strict.tcp, other.tcp) && !overlap(strict.udp, other.udp)))
        continue;
      return toml::fail_at(strict.origin,
                           cat("[firewall.", name, "] would drop peers of [firewall.", other_name,
                               "] (", other.origin.text(), ") on ports that both have, on ",
                               common.front(), "; use the same peers in both, or different ports"));
    }
  }
  return {};
}

Result<> compose_firewall(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("firewall:"))
    TRY(composer.value_of(*item));
  TRY_ASSIGN(const auto intents,
             firewall_intents(composer.merged(), composer.variables_alone(), composer.read_file()));
  std::map<std::string, std::vector<std::string>> interfaces_of;
  for (const auto& [name, intent] : intents) {
    TRY_ASSIGN(const profile::DeviceSet* const set, composer.expander().set(name, intent.origin));
    std::vector<std::string>& interfaces = interfaces_of[name];
    for (const facts::NetDevice* const device : set->members) interfaces.push_back(device->name);
    std::ranges::sort(interfaces);
  }
  TRY(check_sets(intents, interfaces_of));
  for (const auto& [name, intent] : intents) {
    TRY(add_port_range(composer, name, intent));
    TRY_ASSIGN(const profile::DeviceSet* const set, composer.expander().set(name, intent.origin));
    if (!come_by_name(composer, name, intent, set->members)) continue;
    const std::vector<std::string>& interfaces = interfaces_of.at(name);
    if (interfaces.empty())
      composer.note(cat("[firewall.", name, "]: the device set ", name, " is empty; skipped"));
    else
      TRY(FirewallLayers(composer, name, intent, interfaces).add());
  }
  return {};
}

constexpr profile::Bounds kPorts = {
    .least = 1, .most = 65535, .pattern = "^[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?$"};

constexpr auto kFirewallRules = std::to_array<profile::Rule>({
    {"profile/firewall", profile::kTable, "Traffic to allow or drop, by device set"},
    {"profile/firewall/*", profile::kTable, "For every interface in the set"},
    {"profile/firewall/*/mode", profile::kString,
     "\"allow\" peers (the default), or also drop all others: \"restrict\"", "allow restrict"},
    {"profile/firewall/*/peers", profile::kString | profile::kStrings | profile::kTable,
     "Allowed networks: \"10.10.0.0/16\", a list of these, or a file"},
    {"profile/firewall/*/peers/file",
     profile::kString,
     "Path of a file with one network per line",
     {},
     true},
    {"profile/firewall/*/tcp",
     profile::kInteger | profile::kString | profile::kIntegers | profile::kStrings,
     "TCP ports, as for rendezvous: 29400, \"29500-29510\", or a list",
     {},
     false,
     kPorts},
    {"profile/firewall/*/udp",
     profile::kInteger | profile::kString | profile::kIntegers | profile::kStrings,
     "UDP ports, in the same form",
     {},
     false,
     kPorts},
    {"profile/firewall/*/outgoing", profile::kBoolean,
     "Also allow connections to the peers on these ports (default true)"},
    {"profile/firewall/*/ephemeral",
     profile::kString,
     "Ports of sockets without a fixed port (NCCL, Gloo): \"32768-60999\"; also sets "
     "net.ipv4.ip_local_port_range",
     {},
     false,
     kPorts},
    {"profile/firewall/*/rdma", profile::kBoolean, "UDP 4791, for RoCE in software"},
    {"profile/firewall/*/icmp", profile::kBoolean,
     "All ICMP messages from the peers: echo, path MTU discovery, ..."},
    {"profile/firewall/*/narrow", profile::kBoolean,
     "Fewer than 16384 ephemeral ports are intended"},
    {"profile/firewall/*/backend", profile::kString,
     "Firewall manager of the node, if it cannot be detected",
     "firewalld ufw nftables iptables none"},
});

}  // namespace

constinit const profile::Section kFirewallSection = {.name = "firewall",
                                                     .rules = kFirewallRules,
                                                     .collect = profile::collect_of_devices,
                                                     .compose = firewall::compose_firewall};

}  // namespace nettune::kinds::firewall
