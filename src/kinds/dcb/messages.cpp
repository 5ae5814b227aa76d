// SPDX-License-Identifier: Apache-2.0
#include "kinds/dcb/messages.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "kinds/dcb/values.hpp"

namespace nettune::kinds::dcb {
namespace {

using kernel::Dcb;
using Messages = std::vector<DcbMessage>;

std::string what_of(const Write& write) {
  return cat(write.address.text, " to ", write.after.value_or("absent"));
}

Result<DcbNumbers> wanted_numbers(DcbKey key, const Write& write) {
  if (!write.after && key == DcbKey::app) return DcbNumbers{0};
  if (!write.after)
    return fail(Errc::invalid, cat("nothing to write to ", printable(write.address.text)));
  return dcb::parse_dcb_value(key, *write.after);
}

/// Deletions come first: bnxt_dcbnl_ieee_delapp() removes a DSCP from the firmware's map whatever
/// its priority is, and ice takes no second priority. A deletion for a replaced priority is sent
/// first and alone, so that trust does not fall back to PCP in between.
void add_app(Messages& messages, const Dcb& now, const DriverQuirks& quirks,
             const DcbTarget& target, std::uint64_t wanted, const Write& write) {
  const std::uint64_t there = (*dcb_numbers(now, target))[0];
  const auto each = [&](std::uint64_t priorities, auto make) {
    for (std::uint8_t priority = 0; priority < 64; ++priority) {
      if ((priorities >> priority & 1U) == 0) continue;
      messages.push_back(
          {make(dcb_app{target.entry.selector, priority, target.entry.protocol}), what_of(write)});
    }
  };
  const std::uint64_t missing = wanted & ~there;
  const bool replaced = quirks.replaces && target.is_dscp() && missing != 0;
  if (!replaced)
    each(there & ~wanted, [](const dcb_app& entry) { return kernel::DeleteApp{entry}; });
  each(missing, [](const dcb_app& entry) { return kernel::AddApp{entry}; });
}

void add_dcbx(Messages& messages, std::uint8_t now, const DriverQuirks& quirks, std::uint8_t wanted,
              const Write& write) {
  const auto add = [&](int mode) {
    messages.push_back({kernel::SetDcbx{static_cast<std::uint8_t>(mode)}, what_of(write)});
  };
  if (now == wanted) return;
  if (!quirks.zero_is_firmware || (wanted & DCB_CAP_DCBX_HOST) != 0) return add(wanted);
  // mlx5 takes versions only together with host; 0 removes host.
  if ((now & ~DCB_CAP_DCBX_HOST) != wanted) add(wanted | DCB_CAP_DCBX_HOST);
  add(0);
}

Result<> check(const Dcb& now, const DriverQuirks& quirks, const DcbTarget& target,
               const DcbNumbers& wanted, const Write& write) {
  if (target.key == DcbKey::pfc_delay && quirks.max_delay > 0 &&
      (wanted[0] == 0 || wanted[0] > static_cast<std::uint64_t>(quirks.max_delay))) {
    return fail(Errc::invalid,
                cat("setting ", what_of(write), ": ", quirks.driver, " accepts only 1 to ",
                    quirks.max_delay, " and silently ignores everything else"));
  }
  if (target.key == DcbKey::ets_prio_tc && quirks.trust_resets && dscp_entries(now) > 0 &&
      dcb_numbers(now, target) != wanted) {
    return fail(Errc::invalid,
                cat("setting ", what_of(write), ": with DSCP entries, ", quirks.driver,
                    " maps each priority to the class of the same number; set 0,1,2,3,4,5,6,7"));
  }
  return {};
}

/// The table with a key, in the form in which it is sent.
kernel::DcbSet table_of(const Dcb& dcb, DcbKey key) {
  switch (key) {
    case DcbKey::pfc:
    case DcbKey::pfc_delay:
      return *dcb.pfc;
    case DcbKey::maxrate:
      return *dcb.maxrate;
    case DcbKey::buffer_prio:
    case DcbKey::buffer_size:
      return *dcb.buffer;
    default:
      return *dcb.ets;
  }
}

std::string ets_hint(const ieee_ets& ets) {
  unsigned sum = 0;
  bool any = false;
  for (int i = 0; i < IEEE_8021QAZ_MAX_TCS; ++i) {
    if (ets.tc_tsa[i] != IEEE_8021QAZ_TSA_ETS) continue;
    any = true;
    sum += ets.tc_tx_bw[i];
  }
  if (!any || sum == 100) return {};
  return cat("the bandwidths of its ets classes sum to ", sum,
             ", not 100; set ets-tsa and ets-bw together");
}

}  // namespace

Result<Messages> dcb_messages(const Dcb& now, const DriverQuirks& quirks,
                              std::span<const Write> unit) {
  Messages messages;
  Dcb wanted = now;
  DcbKey table = DcbKey::app;
  bool changed = false;
  std::vector<std::string> of_table;
  for (const Write& write : unit) {
    const auto target = dcb_target(write.address);
    if (!target)
      return fail(Errc::invalid, cat("nothing to write to ", printable(write.address.text)));
    TRY_ASSIGN(const DcbNumbers numbers, wanted_numbers(target->key, write));
    const auto there = dcb_numbers(now, *target);
    if (!there)
      return fail(Errc::unsupported, cat("setting ", what_of(write), ": its driver has none"));
    TRY(check(now, quirks, *target, numbers, write));
    if (target->key == DcbKey::app) {
      add_app(messages, now, quirks, *target, numbers[0], write);
    } else if (target->key == DcbKey::dcbx) {
      add_dcbx(messages, *now.dcbx, quirks, static_cast<std::uint8_t>(numbers[0]), write);
    } else {
      put_dcb_numbers(wanted, target->key, numbers);
      table = target->key;
      changed = changed || there != numbers;
      of_table.push_back(what_of(write));
    }
  }
  if (changed) messages.push_back({table_of(wanted, table), join(of_table, ", ")});
  return messages;
}

std::string dcb_hint(const Dcb& now, const DriverQuirks& quirks, const DcbMessage& message) {
  const std::uint8_t mode = now.dcbx.value_or(DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE);
  if ((mode & DCB_CAP_DCBX_LLD_MANAGED) != 0)
    return "the card's LLDP agent controls DCB (dcbx is lld-managed); disable it first: on ice "
           "with the private flag fw-lldp-agent = off, on other cards in the firmware's "
           "configuration";
  const bool is_dcbx = std::holds_alternative<kernel::SetDcbx>(message.set);
  if (is_dcbx) return {};
  if ((mode & DCB_CAP_DCBX_VER_IEEE) == 0 || (mode & DCB_CAP_DCBX_HOST) == 0)
    return "dcbx is not host,ieee, which several drivers require; also set it";
  if (const auto* const ets = std::get_if<ieee_ets>(&message.set)) return ets_hint(*ets);
  const bool is_app = std::holds_alternative<kernel::AddApp>(message.set) ||
                      std::holds_alternative<kernel::DeleteApp>(message.set);
  // mlx5e_dcbnl_ieee_setapp(), _delapp(): fw_err. The error is not readable anywhere.
  if (is_app && quirks.replaces && dscp_entries(now) > 0)
    return cat(
        quirks.driver,
        " may trust PCP after this although other DSCPs have entries; to be sure, delete all "
        "DSCP entries with 'dcb app' and apply again");
  if (std::holds_alternative<ieee_pfc>(message.set) && quirks.shows_zeros && now.ets &&
      std::ranges::all_of(now.ets->prio_tc, [](std::uint8_t tc) { return tc == 0; }))
    return cat(quirks.driver, " accepts PFC only after an ETS setting; also set ets-prio-tc");
  return {};
}

}  // namespace nettune::kinds::dcb
