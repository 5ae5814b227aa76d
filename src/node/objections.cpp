// SPDX-License-Identifier: Apache-2.0
#include "node/objections.hpp"

#include "base/text.hpp"
#include "core/contents_view.hpp"
#include "node/confirm/probing.hpp"
#include "node/devices.hpp"
#include "node/display_text.hpp"

namespace nettune::node {

namespace {

/// The first change of the plan with this property; null for none.
template <class Predicate>
const PlanItem* first(const Plan& plan, Predicate predicate) {
  for (const PlanItem& item : plan.items)
    if (item.to_write() && predicate(item)) return &item;
  return nullptr;
}

/// A change that cannot be undone needs a flag, and cannot wait for confirmation.
Objection objection_to_lasting(const std::string& command, const Planned& planned,
                               const ChangeRequest& change) {
  const PlanItem* const lasting = first(planned.plan, [](const PlanItem& each) {
    return each.role == PlanItem::Role::set && each.effects.undo == Undo::none;
  });
  const std::string what = lasting ? cat(lasting->setting.address.text, " cannot be undone (",
                                         printable(lasting->effects.residue), ")")
                                   : planned.lasting;
  if (what.empty()) return {};
  if (change.confirm_s > 0)
    return {Exit::refused, cat(what,
                               ", so it can neither wait for confirmation nor be reverted "
                               "automatically; apply it without --confirm, --probe and --for")};
  if (command == "apply" && !change.accept_no_undo)
    return {Exit::refused, cat(what, "; if you accept that, add --accept-no-undo")};
  return {};
}

/// What a person must allow first, by the flag that it names.
Objection objection_to_unasked(const std::string& command, const Plan& plan,
                               const ChangeRequest& change) {
  if (command != "apply") return {};
  const auto is_allowed = [&](const std::string& flag) {
    return flag.empty() || (flag == "--allow-no-trial" && change.allow_no_trial) ||
           (flag == "--allow-weaker-security" && change.allow_weaker_security) ||
           (flag == "--allow-stop-units" && change.allow_stop_units);
  };
  const PlanItem* const item =
      first(plan, [&](const PlanItem& each) { return !is_allowed(each.effects.asks.flag); });
  if (item == nullptr) return {};
  return {Exit::refused, cat(item->setting.address.text, ": ", printable(item->effects.asks.why),
                             "; if you accept that, add ", item->effects.asks.flag)};
}

/// Whose traffic a write disturbs: an interface, an RDMA device, or "" for any.
std::string disturbed_by(const PlanItem& item) {
  if (words(item.effects.cuts).size() > 1 || item.effects.cuts == kEveryDevice) return {};
  const std::string device = device_in(item.setting.address);
  return device.empty() ? item.effects.cuts : device;
}

/// A busy card is left alone. An idle card beside it may be changed, unless something node-wide (a
/// GPU process, a scheduler) may use it at any moment.
Objection objection_to_disturbing(const Plan& plan, const facts::Facts& facts,
                                  const ChangeRequest& change) {
  if (change.allow_busy) return {};
  for (const PlanItem& item : plan.items) {
    if (!item.to_write() || item.effects.impact == Impact::none) continue;
    const auto work = facts.work_on(disturbed_by(item));
    if (work.empty()) continue;
    return {change.unattended ? Exit::drift : Exit::refused,
            cat("pending: ", item.setting.address.text, " disturbs traffic (",
                impact_text(item.effects.impact), "), and ", use_text(*work.front()),
                "; wait, or add --allow-busy")};
  }
  return {};
}

/// Nobody watches when automation changes an MTU, and oversized packets vanish silently: so a probe
/// must watch. A reapply restores a state that was confirmed before.
Objection objection_to_blind_mtu(const std::string& command, const Planned& planned,
                                 const facts::Facts& facts, const ChangeRequest& change) {
  if (!change.unattended || command != "apply") return {};
  const std::vector<std::string> devices =
      confirm::unprobed_mtu(planned.plan, facts, change.probes);
  if (devices.empty()) return {};
  return {Exit::refused, cat("the MTU of ", join(devices, ", "),
                             " would be changed unattended, but no probe tests that full-size "
                             "packets still pass; add --probe path:PEER%",
                             devices.front(), " with a neighbour there")};
}

}  // namespace

std::string use_text(const facts::Work& work) {
  if (work.device.empty()) return cat("this node is busy (", printable(work.what), ")");
  return cat(printable(work.device), " is in use (", printable(work.what),
             work.pid > 0 ? cat(", pid ", work.pid) : "", ": ", printable(work.detail), ")");
}

Objection objection_to_plan(const std::string& command, const Planned& planned,
                            const ChangeRequest& change) {
  const profile::Resolved& resolved = planned.resolved;
  if (!resolved.misfits.empty())
    return {Exit::refused,
            cat("the profile does not match this node: ", printable(resolved.misfits.front()))};
  if (!resolved.cautions.empty() && !change.accept_cautions)
    return {Exit::refused, cat(printable(resolved.cautions.front()),
                               "; if you accept that, add --accept-cautions")};
  if (const PlanItem* const item =
          first(planned.plan, [](const PlanItem& each) { return !each.refused.empty(); }))
    return {Exit::refused,
            cat(item->setting.address.text, ": ", printable(item->refused),
                item->refused_by_owner ? "; to write it anyway, add --accept-owners"
                                       : "; if it may be cut off, add --allow-management --confirm "
                                         "120, and confirm from a new login")};
  if (Objection unasked = objection_to_unasked(command, planned.plan, change);
      unasked.exit != Exit::done)
    return unasked;
  return objection_to_lasting(command, planned, change);
}

Objection objection_to_denied(const Plan& plan, const facts::Node& node) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> names;
  std::string why;
  bool impossible = true;  // nobody may write any of them: no such value
  for (const PlanItem& item : plan.items) {
    if (item.verdict != Verdict::not_permitted || item.setting.optional) continue;
    const bool is_sysctl = item.setting.address.kind() == "sysctl";
    if (names.empty()) why = item.now.why;
    impossible = impossible && item.now.why == item.effects.impossible;
    names.push_back(printable(is_sysctl ? item.setting.address.rest() : item.setting.address.text));
  }
  if (names.empty()) return {};
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  if (impossible)
    return {Exit::not_permitted,
            cat(join(names, ", "), more > 0 ? cat(" and ", more, " more") : "",
                " cannot have the wanted value (", printable(why),
                "); correct it in the profile, or apply the rest with --only ADDRESS")};
  const bool contained = !node.container.empty();
  return {Exit::not_permitted,
          cat(join(names, ", "), more > 0 ? cat(" and ", more, " more") : "",
              contained ? " cannot be written in this container (" : " cannot be written here (",
              printable(why), "); ", contained ? "run nettune on the host, or " : "",
              "apply the rest with --only ADDRESS")};
}

Objection objection_to_lost(const Planned& planned, State& state) {
  for (const PlanItem& item : planned.plan.items) {
    const std::string digest = item.to_write() ? content_digest(item.after) : std::string();
    if (digest.empty() || planned.resolved.desired.contents.contains(digest)) continue;
    if (const auto content = state.blob(digest); !content)
      return {Exit::failed, cat("the content for ", printable(item.setting.address.text),
                                " is lost: ", content.error().text)};
  }
  return {};
}

Objection objection_of_hold(const StateView& state, const ChangeRequest& change) {
  if (!change.unattended || !state.hold) return {};
  return {Exit::refused, cat("this node is on hold by ", printable(state.hold->who),
                             "; nettune release ends that")};
}

Objection objection_of_node(const std::string& command, const Planned& planned,
                            const StateView& state, const facts::Facts& facts,
                            const ChangeRequest& change) {
  if (Objection hold = objection_of_hold(state, change); hold.exit != Exit::done) return hold;
  if (Objection busy = objection_to_disturbing(planned.plan, facts, change);
      busy.exit != Exit::done)
    return busy;
  return objection_to_blind_mtu(command, planned, facts, change);
}

}  // namespace nettune::node
