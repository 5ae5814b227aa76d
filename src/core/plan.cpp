// SPDX-License-Identifier: Apache-2.0
#include "core/plan.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "base/digest.hpp"
#include "base/mistakes.hpp"
#include "base/text.hpp"
#include "base/trace.hpp"
#include "core/plan_groups.hpp"
#include "core/plan_order.hpp"

namespace nettune {

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::in_sync:
      return "in sync";
    case Verdict::different:
      return "different";
    case Verdict::missing:
      return "missing";
    case Verdict::not_yet:
      return "not yet";
    case Verdict::not_applicable:
      return "not applicable";
    case Verdict::not_permitted:
      return "not permitted";
    case Verdict::left:
      return "left";
    case Verdict::unknown:
      return "unknown";
  }
  return "";
}

namespace {

/// Readings of addresses, each kind in one pass. Addresses of one kind must be adjacent.
std::vector<Reading> read_by_kind(std::span<const Address> addresses, const Providers& providers) {
  std::vector<Reading> readings(addresses.size());
  for (std::size_t first = 0; first < addresses.size();) {
    const std::string_view kind = addresses[first].kind();
    std::size_t end = first + 1;
    while (end < addresses.size() && addresses[end].kind() == kind) ++end;
    if (Provider* const provider = providers.find(kind)) {
      const trace::Step step("read ", end - first, " settings of kind ", kind);
      auto answers = provider->read(addresses.subspan(first, end - first));
      std::ranges::move(answers, readings.begin() + static_cast<std::ptrdiff_t>(first));
    }
    first = end;
  }
  return readings;
}

}  // namespace

std::map<Address, Reading> read_all(std::vector<Address> addresses, const Providers& providers) {
  std::sort(addresses.begin(), addresses.end());
  std::erase_if(addresses,
                [&](const Address& address) { return providers.find(address.kind()) == nullptr; });
  auto answers = read_by_kind(addresses, providers);
  std::map<Address, Reading> readings;
  for (std::size_t i = 0; i < answers.size(); ++i)
    readings.emplace_hint(readings.end(), std::move(addresses[i]), std::move(answers[i]));
  return readings;
}

std::vector<std::size_t> not_holding(const std::vector<Setting>& settings,
                                     const Providers& providers) {
  std::vector<Address> addresses;
  for (const Setting& setting : settings) addresses.push_back(setting.address);
  const std::vector<Reading> readings = read_by_kind(addresses, providers);
  std::vector<std::size_t> apart;
  for (std::size_t i = 0; i < settings.size(); ++i)
    if (!readings[i].has_value() ||
        !satisfies(settings[i].relation, settings[i].want, readings[i].value()))
      apart.push_back(i);
  return apart;
}

std::vector<Setting> Plan::wanted() const {
  std::vector<Setting> settings;
  for (const PlanItem& item : items)
    if (item.role == PlanItem::Role::set) settings.push_back(item.setting);
  settings.insert(settings.end(), absent.begin(), absent.end());
  // Another device may have the name of an absent one. Then the address occurs twice; the one of
  // the present device comes first.
  std::stable_sort(settings.begin(), settings.end(),
                   [](const Setting& a, const Setting& b) { return a.address < b.address; });
  const auto repeated =
      std::unique(settings.begin(), settings.end(), [](const Setting& a, const Setting& b) {
        return a.address == b.address && a.device == b.device;
      });
  settings.erase(repeated, settings.end());
  return settings;
}

std::size_t Plan::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      items.begin(), items.end(), [&](const PlanItem& item) { return item.verdict == verdict; }));
}

bool Plan::is_side_effect(const PlanItem& item) const {
  if (item.role != PlanItem::Role::give_back) return false;
  const auto known = owned.find(item.setting.address);
  if (known == owned.end() || known->second.cause.text.empty()) return false;
  // Where somebody else has changed the cause, and it stays, this is a change of its own.
  return std::ranges::any_of(items, [&](const PlanItem& other) {
    return other.to_write() && other.setting.address == known->second.cause;
  });
}

std::size_t Plan::changes() const {
  return static_cast<std::size_t>(std::count_if(
      items.begin(), items.end(),
      [&](const PlanItem& item) { return item.to_write() && !is_side_effect(item); }));
}

std::size_t Plan::warnings() const {
  return static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(), [](const PlanItem& item) { return item.warns(); }));
}

bool Plan::has_refusals() const {
  return std::any_of(items.begin(), items.end(),
                     [](const PlanItem& item) { return !item.refused.empty(); });
}

