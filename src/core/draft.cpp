// SPDX-License-Identifier: Apache-2.0
#include "core/draft.hpp"

#include "base/digest.hpp"
#include "base/text.hpp"
#include "core/contents_view.hpp"
#include "core/foreign.hpp"

namespace nettune::inline core {

Draft::Draft(const Plan& plan, const Desired& desired, const Providers& providers,
             const Identity& identity)
    : plan_(plan), desired_(desired), providers_(providers) {
  transaction.identity = identity;
}

void Draft::describe(const ApplyOptions& options, std::uint64_t number,
                     const std::string& active_boot) {
  transaction.action = options.action;
  transaction.profile = plan_.profile;
  transaction.vars = desired_.vars;
  transaction.sources = desired_.sources;
  transaction.settings = plan_.wanted();
  transaction.members = desired_.members;
  transaction.variables = desired_.variables;
  transaction.admissions = desired_.admissions;
  transaction.names = desired_.names;
  transaction.device_token = options.device_token;
  transaction.confirm_deadline_s = options.confirm_deadline_s;
  transaction.temporary = options.temporary;
  transaction.image = options.image;
  transaction.number = number;
  transaction.id = transaction_id(transaction.identity, number);
  for (const Setting& setting : transaction.settings) wanted_.insert(setting.address);
  carry_over(active_boot);
  remember_found(active_boot);
  describe_records();
}

namespace {

/// A container that has ended took its links along: nothing can be restored there any more.
bool has_ended(const PlanItem& item) {
  return is_foreign(item.setting.address) && item.verdict == Verdict::missing;
}

}  // namespace

/// The settings that stay managed: those still wanted, and debts. A debt could not be restored now,
/// because its device is gone, somebody changed it since, or it may not be written. A later
/// rollback may restore it, perhaps with --force.
void Draft::carry_over(const std::string& active_boot) {
  for (const auto& [address, owned] : plan_.owned) {
    if (!wanted_.contains(address) && !wanted_.contains(owned.cause)) continue;
    transaction.owned.emplace(address, owned);
  }
  for (const PlanItem& item : plan_.items) {
    const auto owned = plan_.owned.find(item.setting.address);
    if (owned == plan_.owned.end()) continue;
    const bool stays = !providers_.find(item.setting.address.kind())->stays().empty();
    const bool debt =
        item.role == PlanItem::Role::give_back && !stays && !has_ended(item) &&
        (item.verdict == Verdict::left || item.verdict == Verdict::missing ||
         item.verdict == Verdict::not_applicable || item.verdict == Verdict::not_permitted);
    if (debt) transaction.owned.insert(*owned);
    // A runtime value of another boot is void: the present value is the new starting point.
    const bool other_boot = active_boot != transaction.identity.boot_id;
    if (other_boot && owned->second.lifetime == Lifetime::runtime &&
        item.role == PlanItem::Role::set && item.now.value() != owned->second.committed)
      transaction.owned.erase(item.setting.address);
  }
  // This includes absent devices: their runtime values belonged to that boot.
  for (const Owned& owned : plan_.owned_gone)
    if (owned.lifetime != Lifetime::runtime || active_boot == transaction.identity.boot_id)
      transaction.owned.emplace(owned.address, owned);
}

/// A setting that is wanted, right and not managed: undoing everything leads to its first value.
void Draft::remember_found(const std::string& active_boot) {
  const bool other_boot = active_boot != transaction.identity.boot_id;
  for (const Owned& found : plan_.found) {
    const bool is_void = other_boot && found.lifetime == Lifetime::runtime;
    if (wanted_.contains(found.address) && !plan_.owned.contains(found.address) && !is_void)
      transaction.found.emplace(found.address, found);
  }
  for (const PlanItem& item : plan_.items) {
    const Address& address = item.setting.address;
    if (item.role != PlanItem::Role::set || item.verdict != Verdict::in_sync ||
        !item.now.has_value() || plan_.owned.contains(address))
      continue;
    Owned found;
    found.address = address;
    found.device = item.setting.device;
    found.baseline = item.now.value();
    found.lifetime = item.lifetime;
    transaction.found.emplace(address, std::move(found));
  }
}

void Draft::describe_records() {
  for (const PlanItem& item : plan_.items) {
    if (item.to_write()) planned_.insert(item.setting.address);
    devices_.emplace(item.setting.address, item.setting.device);
  }
  for (const auto& [address, owned] : plan_.owned) devices_.emplace(address, owned.device);
  for (const auto& unit : plan_.units)
    for (const std::size_t index : unit)
      for (const Witness& witness : plan_.items[index].effects.touches)
        touched_.insert(witness.address);
  for (const auto& unit : plan_.units) {
    for (const std::size_t index : unit) {
      const PlanItem& item = plan_.items[index];
      if (item.verdict == Verdict::not_yet) {
        transaction.late.push_back(item.setting.address);
        continue;
      }
      add_record(item, item.now.value(), item.after);
      add_witnesses(item);
    }
  }
}

Record& Draft::add_record(const PlanItem& item, Value before, Value after) {
  Record record;
  record.address = item.setting.address;
  record.device = item.setting.device;
  record.before = std::move(before);
  record.after = std::move(after);
  record.undo = item.effects.undo;
  record.lifetime = item.lifetime;
  record.nearest = item.setting.nearest;
  record.staged = providers_.find(record.address.kind())->staged();
  record.unit = item.unit;
  if (item.role == PlanItem::Role::give_back) record.cause = plan_.owned.at(record.address).cause;
  record.settle = !record.cause.text.empty() || touched_.contains(record.address);
  return add(std::move(record));
}

Record& Draft::add(Record record) {
  record_at_.emplace(record.address, transaction.records.size());
  transaction.records.push_back(std::move(record));
  return transaction.records.back();
}

void Draft::add_witnesses(const PlanItem& item) {
  std::vector<Address> addresses;
  for (const Witness& witness : item.effects.touches)
    if (!record_at_.contains(witness.address) && !planned_.contains(witness.address))
      addresses.push_back(witness.address);
  const auto readings = read_all(std::move(addresses), providers_);
  for (const Witness& witness : item.effects.touches) {
    const auto reading = readings.find(witness.address);
    if (reading == readings.end() || record_at_.contains(witness.address)) continue;
    if (!reading->second.has_value() && reading->second.text.empty()) continue;
    const Provider& provider = *providers_.find(witness.address.kind());
    Record record;
    record.address = witness.address;
    const auto known = devices_.find(witness.address);
    record.device = known == devices_.end() ? witness.device : known->second;
    record.before = reading->second.presence == Presence::absent ? Value() : reading->second.text;
    record.after = witness.predicted;
    record.undo = Undo::exact;
    record.lifetime = provider.lifetime(witness.address);
    record.cause = item.setting.address;
    record.staged = provider.staged();
    record.unit = provider.unit(witness.address);
    if (const std::string digest = content_digest(record.before); !digest.empty())
      contents.emplace(digest, reading->second.content);
    add(std::move(record));
  }
}

void Draft::add_late(const PlanItem& item, const Value& before) {
  const Setting& setting = item.setting;
  const Value after = value_to_write(setting.relation, setting.want, before);
  add_record(item, before, after).late = true;
  PlanItem present = item;
  present.effects =
      providers_.find(setting.address.kind())->effects(setting.address, before, after);
  add_witnesses(present);
}

}  // namespace nettune::inline core
