// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/mistakes.hpp"
#include "base/text.hpp"
#include "core/plan.hpp"
#include "core/plan_groups.hpp"
#include "core/plan_objections.hpp"
#include "core/plan_order.hpp"
#include "core/plan_scope.hpp"

namespace nettune::inline core {

namespace {

/// Makes one plan. The steps are in the order in which make() calls them.
class Planner {
 public:
  Planner(const PlanInput& input, const Providers& providers)
      : input_(input), providers_(providers) {}

  Result<Plan> make() {
    plan_.profile = input_.desired.profile;
    plan_.claims = input_.claims;
    plan_.notes = input_.desired.notes;
    plan_.owned = with_debts(input_.owned, input_.debts);
    plan_.owned_gone = input_.owned_gone;
    plan_.found = input_.found;
    plan_.absent = input_.desired.absent;
    plan_.debts = add_debts({}, input_.debts);
    plan_.debts_gone = input_.debts_gone;
    TRY(add_wanted());
    read();
    TRY(add_given_back());
    for (PlanItem& item : plan_.items) item.now = readings_[item.setting.address];
    for (PlanItem& item : plan_.items) judge(item);
    for (PlanItem& item : plan_.items) judge_not_yet(item);
    leave_to_movers();
    combine_effects();
    judge_moved_along();
    judge_units();
    leave_out_of_scope(plan_, input_, after_);
    owe_obstructed();
    give_up_groups(plan_, input_, index_, providers_);
    judge_hazards();
    judge_effect();
    judge_turns();
    object_to_writes(plan_, input_);
    order_items(plan_, {index_, after_}, providers_);
    return std::move(plan_);
  }

 private:
  Result<> add_wanted() {
    Mistakes mistakes;
    for (const Setting& setting : input_.desired.settings) {
      const Provider* const provider = providers_.find(setting.address.kind());
      if (!provider) {
        mistakes.add({Errc::invalid,
                      cat(setting.address.text, " is not a kind of setting that nettune knows"), 0,
                      setting.origin.file, setting.origin.line});
        continue;
      }
      auto canonical = provider->canonical(setting.address, setting.want);
      if (!canonical) {
        Error error = std::move(canonical).error();
        error.file = setting.origin.file;
        error.line = setting.origin.line;
        mistakes.add(std::move(error));
        continue;
      }
      PlanItem item;
      item.setting = setting;
      item.setting.want = std::move(*canonical);
      add(std::move(item), *provider);
    }
    return mistakes.result();
  }

  /// Managed settings that are no longer wanted return to their baseline.
  Result<> add_given_back() {
    for (const auto& [address, owned] : plan_.owned) {
      if (index_.contains(address)) continue;
      if (!owned.cause.text.empty() && still_touched(address, owned.cause)) continue;
      const Provider* const provider = providers_.find(address.kind());
      if (!provider)
        return fail(Errc::corrupt,
                    cat("the active generation manages ", address.text,
                        ", which this nettune does not know; use the version that wrote it"));
      PlanItem item;
      item.role = PlanItem::Role::give_back;
      item.setting.address = address;
      item.setting.device = owned.device;
      item.setting.want = owned.baseline;
      item.setting.origin.file = "baseline";
      item.setting.optional = !owned.cause.text.empty();
      add(std::move(item), *provider);
    }
    return {};
  }

  /// A side effect stays managed as long as any wanted setting changes it, even a new one.
  bool still_touched(const Address& witness, const Address& cause) {
    if (set_by_plan(cause)) return true;
    if (!touched_by_) find_touched();
    const auto other = touched_by_->find(witness);
    if (other == touched_by_->end()) return false;
    plan_.owned.at(witness).cause = other->second;
    return true;
  }

  bool set_by_plan(const Address& address) const {
    const auto found = index_.find(address);
    return found != index_.end() && plan_.items[found->second].role == PlanItem::Role::set;
  }

  void find_touched() {
    touched_by_.emplace();
    for (const Setting& setting : input_.desired.settings) {
      Provider& provider = *providers_.find(setting.address.kind());
      for (Witness& touched : provider.effects(setting.address, Value(), setting.want).touches)
        touched_by_->emplace(std::move(touched.address), setting.address);
    }
  }

  void add(PlanItem item, const Provider& provider) {
    item.lifetime = provider.lifetime(item.setting.address);
    item.takes_effect = provider.takes_effect(item.setting.address);
    item.unit = provider.unit(item.setting.address);
    index_.emplace(item.setting.address, plan_.items.size());
    plan_.items.push_back(std::move(item));
  }

