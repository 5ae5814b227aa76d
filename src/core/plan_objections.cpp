// SPDX-License-Identifier: Apache-2.0
#include "core/plan_objections.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace nettune {

namespace {

void refuse(PlanItem& item, const PlanInput& input, std::string why) {
  if (input.leave_refused)
    item.leave(std::move(why));
  else
    item.refused = std::move(why);
}

void refuse_if_cutting(PlanItem& item, const PlanInput& input) {
  if (const auto cut = input.cutting.find(item.setting.address); cut != input.cutting.end()) {
    item.effects.impact = Impact::may_cut;
    if (!input.allow_management) refuse(item, input, cut->second);
    return;
  }
  if (item.effects.cuts.empty()) return;
  const auto found = std::find_if(input.guards.begin(), input.guards.end(), [&](const Guard& g) {
    return item.effects.cuts == kEveryDevice || g.device == item.effects.cuts;
  });
  if (found == input.guards.end()) return;
  item.effects.impact = Impact::may_cut;
  if (!input.allow_management)
    refuse(item, input, cat(found->device, " ", found->reason, ", and this change can cut it off"));
}

void refuse_if_reverted(PlanItem& item, const PlanInput& input) {
  if (input.accept_owners || item.role == PlanItem::Role::give_back) return;
  const auto found = std::find_if(input.claims.begin(), input.claims.end(), [&](const Claim& c) {
    return c.undoes && c.address == item.setting.address;
  });
  if (found == input.claims.end()) return;
  refuse(item, input, found->text);
  item.refused_by_owner = !item.refused.empty();
}

}  // namespace

void object_to_writes(Plan& plan, const PlanInput& input) {
  for (PlanItem& item : plan.items) {
    if (!item.to_write()) continue;
    refuse_if_cutting(item, input);
    if (item.to_write() && item.refused.empty()) refuse_if_reverted(item, input);
  }
}

}  // namespace nettune