bool Plan::has_not_permitted() const {
  return std::any_of(items.begin(), items.end(), [](const PlanItem& item) {
    return item.verdict == Verdict::not_permitted && !item.setting.optional;
  });
}

Debts Plan::debts_after(const std::map<std::string, std::string>& failed,
                        const std::map<Address, Value>& left_at,
                        const std::set<Address>& skipped) const {
  Debts after = debts_gone;
  for (const PlanItem& item : items) {
    const Address& address = item.setting.address;
    const bool is_set = item.role == PlanItem::Role::set;
    const Debt* const before = find_debt(debts, address);
    std::string why;
    if (item.owed)
      why = given_up.at(item.group);
    else if (const auto group = failed.find(item.group); item.to_write() && group != failed.end())
      why = group->second;
    else if (item.verdict == Verdict::missing && !is_set && !item.setting.device.empty())
      why = item.now.why;
    if (why.empty()) {
      const bool over = item.verdict == Verdict::in_sync || item.for_good ||
                        (item.to_write() && !skipped.contains(address));
      if (before == nullptr || over) continue;
      after.push_back(*before);
      after.back().to_set = is_set;
      if (is_set) after.back().owed.wanted = item.setting.want;
      continue;
    }
    Debt debt{{}, std::move(why), is_set};
    if (const auto known = owned.find(address); known != owned.end())
      debt.owed = known->second;
    else
      debt.owed.baseline = debt.owed.committed = item.now.value();
    debt.owed.address = address;
    debt.owed.device = item.setting.device;
    debt.owed.lifetime = item.lifetime;
    if (is_set) debt.owed.wanted = item.setting.want;
    if (before != nullptr) debt.owed.committed = before->owed.committed;
    // A value restored now is ours, or --force was given.
    if (!is_set && item.now.has_value()) debt.owed.committed = item.now.value();
    if (const auto left = left_at.find(address); left != left_at.end())
      debt.owed.committed = left->second;
    after.push_back(std::move(debt));
  }
  return add_debts({}, after);
}