  /// Reads everything relevant, wanted or managed, in one pass.
  void read() {
    std::set<Address> addresses;
    for (const PlanItem& item : plan_.items) addresses.insert(item.setting.address);
    for (const auto& [address, owned] : plan_.owned) addresses.insert(address);
    readings_ = read_all({addresses.begin(), addresses.end()}, providers_);
  }

  void judge(PlanItem& item) {
    switch (item.now.presence) {
      case Presence::present:
      case Presence::absent:
        judge_value(item);
        break;
      case Presence::missing:
        item.verdict = Verdict::missing;
        break;
      case Presence::not_yet:
        item.verdict = Verdict::not_yet;
        break;
      case Presence::not_applicable:
        item.verdict = Verdict::not_applicable;
        break;
      case Presence::not_permitted: {
        // A foreign object in its place does not hold up the rest.
        if (item.role == PlanItem::Role::give_back && item.now.displaced) {
          item.leave(item.now.why);
          break;
        }
        const bool holds = !item.now.text.empty() &&
                           satisfies(item.setting.relation, item.setting.want, item.now.text);
        item.verdict = holds ? Verdict::in_sync : Verdict::not_permitted;
        break;
      }
      case Presence::unknown:
        item.verdict = Verdict::unknown;
        break;
    }
  }

  void judge_value(PlanItem& item) {
    const Value now = item.now.value();
    const auto owned_before = plan_.owned.find(item.setting.address);
    if (holds(item.setting, now,
              owned_before == plan_.owned.end() ? nullptr : &owned_before->second)) {
      item.verdict = Verdict::in_sync;
      return;
    }
    if (is_refused_again(item)) {
      item.verdict = Verdict::refused;
      return;
    }
    if (item.role == PlanItem::Role::give_back) {
      const Provider& provider = *providers_.find(item.setting.address.kind());
      const Owned& owned = owned_before->second;
      if (!provider.stays().empty()) {
        leave_for_good(item, std::string(provider.stays()));
        return;
      }
      const Effects made = provider_effects(item, owned);
      if (made.undo == Undo::none) {
        leave_for_good(item, cat("it cannot be undone: ", made.residue));
        return;
      }
      // What hides the value (a mount over the file) says nothing about who changed it.
      if (!made.obstructed && !is_ours(provider, owned, now) && !input_.force) {
        leave_for_good(item, cat("somebody changed it since nettune set it to ",
                                 owned.committed ? *owned.committed : std::string("absent")));
        item.changed_by_others = true;
        return;
      }
    }
    item.verdict = Verdict::different;
    want_write(item, value_to_write(item.setting.relation, item.setting.want, now));
  }

  /// A list of the kernel decides, unless the value was in it when it was refused.
  bool is_refused_again(PlanItem& item) {
    const Setting& setting = item.setting;
    const auto found = input_.refused.find(setting.address);
    if (found == input_.refused.end() || !setting.optional || !setting.want) return false;
    const Refusal& refusal = found->second;
    if (refusal.want != setting.want || refusal.device != setting.device) return false;
    Provider& provider = *providers_.find(setting.address.kind());
    if (!refusal.was_listed && provider.lists(setting.address, *setting.want)) return false;
    item.now.why = refusal.why;
    plan_.refused.emplace(setting.address, refusal);
    return true;
  }

  /// Also if an undo had to leave a value behind.
  bool is_ours(const Provider& provider, const Owned& owned, const Value& now) const {
    if (provider.is_still(owned.committed, now)) return true;
    const Debt* const debt = find_debt(plan_.debts, owned.address);
    return debt != nullptr && provider.is_still(debt->owed.committed, now);
  }

  /// The effects of nettune's own change from the baseline.
  Effects provider_effects(const PlanItem& item, const Owned& owned) {
    return providers_.find(item.setting.address.kind())
        ->effects(item.setting.address, owned.baseline, owned.committed);
  }

  /// Another reading will not change that.
  static void leave_for_good(PlanItem& item, std::string why) {
    item.leave(std::move(why));
    item.for_good = true;
  }

  void want_write(PlanItem& item, Value after) {
    item.after = std::move(after);
    Provider& provider = *providers_.find(item.setting.address.kind());
    item.effects = provider.effects(item.setting.address, item.now.value(), item.after);
    // What the kernel had once it is asked for again: a restore does not stop at a guess.
    const bool tries = item.setting.optional || item.role == PlanItem::Role::give_back;
    const std::string& why = !item.effects.not_permitted.empty() || tries
                                 ? item.effects.not_permitted
                                 : item.effects.impossible;
    if (why.empty()) return;
    item.verdict = Verdict::not_permitted;
    item.now.why = why;
  }

