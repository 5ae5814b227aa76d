// SPDX-License-Identifier: Apache-2.0
#include "kinds/firewall/firewalld_provider.hpp"

#include <map>
#include <optional>
#include <set>
#include <unistd.h>

#include "base/text.hpp"
#include "kinds/firewall/firewalld_rule.hpp"

namespace nettune::kinds::firewall {
namespace {

using kernel::FirewalldChange;
using kernel::FirewalldLayer;

constexpr std::string_view kRichRulePresent = "present";
constexpr std::uint64_t kMaxZoneFileBytes = std::uint64_t{1} << 20U;

/// Parses firewalld/permanent/ZONE of an address.
struct Place {
  FirewalldLayer layer = FirewalldLayer::permanent;
  std::string zone;
  auto operator<=>(const Place&) const = default;
};

std::optional<Place> place_of(const Address& address) {
  constexpr std::string_view kPermanent = "firewalld/permanent/";
  constexpr std::string_view kRuntime = "firewalld/runtime/";
  std::string_view rest = address.body();
  Place place;
  if (rest.starts_with(kPermanent)) {
    rest.remove_prefix(kPermanent.size());
  } else if (rest.starts_with(kRuntime)) {
    rest.remove_prefix(kRuntime.size());
    place.layer = FirewalldLayer::runtime;
  } else {
    return std::nullopt;
  }
  if (!firewall::is_firewalld_zone(rest)) return std::nullopt;
  place.zone = rest;
  return place;
}

/// The rules that firewalld will have when it starts; its runtime rules are gone with it.
Reading read_without(Disk& disk, const Place& place, std::string_view rule, const Error& error) {
  Reading missing{Presence::missing, "", error.text, {}};
  if (place.layer == FirewalldLayer::runtime) return missing;
  const auto xml = disk.read(firewall::firewalld_zone_file(place.zone), kMaxZoneFileBytes);
  if (!xml) return {Presence::not_permitted, "", xml.error().text, {}};
  if (!*xml || !firewall::zone_file_has(**xml, rule)) return missing;
  return {Presence::present, std::string(kRichRulePresent), "", {}};
}

}  // namespace

Result<Value> FirewalldFirewall::canonical(const Address& address, const Value& want) const {
  if (!place_of(address))
    return fail(Errc::invalid, cat(printable(address.text.substr(0, 200)),
                                   " is not a firewalld rule; write firewalld/permanent/ZONE#RULE "
                                   "or firewalld/runtime/ZONE#RULE"));
  TRY(firewall::check_firewalld_rule(address.element()));
  if (want && trim(*want) != kRichRulePresent)
    return fail(Errc::invalid, cat(address.text, " must be \"present\" or absent, not \"",
                                   printable(want->substr(0, 80)), '"'));
  return want ? Value(std::string(kRichRulePresent)) : Value();
}

std::vector<Reading> FirewalldFirewall::read(std::span<const Address> addresses) {
  std::vector<Reading> readings(addresses.size());
  std::map<Place, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (const auto place = place_of(addresses[i]))
      places[*place].push_back(i);
    else
      readings[i] = {Presence::not_applicable, "", "firewalld has no such rule", {}};
  }
  for (const auto& [place, members] : places) {
    const auto rules = calls_.rules(place.layer, place.zone);
    std::set<std::string_view> there;
    if (rules) there.insert(rules->begin(), rules->end());
    for (const std::size_t i : members) {
      if (!rules && rules.error().code == Errc::not_found)
        readings[i] = read_without(disk_, place, addresses[i].element(), rules.error());
      else if (!rules)
        readings[i] = {Presence::not_permitted, "", rules.error().text, {}};
      else if (there.contains(addresses[i].element()))
        readings[i] = {Presence::present, std::string(kRichRulePresent), "", {}};
      else
        readings[i] = {Presence::absent, "", "", {}};
    }
  }
  return readings;
}

std::string FirewalldFirewall::unit(const Address& address) const {
  return cat("firewall:", address.body());
}

Effects FirewalldFirewall::effects(const Address& address, const Value&, const Value&) {
  Effects effects;
  const auto place = place_of(address);
  if (!place) return effects;
  if (::geteuid() != 0) effects.not_permitted = "changing firewalld's rules needs root";
  if (place->layer == FirewalldLayer::runtime) return effects;
  effects.undo = Undo::residue;
  effects.residue = cat("firewalld rewrites ", firewall::firewalld_zone_file(place->zone),
                        "; comments in that file are lost");
  return effects;
}

Result<> FirewalldFirewall::write(std::span<const Write> unit, const Contents&,
                                  const std::string&) {
  std::map<Place, std::vector<FirewalldChange>> changes;
  for (const Write& write : unit) {
    const auto place = place_of(write.address);
    if (!place)
      return fail(Errc::invalid, cat(printable(write.address.text), " is not a firewalld rule"));
    changes[*place].push_back({write.after.has_value(), std::string(write.address.element())});
  }
  for (const auto& [place, list] : changes) {
    if (auto done = calls_.change(place.layer, place.zone, list); !done)
      return fail_in(cat("setting rich rules of zone ", place.zone), std::move(done).error());
  }
  return {};
}

}  // namespace nettune::kinds::firewall
