// SPDX-License-Identifier: Apache-2.0
#include "kinds/ethtool/provider.hpp"

#include <limits>
#include <memory>
#include <optional>

#include "base/interface_name.hpp"
#include "base/text.hpp"
#include "kinds/ethtool/effects.hpp"
#include "kinds/ethtool/table.hpp"
#include "kinds/ethtool/write.hpp"

namespace nettune::kinds::ethtool {
namespace {

using kernel::EthtoolGroup;
using kernel::EthtoolState;

Reading not_applicable(std::string why) {
  return {Presence::not_applicable, "", std::move(why), {}};
}

/// The reading of every address in a group whose GET failed.
Reading refused(const EthtoolTarget& target, const Error& error) {
  switch (error.code) {
    case Errc::not_found:
      return {Presence::missing, "", cat("there is no interface ", target.interface), {}};
    case Errc::unsupported:
      if (error.sys == 0) return not_applicable(error.text);
      return not_applicable(cat("the driver of ", target.interface, " does not report its ",
                                group_text(target.group)));
    default:
      return {
          Presence::not_permitted,
          "",
          cat("reading the ", group_text(target.group), " of ", target.interface, ": ", error.text),
          {}};
  }
}

/// Why there is no such feature or flag, with the closest name.
std::string no_such_bit(const EthtoolTarget& target, const EthtoolState& state) {
  std::vector<std::string> names;
  for (const auto& [name, bit] : state.bits) names.push_back(name);
  const auto near = nearest(target.name, names);
  const std::string hint = near ? cat("; did you mean ", *near, "?") : std::string();
  if (target.group == EthtoolGroup::features)
    return cat("this kernel has no feature ", target.name, hint);
  return cat("the driver of ", target.interface, " has no private flag ", target.name, hint);
}

Reading reading_of(const EthtoolTarget& target, const EthtoolState& state) {
  if (target.parameter != nullptr) {
    const auto found = state.numbers.find(target.parameter->attribute);
    if (found == state.numbers.end())
      return not_applicable(cat("the driver of ", target.interface, " has no ", target.key));
    return {Presence::present, ethtool_text(target.key, found->second), "", {}};
  }
  const auto found = state.bits.find(target.name);
  if (found == state.bits.end()) return not_applicable(no_such_bit(target, state));
  const std::string text = found->second.on ? "on" : "off";
  // A fixed feature is not applicable, not a failure: a card without an offload shows it as fixed,
  // and a profile for many cards must not stop at it. The plan names it with its value.
  if (found->second.fixed)
    return not_applicable(
        cat(target.name, " of ", target.interface, " is fixed at ", text, " by its driver"));
  return {Presence::present, text, "", {}};
}

}  // namespace

EthtoolCalls kernel_ethtool() {
  const auto session = std::make_shared<std::optional<kernel::EthtoolSession>>();
  const auto open = [session]() -> Result<> {
    if (*session) return {};
    TRY_ASSIGN(kernel::EthtoolSession fresh, kernel::EthtoolSession::open());
    session->emplace(std::move(fresh));
    return {};
  };
  EthtoolCalls calls;
  calls.get = [session, open](const std::string& interface,
                              EthtoolGroup group) -> Result<EthtoolState> {
    TRY(open());
    return (*session)->get(interface, group);
  };
  calls.set = [session, open](const std::string& interface, EthtoolGroup group,
                              const kernel::EthtoolChange& change) -> Result<> {
    TRY(open());
    return (*session)->set(interface, group, change);
  };
  return calls;
}

Result<Value> EthtoolProvider::canonical(const Address& address, const Value& want) const {
  if (address.key().empty() || address.body() != address.rest()) {
    return fail(Errc::invalid,
                cat(printable(address.text), " is not an ethtool setting; write ethtool:IF:KEY"));
  }
  TRY(check_interface_name(address.object()));
  const auto value = ethtool::ethtool_value(address.key());
  if (!value) return fail_in(printable(address.text), value.error());
  if (!want) return fail(Errc::invalid, cat(address.text, " cannot be removed, only set"));
  const std::string_view text = trim(*want);
  if (*value == EthtoolValue::on_off) {
    if (text == "on" || text == "off") return Value(std::string(text));
    return fail(Errc::invalid,
                cat(address.text, ": \"", printable(want->substr(0, 80)), "\" is not on or off"));
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const auto number = parse_int(text);
  if (!number || *number < 0 || *number > kMost) {
    return fail(Errc::invalid, cat(address.text, ": \"", printable(want->substr(0, 80)),
                                   "\" is not a number from 0 to ", kMost));
  }
  return Value(std::to_string(*number));
}

std::vector<Reading> EthtoolProvider::read(std::span<const Address> addresses) {
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  std::map<std::pair<std::string, EthtoolGroup>, Result<EthtoolState>> asked;
  for (const Address& address : addresses) {
    const auto target = ethtool_target(address);
    if (!target) {
      readings.push_back(not_applicable("there is no such ethtool setting"));
      continue;
    }
    std::pair key{target->interface, target->group};
    auto answer = asked.find(key);
    if (answer == asked.end()) {
      answer = asked.emplace(key, calls_.get(target->interface, target->group)).first;
    }
    readings.push_back(answer->second ? reading_of(*target, *answer->second)
                                      : refused(*target, answer->second.error()));
  }
  for (auto& [key, answer] : asked) {
    if (answer)
      states_[key] = std::move(*answer);
    else
      states_.erase(key);
  }
  return readings;
}

std::string EthtoolProvider::unit(const Address& address) const {
  const auto target = ethtool_target(address);
  return target ? ethtool_address(target->interface, group_text(target->group)).text : address.text;
}

/// Private flags change what a card supports at all (ice's DCB depends on fw-lldp-agent), so they
/// come before everything else of their interface. Coalescing comes after changes that rebuild
/// queues: some drivers keep it with the queue.
std::vector<Address> EthtoolProvider::needs(const Address& address) const {
  const auto target = ethtool_target(address);
  std::vector<Address> first;
  if (!target || target->group == EthtoolGroup::flags) return first;
  if (const auto flags = states_.find({target->interface, EthtoolGroup::flags});
      flags != states_.end()) {
    for (const auto& [name, bit] : flags->second.bits)
      first.push_back(ethtool_address(target->interface, cat(kFlagPrefix, name)));
  }
  if (target->group != EthtoolGroup::coalesce) return first;
  for (const EthtoolParameter& parameter : ethtool_parameters())
    if (parameter.group == EthtoolGroup::rings || parameter.group == EthtoolGroup::channels)
      first.push_back(ethtool_address(target->interface, parameter.key));
  return first;
}

Effects EthtoolProvider::effects(const Address& address, const Value& before, const Value& after) {
  const auto target = ethtool_target(address);
  if (!target || !after) return {};
  const auto state = states_.find({target->interface, target->group});
  const EthtoolState* const known = state == states_.end() ? nullptr : &state->second;
  Effects effects = ethtool_effects(*target, known, *after, sys_);
  check_way_back(effects, *this, address, before);
  if (known != nullptr && before)
    if (const std::string why = above_maximum(*target, *known, *before); !why.empty())
      set_no_way_back(effects, before, why);
  return effects;
}

void EthtoolProvider::combine(std::span<const Write> unit, std::span<Effects* const> effects) {
  const auto target = ethtool_target(unit.front().address);
  if (!target || target->group != EthtoolGroup::features) return;
  const auto state = states_.find({target->interface, target->group});
  if (state != states_.end()) combine_feature_effects(unit, state->second, sys_, effects);
}

Lifetime EthtoolProvider::lifetime(const Address& address) const {
  const auto target = ethtool_target(address);
  return target ? ethtool_lifetime(*target) : Lifetime::runtime;
}

Result<> EthtoolProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  return ethtool_write(unit, calls_, sys_, limits_);
}

}  // namespace nettune::kinds::ethtool