  /// A setting that exists only after another one is written is fine if this plan writes that one.
  void judge_not_yet(PlanItem& item) {
    if (item.verdict != Verdict::not_yet) return;
    const auto cause = index_.find(Address{item.now.why});
    const bool coming =
        cause != index_.end() && plan_.items[cause->second].verdict == Verdict::different;
    if (coming) {
      after_[index_.at(item.setting.address)].push_back(cause->second);  // also on restore
      want_write(item, item.setting.want);
      return;
    }
    item.verdict = Verdict::not_applicable;
    item.now.why = cat("it exists only after ", item.now.why);
  }

  /// A setting cannot return to its baseline if a wanted one changes it: through a write of this
  /// plan, or one that would have to follow because each changes the other (a time in seconds and
  /// in milliseconds). It stays managed as a side effect.
  void leave_to_movers() {
    if (plan_.owned.empty()) return;
    for (const PlanItem& mover : plan_.items) {
      if (mover.role != PlanItem::Role::set || !mover.to_write()) continue;
      for (const Witness& touched : mover.effects.touches)
        if (touched.predicted) leave_to(mover, touched.address);
    }
    for (const PlanItem& item : plan_.items) {
      if (item.role != PlanItem::Role::give_back || !item.to_write()) continue;
      const auto other = std::ranges::find_if(item.effects.touches, [&](const Witness& touched) {
        return set_by_plan(touched.address) && moves(touched.address, item.setting.address);
      });
      if (other != item.effects.touches.end())
        leave_to(plan_.items[index_.at(other->address)], item.setting.address);
    }
  }

  void leave_to(const PlanItem& mover, const Address& address) {
    const auto found = index_.find(address);
    if (found == index_.end()) return;
    PlanItem& item = plan_.items[found->second];
    const bool goes_back = item.to_write() || item.verdict == Verdict::in_sync;
    if (item.role != PlanItem::Role::give_back || !goes_back) return;
    plan_.owned.at(address).cause = mover.setting.address;
    item.verdict = Verdict::in_sync;
    item.setting.want = item.now.value();
    item.setting.origin = mover.setting.origin;
  }

  /// What is written together may move more than each alone.
  void combine_effects() {
    std::map<std::string_view, std::vector<PlanItem*>> units;
    for (PlanItem& item : plan_.items)
      if (item.to_write()) units[item.unit].push_back(&item);
    for (const auto& [unit, items] : units) {
      if (items.size() == 1) continue;
      std::vector<Write> writes;
      std::vector<Effects*> effects;
      for (PlanItem* const item : items) {
        writes.push_back({item->setting.address, item->now.value(), item->after});
        effects.push_back(&item->effects);
      }
      providers_.find(items.front()->setting.address.kind())->combine(writes, effects);
    }
  }

  bool stays_with(const PlanItem& moved, const PlanItem& mover) const {
    return moved.role == PlanItem::Role::give_back && mover.role == PlanItem::Role::set &&
           plan_.owned.at(moved.setting.address).cause == mover.setting.address;
  }

  bool moves(const Address& mover, const Address& other) const {
    const Value& want = plan_.items[index_.at(mover)].setting.want;
    const Effects made = providers_.find(mover.kind())->effects(mover, Value(), want);
    return std::ranges::find(made.touches, other, &Witness::address) != made.touches.end();
  }

  /// A value that is right now but changed by another write of this plan is written after that one.
  void judge_moved_along() {
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      if (!plan_.items[i].to_write()) continue;
      const std::vector<Witness> touches = plan_.items[i].effects.touches;
      for (const Witness& witness : touches) {
        const auto found = index_.find(witness.address);
        if (found == index_.end() || found->second == i) continue;
        PlanItem& moved = plan_.items[found->second];
        after_[found->second].push_back(i);
        if (moved.verdict != Verdict::in_sync || stays_with(moved, plan_.items[i])) continue;
        // The result is not always predictable: then it is read again, and written if necessary.
        const Value then = witness.predicted ? witness.predicted : moved.now.value();
        if (witness.predicted && satisfies(moved.setting.relation, moved.setting.want, then))
          continue;
        moved.verdict = Verdict::different;
        want_write(moved, value_to_write(moved.setting.relation, moved.setting.want, then));
      }
    }
  }

  /// A unit is written as a whole: if one part may not be written, none may.
  void judge_units() {
    std::map<std::string_view, std::string_view> barred;
    for (const PlanItem& item : plan_.items)
      if (item.verdict == Verdict::not_permitted) barred.emplace(item.unit, item.now.why);
    if (barred.empty()) return;
    for (PlanItem& item : plan_.items) {
      const auto found = barred.find(item.unit);
      if (found == barred.end() || !item.to_write()) continue;
      item.verdict = Verdict::not_permitted;
      item.now.why = found->second;
    }
  }

