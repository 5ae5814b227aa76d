// SPDX-License-Identifier: Apache-2.0
#include "kinds/dcb/provider.hpp"

#include <algorithm>
#include <set>

#include "base/interface_name.hpp"
#include "base/text.hpp"
#include "kernel/sysfs.hpp"
#include "kinds/common/privilege.hpp"
#include "kinds/dcb/effects.hpp"

namespace nettune::kinds::dcb {
namespace {

using kernel::Dcb;

Failure no_address(const Address& address) {
  std::vector<std::string> names;
  for (const std::string_view name : dcb::dcb_key_names())
    names.push_back(name == "app" ? "app#dscp-N" : std::string(name));
  return fail(Errc::invalid,
              cat(printable(address.text), " is not a DCB setting; write dcb:IF: and one of ",
                  join(names, ", "),
                  " (or app#dgram-N, app#stream-N, app#port-N, "
                  "app#ethertype-0xNNNN)"));
}

/// An entry that is absent and that the driver would refuse anyway.
bool refused_entry(const DcbTarget& target, const DriverQuirks& quirks) {
  return target.key == DcbKey::app && quirks.dscp_only && !target.is_dscp();
}

}  // namespace

Result<Value> DcbProvider::canonical(const Address& address, const Value& want) const {
  const auto target = dcb_target(address);
  if (!target) return no_address(address);
  TRY(check_interface_name(target->interface));
  if (!want && target->key == DcbKey::app) return Value();
  if (!want) return fail(Errc::invalid, cat(address.text, " cannot be removed, only set"));
  auto numbers = dcb::parse_dcb_value(target->key, *want);
  if (!numbers) return fail_in(address.text, std::move(numbers).error());
  return Value(dcb::dcb_value_text(target->key, *numbers));
}

std::string DcbProvider::driver_of(const std::string& interface) const {
  const auto root = kernel::Directory::open(sys_);
  if (!root) return {};
  return root->link_name(cat("class/net/", interface, "/device/driver")).value_or("");
}

Reading DcbProvider::reading_of(const Seen& seen, const DcbTarget& target) {
  const auto none = [](std::string why) {
    return Reading{Presence::not_applicable, "", std::move(why), {}};
  };
  if (!seen.dcb) {
    const Error& error = seen.dcb.error();
    if (error.code == Errc::not_found)
      return {Presence::missing, "", cat("there is no interface ", target.interface), {}};
    if (error.code == Errc::unsupported)
      return none(cat(target.interface, " has no DCB: ",
                      seen.driver.empty()
                          ? std::string("it is not a hardware device")
                          : cat("its driver ", seen.driver, " does not support it")));
    return {Presence::not_permitted, "", error.text, {}};
  }
  const std::string driver = seen.driver.empty() ? "its driver" : cat("its driver ", seen.driver);
  const auto numbers = dcb_numbers(*seen.dcb, target);
  if (!numbers)
    return none(cat(target.interface, " has no ", dcb::dcb_key_name(target.key), ": ", driver,
                    " does not report it"));
  if (target.key == DcbKey::pfc_delay && !seen.quirks->has_delay)
    return none(cat(driver, " does not support a PFC delay"));
  if (target.key == DcbKey::app && (*numbers)[0] == 0) {
    if (refused_entry(target, *seen.quirks))
      return none(cat(driver, " supports only APP entries of DSCPs"));
    return {Presence::absent, "", "", {}};
  }
  const auto text = dcb::dcb_value_text(target.key, *numbers);
  if (!text)
    return none(cat(driver, " reports an invalid value of ", dcb::dcb_key_name(target.key)));
  return {Presence::present, *text, "", {}};
}

std::vector<Reading> DcbProvider::read(std::span<const Address> addresses) {
  std::set<std::string, std::less<>> names;
  for (const Address& address : addresses)
    if (const auto target = dcb_target(address)) names.emplace(target->interface);
  const std::vector<std::string> interfaces(names.begin(), names.end());
  std::vector<Result<Dcb>> answers = calls_.get(interfaces);
  for (std::size_t i = 0; i < interfaces.size(); ++i) {
    const std::string driver = driver_of(interfaces[i]);
    seen_.insert_or_assign(interfaces[i],
                           Seen{std::move(answers[i]), driver, &driver_quirks(driver)});
  }
  std::vector<Reading> readings;
  readings.reserve(addresses.size());
  for (const Address& address : addresses) {
    const auto target = dcb_target(address);
    readings.push_back(
        target ? reading_of(seen_.find(target->interface)->second, *target)
               : Reading{Presence::not_applicable, "", "there is no such DCB setting", {}});
  }
  return readings;
}

std::string DcbProvider::unit(const Address& address) const {
  const auto target = dcb_target(address);
  if (!target) return address.text;
  switch (target->key) {
    case DcbKey::pfc:
    case DcbKey::pfc_delay:
      return cat("dcb:", target->interface, " PFC");
    case DcbKey::ets_prio_tc:
    case DcbKey::ets_tsa:
    case DcbKey::ets_bw:
      return cat("dcb:", target->interface, " ETS");
    case DcbKey::buffer_prio:
    case DcbKey::buffer_size:
      return cat("dcb:", target->interface, " buffer");
    case DcbKey::app: {
      const std::string_view element = address.element();
      return cat("dcb:", target->interface, " APP ", element.substr(0, element.find('-')));
    }
    case DcbKey::dcbx:
    case DcbKey::maxrate:
      break;
  }
  return address.text;
}

/// The owner of DCB comes first: the card's agent (ice), then DCBX; bnxt takes PFC only after ETS,
/// ice no PFC with global pause. Kinds that come earlier anyway are listed here to give the reason.
std::vector<Address> DcbProvider::needs(const Address& address) const {
  const auto target = dcb_target(address);
  if (!target) return {};
  const std::string_view interface = target->interface;
  std::vector<Address> first = {Address{cat("ethtool:", interface, ":flag-fw-lldp-agent")}};
  if (target->key == DcbKey::dcbx) return first;
  first.push_back(dcb_address(interface, DcbKey::dcbx));
  if (target->key != DcbKey::pfc && target->key != DcbKey::pfc_delay) return first;
  for (const char* const pause : {"pause-autoneg", "pause-rx", "pause-tx"})
    first.push_back(Address{cat("ethtool:", interface, ':', pause)});
  for (const DcbKey key : {DcbKey::ets_prio_tc, DcbKey::ets_tsa, DcbKey::ets_bw})
    first.push_back(dcb_address(interface, key));
  return first;
}

/// DCBX is restored last: without `host` bnxt takes nothing any more, and under DSCP trust ice
/// takes no other mode. PFC comes after ETS, as in the forward direction.
std::vector<Address> DcbProvider::given_back_after(const Address& address) const {
  const auto target = dcb_target(address);
  if (!target) return {};
  std::vector<Address> first;
  const auto add = [&](std::initializer_list<DcbKey> keys) {
    for (const DcbKey key : keys) first.push_back(dcb_address(target->interface, key));
  };
  if (target->key == DcbKey::pfc || target->key == DcbKey::pfc_delay)
    add({DcbKey::ets_prio_tc, DcbKey::ets_tsa, DcbKey::ets_bw});
  if (target->key != DcbKey::dcbx) return first;
  add({DcbKey::pfc, DcbKey::pfc_delay, DcbKey::ets_prio_tc, DcbKey::ets_tsa, DcbKey::ets_bw,
       DcbKey::maxrate, DcbKey::buffer_prio, DcbKey::buffer_size});
  const auto seen = seen_.find(target->interface);
  if (seen == seen_.end() || !seen->second.dcb) return first;
  for (const dcb_app& app : seen->second.dcb->apps)
    first.push_back(dcb_app_address(target->interface, {app.selector, app.protocol}));
  return first;
}

Effects DcbProvider::effects(const Address& address, const Value& before, const Value& after) {
  const auto target = dcb_target(address);
  const auto seen = target ? seen_.find(target->interface) : seen_.end();
  if (seen == seen_.end() || !seen->second.dcb) return {};
  Effects effects = dcb_effects(*seen->second.dcb, *seen->second.quirks, *target, before, after);
  check_way_back(effects, *this, address, before);
  if (!common::may_administer_host_network())
    effects.not_permitted = cat("changing DCB of ", target->interface,
                                " needs root (CAP_NET_ADMIN in the host's user namespace)");
  return effects;
}

std::string DcbProvider::hint_for(const std::string& interface, const Dcb& now,
                                  const DriverQuirks& quirks, const DcbMessage& message) const {
  std::string hint = dcb_hint(now, quirks, message);
  const auto root = kernel::Directory::open(sys_);
  const auto master =
      root ? root->link_name(cat("class/net/", interface, "/master")) : std::nullopt;
  // ice_dcb_nl.c of 6.12 then refuses every change with EINVAL.
  if (hint.empty() && master)
    hint = cat(interface, " is a member of ", *master, "; some drivers refuse DCB changes there");
  return hint;
}

Result<> DcbProvider::send(const std::string& interface, const Dcb& now, const DriverQuirks& quirks,
                           const std::vector<DcbMessage>& messages) const {
  for (const DcbMessage& message : messages) {
    auto done = calls_.set(interface, message.set);
    if (!done) {
      Error error = std::move(done).error();
      const std::string hint = hint_for(interface, now, quirks, message);
      if (!hint.empty()) error.text += cat(" (", hint, ")");
      return fail_in(cat("setting ", message.what), std::move(error));
    }
    // ice_dcbnl_setapp() (intel/ice/ice_dcb_nl.c) answers 1 if the card refused the entry, which
    // stays in the kernel's table. Other positive answers (2 from ice_dcbnl_delapp()) are
    // successes.
    if (*done > 0 && std::holds_alternative<kernel::AddApp>(message.set))
      return fail(Errc::io, cat("setting ", message.what, ": the driver returned ", *done,
                                ": it recorded the entry, but the card refused it"));
  }
  return {};
}

Result<> DcbProvider::write(std::span<const Write> unit, const Contents&, const std::string&) {
  const auto target = unit.empty() ? std::nullopt : dcb_target(unit.front().address);
  if (!target) return fail(Errc::invalid, "nothing to write");
  const std::string interface(target->interface);
  const std::vector<std::string> names = {interface};
  // Read directly before writing: other values in the message are sent as they are now.
  TRY_ASSIGN(const Dcb now, std::move(calls_.get(names).front()));
  const DriverQuirks& quirks = driver_quirks(driver_of(interface));
  TRY_ASSIGN(const std::vector<DcbMessage> messages, dcb_messages(now, quirks, unit));
  if (messages.empty()) return {};
  const auto* const pfc = std::get_if<ieee_pfc>(&messages.front().set);
  const bool bounces =
      pfc != nullptr && pfc->pfc_en != now.pfc->pfc_en && quirks.pfc == Impact::link_bounce;
  const common::LinkState before = common::link_state(sys_, interface);
  const auto sent = send(interface, now, quirks, messages);
  // Also after a failure: half of it may be done, and undo needs a link that is up.
  const auto settled = common::settle(sys_, interface, before, bounces, calls_.settle);
  return sent ? settled : sent;
}

}  // namespace nettune::kinds::dcb
