// SPDX-License-Identifier: Apache-2.0
#include "kinds/dcb/effects.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::kinds::dcb {
namespace {

using kernel::Dcb;

/// The values that ice gives ETS and PFC when its trust changes (the quirk trust_resets). With
/// fewer than eight classes some members stay, and nothing is predicted.
void add_reset(Effects& effects, const Dcb& now, const DcbTarget& target, bool to_dscp) {
  const bool foretold = now.ets && now.ets->ets_cap == IEEE_8021QAZ_MAX_TCS;
  const std::string why = to_dscp
                              ? "the first DSCP entry sets ETS to the card's defaults"
                              : "without DSCP entries, ETS and PFC return to the card's defaults";
  const auto add = [&](DcbKey key, std::optional<std::string> value, std::string reason) {
    if (!dcb_numbers(now, {target.interface, key, {}})) return;
    effects.touches.push_back(
        {dcb_address(target.interface, key), "", std::move(value), std::move(reason)});
  };
  const auto text = [&](DcbKey key, const DcbNumbers& numbers) {
    return foretold ? dcb::dcb_value_text(key, numbers) : std::nullopt;
  };
  const DcbNumbers same = {0, 1, 2, 3, 4, 5, 6, 7};
  const DcbNumbers zeros(IEEE_8021QAZ_MAX_TCS, 0);
  const DcbNumbers all_ets(IEEE_8021QAZ_MAX_TCS, IEEE_8021QAZ_TSA_ETS);
  DcbNumbers first_ets = zeros;
  first_ets[0] = IEEE_8021QAZ_TSA_ETS;
  DcbNumbers first_bw = zeros;
  first_bw[0] = 100;
  add(DcbKey::ets_prio_tc, text(DcbKey::ets_prio_tc, to_dscp ? same : zeros), why);
  add(DcbKey::ets_tsa, text(DcbKey::ets_tsa, to_dscp ? all_ets : first_ets), why);
  add(DcbKey::ets_bw, text(DcbKey::ets_bw, first_bw), why);
  if (!to_dscp) return add(DcbKey::pfc, dcb::dcb_value_text(DcbKey::pfc, DcbNumbers{0}), why);
  // It stays now and is cleared when undo removes the last entry, so it is recorded as well.
  if (now.pfc)
    add(DcbKey::pfc, dcb::dcb_value_text(DcbKey::pfc, DcbNumbers{now.pfc->pfc_en}),
        "undoing the entries clears it; undo sets it again");
}

void app_effects(Effects& effects, const Dcb& now, const DriverQuirks& quirks,
                 const DcbTarget& target, const Value& before, const Value& after) {
  effects.impact = quirks.app;
  if (!target.is_dscp()) return;
  const bool others = dscp_entries(now, target.entry) > 0;
  if (!others && !(before && after)) effects.impact = std::max(effects.impact, quirks.trust);
  // Undo of a new entry is its deletion.
  if (!before && after && !quirks.residue_of_dscp.empty()) {
    effects.undo = Undo::residue;
    effects.residue = quirks.residue_of_dscp;
  }
  if (!quirks.trust_resets) return;
  // An entry that is already there counts as the one that made the change.
  const auto there = dcb_numbers(now, target);
  const bool holds = after && there && dcb::dcb_value_text(DcbKey::app, *there) == after;
  if (after && (!others || holds)) add_reset(effects, now, target, true);
  // Others may be deleted in the same plan.
  if (!after) add_reset(effects, now, target, false);
}

bool all_zero(const DcbNumbers& numbers) {
  return std::ranges::all_of(numbers, [](std::uint64_t number) { return number == 0; });
}

void table_effects(Effects& effects, const Dcb& now, const DriverQuirks& quirks,
                   const DcbTarget& target) {
  const bool is_ets = target.key == DcbKey::ets_prio_tc || target.key == DcbKey::ets_tsa ||
                      target.key == DcbKey::ets_bw;
  if (is_ets) effects.impact = quirks.ets;
  if (target.key == DcbKey::pfc) effects.impact = quirks.pfc;
  if (!quirks.shows_zeros || !(is_ets || target.key == DcbKey::pfc)) return;
  const auto there = dcb_numbers(now, target);
  if (!there || !all_zero(*there)) return;
  effects.undo = Undo::residue;
  effects.residue = cat(quirks.driver,
                        " shows zeros until it is first set, whatever the card does; undo would "
                        "then write zeros");
}

}  // namespace

Effects dcb_effects(const Dcb& now, const DriverQuirks& quirks, const DcbTarget& target,
                    const Value& before, const Value& after) {
  Effects effects;
  effects.cuts = target.interface;
  if (target.key == DcbKey::app)
    app_effects(effects, now, quirks, target, before, after);
  else
    table_effects(effects, now, quirks, target);
  const auto old = target.key == DcbKey::pfc_delay && before ? parse_int(*before) : std::nullopt;
  if (old && quirks.max_delay > 0 && (*old == 0 || *old > quirks.max_delay))
    set_no_way_back(effects, before, cat(quirks.driver, " accepts only 1 to ", quirks.max_delay));
  return effects;
}

}  // namespace nettune::kinds::dcb