std::string Plan::digest() const {
  std::string text = cat("nettune plan 1\n", profile, "\n");
  const auto add = [&](const Value& value) {
    text += value ? cat("=", value->size(), ":", *value, "\n") : std::string("-\n");
  };
  for (const auto& unit : units) {
    for (const std::size_t index : unit) {
      const PlanItem& item = items[index];
      text += cat(item.setting.address.text, "\n", item.setting.device, "\n");
      add(item.now.value());
      add(item.after);
    }
  }
  return sha256_hex(text);
}

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
    plan_.debts = input_.debts;
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
    if (!input_.only_device.empty()) leave_other_devices();
    if (!input_.only_kind.empty()) leave_other_kinds();
    if (!input_.only.empty()) leave_other_settings();
    if (input_.only_debts) leave_what_is_not_owed();
    give_up_devices();
    for (PlanItem& item : plan_.items) object(item);
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
          leave(item, item.now.why);
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
      if (!is_ours(provider, owned, now) && !input_.force) {
        leave_for_good(item, cat("somebody changed it since nettune set it to ",
                                 owned.committed ? *owned.committed : std::string("absent")));
        return;
      }
    }
    item.verdict = Verdict::different;
    want_write(item, value_to_write(item.setting.relation, item.setting.want, now));
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

  static void leave(PlanItem& item, std::string why) {
    item.verdict = Verdict::left;
    item.now.why = std::move(why);
  }

  /// Another reading will not change that.
  static void leave_for_good(PlanItem& item, std::string why) {
    leave(item, std::move(why));
    item.for_good = true;
  }

  void want_write(PlanItem& item, Value after) {
    item.after = std::move(after);
    Provider& provider = *providers_.find(item.setting.address.kind());
    item.effects = provider.effects(item.setting.address, item.now.value(), item.after);
    if (!item.effects.not_permitted.empty()) {
      item.verdict = Verdict::not_permitted;
      item.now.why = item.effects.not_permitted;
    }
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

  /// Only settings of that device are written, and what such a write also changes.
  void leave_other_devices() {
    leave_others("only one device was asked for",
                 [&](const PlanItem& item) { return item.setting.device == input_.only_device; });
  }

  void leave_other_settings() {
    leave_others("only other settings were asked for",
                 [&](const PlanItem& item) { return input_.only.contains(item.setting.address); });
  }

  void leave_what_is_not_owed() {
    leave_others("only what is owed was asked for", [&](const PlanItem& item) {
      return find_debt(plan_.debts, item.setting.address) != nullptr;
    });
  }

  void leave_others(std::string_view why, auto&& is_asked_for) {
    std::vector<char> kept(plan_.items.size(), 0);
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = is_asked_for(plan_.items[i]) ? 1 : 0;
    for (bool more = true; more;) {
      more = false;
      for (const auto& [moved, causes] : after_) {
        const bool by_kept = std::any_of(causes.begin(), causes.end(),
                                         [&](std::size_t cause) { return kept[cause] != 0; });
        if (kept[moved] != 0 || !by_kept) continue;
        kept[moved] = 1;
        more = true;
      }
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i] == 0 && plan_.items[i].to_write()) leave(plan_.items[i], std::string(why));
  }

  void leave_other_kinds() {
    for (PlanItem& item : plan_.items)
      if (item.to_write() && item.setting.address.kind() != input_.only_kind)
        leave(item, "only one kind of settings was asked for");
  }

  /// Groups the items, and marks the groups that failed or are left out before the first write.
  void give_up_devices() {
    const bool alone = input_.per_device || !input_.without.empty();
    const auto may_fail = [&](const PlanItem& item) {
      return !item.setting.device.empty() && (alone || item.role == PlanItem::Role::give_back ||
                                              input_.without.contains(item.setting.device));
    };
    if (std::ranges::none_of(plan_.items, may_fail)) return;
    group_items(plan_, index_, providers_);
    for (const PlanItem& item : plan_.items)
      if (const auto found = input_.without.find(item.setting.device);
          found != input_.without.end())
        plan_.given_up.emplace(item.group, found->second);
    for (PlanItem& item : plan_.items) {
      const bool forgiven = input_.per_device || item.role == PlanItem::Role::give_back;
      if (!forgiven && !plan_.given_up.contains(item.group)) item.group.clear();
      if (!item.group.empty() && item.verdict == Verdict::not_permitted && !item.setting.optional)
        plan_.given_up.try_emplace(item.group, cat(item.setting.address.text, ": ", item.now.why));
    }
    for (PlanItem& item : plan_.items) {
      const auto found = plan_.given_up.find(item.group);
      const bool written = item.to_write() || item.verdict == Verdict::not_permitted;
      if (item.group.empty() || found == plan_.given_up.end() || !written) continue;
      leave(item, found->second);
      item.owed = true;
    }
  }

  /// Who objects to this write, if anybody.
  void object(PlanItem& item) const {
    if (!item.to_write()) return;
    guard(item);
    if (item.to_write() && item.refused.empty()) ask_owners(item);
  }

  void guard(PlanItem& item) const {
    if (const auto cut = input_.cutting.find(item.setting.address); cut != input_.cutting.end()) {
      item.effects.impact = Impact::may_cut;
      if (!input_.allow_management) refuse(item, cut->second);
      return;
    }
    if (item.effects.cuts.empty()) return;
    const auto found =
        std::find_if(input_.guards.begin(), input_.guards.end(), [&](const Guard& g) {
          return item.effects.cuts == kEveryDevice || g.device == item.effects.cuts;
        });
    if (found == input_.guards.end()) return;
    item.effects.impact = Impact::may_cut;
    if (!input_.allow_management)
      refuse(item, cat(found->device, " ", found->reason, ", and this change can cut it"));
  }

  void ask_owners(PlanItem& item) const {
    if (input_.accept_owners || item.role == PlanItem::Role::give_back) return;
    const auto found =
        std::find_if(input_.claims.begin(), input_.claims.end(),
                     [&](const Claim& c) { return c.undoes && c.address == item.setting.address; });
    if (found == input_.claims.end()) return;
    refuse(item, found->text);
    item.refused_by_owner = !item.refused.empty();
  }

  void refuse(PlanItem& item, std::string why) const {
    if (input_.leave_refused)
      leave(item, std::move(why));
    else
      item.refused = std::move(why);
  }

  const PlanInput& input_;
  const Providers& providers_;
  Plan plan_;
  std::map<Address, Reading> readings_;
  std::optional<std::map<Address, Address>>
      touched_by_;  ///< side effect -> wanted setting that causes it
  std::map<Address, std::size_t> index_;
  std::map<std::size_t, std::vector<std::size_t>> after_;
};

}  // namespace

bool holds(const Setting& setting, const Value& now, const Owned* owned) {
  if (satisfies(setting.relation, setting.want, now)) return true;
  return setting.nearest && owned && owned->wanted == setting.want && owned->committed == now;
}

Result<Plan> make_plan(const PlanInput& input, const Providers& providers) {
  return Planner(input, providers).make();
}

}  // namespace nettune
