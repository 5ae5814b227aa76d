// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/against_profile.hpp"

#include "base/text.hpp"
#include "node/planning.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor::program {

namespace {

/// The value of a file is a digest, which does not help a person.
std::string shown(const std::string& value) {
  return value.starts_with("sha256:") ? std::string("other content") : value;
}

facts::Observation of_item(const PlanItem& item) {
  facts::Observation seen;
  seen.what = kProfileSetting.name;
  seen.device = item.setting.address.text;
  seen.sureness = facts::Sureness::measured;
  const std::string want = item.setting.want.value_or("absent");
  switch (item.verdict) {
    case nettune::Verdict::not_applicable:
      seen.blank = facts::Blank::not_applicable;
      seen.text = item.now.why;
      return seen;
    case nettune::Verdict::not_permitted:
      seen.blank = facts::Blank::not_permitted;
      seen.text = item.now.why;
      return seen;
    case nettune::Verdict::unknown:
      seen.text = item.now.why;
      return seen;
    default:
      break;
  }
  const bool differs = item.to_write() || item.verdict == nettune::Verdict::missing;
  seen.value = differs ? "differs" : "holds";
  seen.text = differs
                  ? cat("the profile asks for ", shown(want), ", but it is ",
                        item.now.presence == Presence::present ? shown(item.now.text) : "not there")
                  : cat("it is ", shown(want));
  return seen;
}

}  // namespace

Result<std::vector<facts::Observation>> against_profile(node::Context& context,
                                                        const std::string& name) {
  TRY_ASSIGN(const node::Planned planned,
             node::plan_profile(context, name, std::nullopt, node::PlanRequest()));
  std::vector<facts::Observation> all;
  facts::Observation match;
  match.what = kProfileMatches.name;
  match.value = planned.resolved.misfits.empty() ? "yes" : "no";
  match.text = planned.resolved.misfits.empty() ? cat("the profile ", name, " is for this node")
                                                : join(planned.resolved.misfits, "; ");
  all.push_back(std::move(match));
  for (const PlanItem& item : planned.plan.items)
    if (item.role == PlanItem::Role::set) all.push_back(of_item(item));
  return all;
}

}  // namespace nettune::tools::doctor::program