  /// The value of an address once this plan is written.
  Value later(const Address& address) {
    const auto found = index_.find(address);
    if (found != index_.end() && plan_.items[found->second].to_write())
      return plan_.items[found->second].after;
    if (const Witness* const moved = side_effect_on(address)) return moved->predicted;
    auto known = readings_.find(address);
    if (known == readings_.end() && providers_.find(address.kind()))
      known = readings_.emplace(address, read_all({address}, providers_)[address]).first;
    return known == readings_.end() ? Value() : known->second.value();
  }

  /// The side effect of this plan that changes an address which it does not write; null if none.
  const Witness* side_effect_on(const Address& address) {
    if (!moved_) {
      moved_.emplace();
      for (const PlanItem& item : plan_.items)
        if (item.to_write())
          for (const Witness& touched : item.effects.touches)
            if (touched.predicted) moved_->emplace(touched.address, &touched);
    }
    const auto found = moved_->find(address);
    return found == moved_->end() ? nullptr : found->second;
  }

  /// What other settings do not prevent is an effect like the others.
  void judge_hazards() {
    std::set<Address> unknown;
    for (const PlanItem& item : plan_.items)
      if (item.to_write())
        for (const Hazard& hazard : item.effects.hazards)
          if (!readings_.contains(hazard.unless)) unknown.insert(hazard.unless);
    readings_.merge(read_all({unknown.begin(), unknown.end()}, providers_));
    for (PlanItem& item : plan_.items) {
      const std::vector<Hazard> hazards = std::move(item.effects.hazards);
      if (!item.to_write()) continue;
      for (const Hazard& hazard : hazards) {
        const auto known = readings_.find(hazard.unless);
        const bool is_none =
            known != readings_.end() && known->second.presence == Presence::not_applicable;
        if (is_none || later(hazard.unless) == hazard.value) continue;
        if (!hazard.cuts.empty()) add_cut(item.effects, hazard.cuts);
        if (!hazard.residue.empty()) add_residue(item.effects, hazard.residue);
      }
    }
  }

  void judge_effect() {
    const auto later_value = [this](const Address& address) { return later(address); };
    for (PlanItem& item : plan_.items) {
      const bool holds = item.to_write() || item.verdict == Verdict::in_sync;
      if (item.role != PlanItem::Role::set || !holds) continue;
      const Address& address = item.setting.address;
      item.no_effect =
          providers_.find(address.kind())->no_effect(address, later(address), later_value);
    }
  }

  /// What changes along with the end of a protection is written after it.
  void judge_turns() {
    for (PlanItem& item : plan_.items) {
      if (!item.to_write()) continue;
      const Address& address = item.setting.address;
      const Turn turn =
          providers_.find(address.kind())->turn(address, item.now.value(), item.after);
      if (item.turn == Turn::usual) item.turn = turn;
      if (turn != Turn::last) continue;
      for (const Witness& touched : item.effects.touches)
        if (const auto moved = index_.find(touched.address); moved != index_.end())
          plan_.items[moved->second].turn = Turn::last;
    }
  }

  /// What is at a target now holds up nothing else that is restored or applied again.
  void owe_obstructed() {
    for (PlanItem& item : plan_.items) {
      const bool goes_on =
          item.role == PlanItem::Role::give_back || (input_.per_device && !item.setting.optional);
      if (!goes_on || item.verdict != Verdict::not_permitted || !item.effects.obstructed) continue;
      owe(item, item.now.why);
    }
    // Nor is a directory removed before what is in it.
    for (bool more = true; more;) {
      more = false;
      for (const PlanItem& held : plan_.items) {
        if (!held.owed || held.role != PlanItem::Role::give_back) continue;
        const Address& address = held.setting.address;
        for (const Address& outer : providers_.find(address.kind())->needs(address)) {
          const auto found = index_.find(outer);
          if (found == index_.end()) continue;
          PlanItem& item = plan_.items[found->second];
          if (item.role != PlanItem::Role::give_back || !item.to_write()) continue;
          owe(item, cat(address.text, " is still in it"));
          more = true;
        }
      }
    }
  }

  static void owe(PlanItem& item, std::string why) {
    item.leave(std::move(why));
    item.owed = true;
  }

  const PlanInput& input_;
  const Providers& providers_;
  Plan plan_;
  std::map<Address, Reading> readings_;
  std::optional<std::map<Address, Address>>
      touched_by_;  ///< side effect -> wanted setting that causes it
  std::optional<std::map<Address, const Witness*>> moved_;  ///< side effects with a known value
  std::map<Address, std::size_t> index_;
  std::map<std::size_t, std::vector<std::size_t>> after_;
};

}  // namespace

Result<Plan> make_plan(const PlanInput& input, const Providers& providers) {
  return Planner(input, providers).make();
}

}  // namespace nettune::inline core
