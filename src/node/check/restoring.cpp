// SPDX-License-Identifier: Apache-2.0
#include "node/check/restoring.hpp"

#include "base/text.hpp"
#include "kinds/file/kind.hpp"
#include "node/display_text.hpp"
#include "node/objections.hpp"
#include "node/planning.hpp"
#include "node/write_access.hpp"

namespace nettune::node::check {

namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

/// As nettune reapply does it.
Result<Planned> plan_again(Context& context, const StateView& state, const ChangeRequest& change) {
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TRY_ASSIGN(Engine engine, make_engine(context, *providers));
  TRY_ASSIGN(Desired desired, engine.target(state.active->number));
  PlanRequest request = request_of(change, state);
  request.per_device = true;
  return plan_desired(context, std::move(desired), state.active, request);
}

Result<> find_options(Context& context, const StateView& state, Planned& planned,
                      Restoring& restoring) {
  ChangeRequest change;
  Objection objection = objection_to_plan("reapply", planned, change);
  if (objection.exit != Exit::done) {
    change.accept_owners = true;
    TRY_ASSIGN(planned, plan_again(context, state, change));
    objection = objection_to_plan("reapply", planned, change);
    if (objection.exit == Exit::done) restoring.options.emplace_back("--accept-owners");
  }
  if (objection.exit == Exit::done) {
    TRY_ASSIGN(const facts::Facts* const facts, context.facts());
    objection = objection_of_node("reapply", planned, state, *facts, change);
    if (objection.exit != Exit::done) {
      change.allow_busy = true;
      objection = objection_of_node("reapply", planned, state, *facts, change);
      if (objection.exit == Exit::done) restoring.options.emplace_back("--allow-busy");
    }
  }
  if (objection.exit != Exit::done) restoring.refused = objection.why;
  return {};
}

}  // namespace

Result<Restoring> how_to_restore(Context& context, const Checked& checked) {
  Restoring restoring;
  if (!checked.held || checked.state.active->image) return restoring;
  const std::vector<PlanItem> apart = not_in_sync(*checked.held);
  if (apart.empty()) return restoring;
  TRY_ASSIGN(Planned planned, plan_again(context, checked.state, {}));
  for (const PlanItem& item : apart) {
    const Address& address = item.setting.address;
    for (const Claim& claim : planned.plan.claims)
      if (claim.address == address && !claim.value.empty() && claim.value == item.now.text)
        restoring.set_by[address] = claim.line > 0 ? cat(claim.file, ":", claim.line) : claim.file;
    if (!kinds::file::kFile.has(address)) continue;
    if (const auto info = context.disk().info(std::string(address.rest())); info && *info)
      restoring.since_s[address] = (*info)->mtime_ns / kNanosecondsPerSecond;
  }
  TRY(find_options(context, checked.state, planned, restoring));
  return restoring;
}

}  // namespace nettune::node::check
