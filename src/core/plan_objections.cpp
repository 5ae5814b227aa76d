// SPDX-License-Identifier: Apache-2.0
#include "core/plan_objections.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace nettune::inline core {

namespace {

void refuse(PlanItem& item, const PlanInput& input, std::string why) {
  if (input.leave_refused)
    item.leave(std::move(why));
  else
    item.refused = std::move(why);
}

/// The write can lock somebody out.
void object_to_lockout(PlanItem& item, const PlanInput& input, std::string why) {
  item.effects.impact = Impact::may_cut;
  item.lockout = why;
  if (!input.allow_management) refuse(item, input, std::move(why));
}

/// Guards by their device, and claims that revert a write by their setting: the first of each.
struct Objectors {
  std::map<std::string_view, const Guard*> guards;
  std::map<std::string_view, const Claim*> claims;

  explicit Objectors(const PlanInput& input) {
    for (const Guard& guard : input.guards) guards.emplace(guard.device, &guard);
    for (const Claim& claim : input.claims)
      if (claim.undoes) claims.emplace(claim.address.text, &claim);
  }
};

void refuse_if_cutting(PlanItem& item, const PlanInput& input, const Objectors& objectors) {
  if (const auto cut = input.cutting.find(item.setting.address); cut != input.cutting.end()) {
    object_to_lockout(item, input, cut->second);
    return;
  }
  if (item.effects.cuts.empty() || input.guards.empty()) return;
  const Guard* guard = nullptr;
  for (const std::string_view interface : words(item.effects.cuts)) {
    const auto found = objectors.guards.find(interface);
    if (interface == kEveryDevice) guard = &input.guards.front();
    if (found != objectors.guards.end()) guard = found->second;
    if (guard != nullptr) break;
  }
  if (guard != nullptr)
    object_to_lockout(item, input,
                      cat(guard->device, " ", guard->reason, ", and this change can cut it off"));
}

void refuse_if_reverted(PlanItem& item, const PlanInput& input, const Objectors& objectors) {
  if (input.accept_owners || item.role == PlanItem::Role::give_back) return;
  const auto found = objectors.claims.find(item.setting.address.text);
  if (found == objectors.claims.end()) return;
  refuse(item, input, found->second->text);
  item.refused_by_owner = !item.refused.empty();
}

}  // namespace

void object_to_writes(Plan& plan, const PlanInput& input) {
  const Objectors objectors(input);
  for (PlanItem& item : plan.items) {
    if (!item.to_write()) continue;
    refuse_if_cutting(item, input, objectors);
    if (item.to_write() && item.refused.empty()) refuse_if_reverted(item, input, objectors);
  }
}

}  // namespace nettune::inline core
