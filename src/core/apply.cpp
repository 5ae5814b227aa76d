// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "base/trace.hpp"
#include "core/contents_view.hpp"
#include "core/draft.hpp"
#include "core/engine.hpp"
#include "core/finish.hpp"
#include "core/foreign.hpp"
#include "core/journal.hpp"
#include "core/restore.hpp"
#include "core/transaction_codec.hpp"

namespace nettune::inline core {

namespace {

std::string shown(const Value& value) {
  return value ? cat("\"", printable(*value), "\"") : std::string("absent");
}

/// The value is unknown: it is not certain that it is unchanged, nor that somebody changed it.
bool is_unreadable(const Reading& reading) {
  return reading.presence == Presence::not_permitted && reading.text.empty();
}

Failure unreadable(const Address& address, const Reading& reading) {
  return fail(Errc::io, cat(address.text, " was readable before and is not now: ", reading.why));
}

/// One run of a plan: each step of the commit protocol (docs/design.md, section 7).
class ApplyRun {
 public:
  ApplyRun(Disk& disk, State& state, const Providers& providers, const Identity& identity,
           const Plan& plan, const Desired& desired, const ApplyOptions& options)
      : disk_(disk),
        state_(state),
        providers_(providers),
        plan_(plan),
        desired_(desired),
        options_(options),
        paths_{state.directory()},
        contents_(state, desired.contents),
        draft_(plan, desired, providers, identity),
        refused_(plan.refused) {
    for (const PlanItem& item : plan.items)
      if (item.role == PlanItem::Role::give_back) given_back_.insert(item.setting.address);
    for (const PlanItem& item : plan.items)
      if (!item.group.empty()) groups_.emplace(item.setting.address, item.group);
  }

  Report go() {
    if (plan_.has_refusals() || plan_.has_not_permitted()) {
      report_.outcome = Outcome::refused;
      return std::move(report_);
    }
    if (auto begun = begin(); !begun) {
      report_.outcome = Outcome::failed;
      report_.error = std::move(begun).error();
      return std::move(report_);
    }
    if (!journal_) {
      report_.outcome = Outcome::unchanged;
      return std::move(report_);
    }
    auto done = write_units();
    if (done) done = verify_what_stands();
    if (!done) {
      undo(std::move(done).error());
      return std::move(report_);
    }
    for (const auto& [group, why] : failed_)
      report_.notes.push_back(cat("not changed on ", group, ": ", why));
    conclude();
    return std::move(report_);
  }

 private:
  // --- INTENT -------------------------------------------------------------------------------

  /// Does everything up to and including INTENT. Makes no journal if there is nothing to do.
  Result<> begin() {
    TRY_ASSIGN(const JournalStatus status, state_.journal());
    if (status.kind != JournalStatus::Kind::none)
      return fail(Errc::busy, "a transaction is unfinished; run nettune recover first");
    TRY_ASSIGN(const auto active, state_.active());
    if (!plan_.writes() && nothing_to_record(active, plan_, desired_, options_.image)) return {};
    TRY_ASSIGN(const auto finished, state_.history_numbers());
    draft_.describe(options_, finished.empty() ? 1 : finished.back() + 1,
                    active ? active->identity.boot_id : std::string());
    TRY(prepare_state(disk_, paths_));
    TRY_ASSIGN(const auto blobs, needed_blobs());
    TRY(store_blobs(disk_, paths_, blobs));
    TRY_ASSIGN(journal_, Journal::begin(disk_, paths_, draft_.transaction));
    return {};
  }

  /// Contents behind every value that may have to be written, now or in an undo.
  Result<std::map<std::string, std::string>> needed_blobs() const {
    // Includes values that are right already: another generation may return to this one.
    std::map<std::string, std::string> blobs = desired_.contents;
    blobs.insert(draft_.contents.begin(), draft_.contents.end());
    for (const auto& unit : plan_.units) {
      for (const std::size_t index : unit) {
        const PlanItem& item = plan_.items[index];
        const std::string before = content_digest(item.now.value());
        if (!before.empty()) blobs.emplace(before, item.now.content);
        const std::string after = content_digest(item.after);
        if (after.empty()) continue;
        auto content = contents_.get(after);
        if (!content)
          return fail_in(cat("the content for ", item.setting.address.text, " is lost"),
                         std::move(content).error());
        blobs.emplace(after, std::move(*content));
      }
    }
    return blobs;
  }

  // --- writes -------------------------------------------------------------------------------

  Result<> write_units() {
    for (const auto& unit : plan_.units) {
      if (options_.cancelled()) return fail(Errc::busy, "interrupted by a signal");
      const std::string& group = first_of(unit).group;
      if (failed_.contains(group)) continue;
      auto written = write_unit(unit);
      if (!written) TRY(give_up(group, std::move(written).error()));
    }
    return sync_directories(disk_, staged_in_);
  }

  const PlanItem& first_of(const std::vector<std::size_t>& unit) const {
    return plan_.items[unit.front()];
  }

  Result<> write_unit(const std::vector<std::size_t>& unit) {
    Provider& provider = *providers_.find(first_of(unit).setting.address.kind());
    TRY(check_names(unit));
    std::vector<Address> addresses;
    for (const std::size_t index : unit) addresses.push_back(plan_.items[index].setting.address);
    const std::vector<Reading> now = provider.read(addresses);
    TRY(take_late_ones(unit, now));

    std::vector<Write> writes;
    for (std::size_t i = 0; i < unit.size(); ++i) {
      const PlanItem& item = plan_.items[unit[i]];
      if (skipped_.contains(item.setting.address)) continue;
      if (item.role == PlanItem::Role::give_back && hidden_by_us(now[i], item.setting.address))
        continue;
      if (is_foreign(item.setting.address) && is_left_to_others(item, now[i])) continue;
      TRY_ASSIGN(const bool needed, still_as_planned(item, now[i]));
      if (!needed) continue;
      const Record& record = draft_.record_of(item.setting.address);
      const bool follows = item.role == PlanItem::Role::give_back && !record.cause.text.empty();
      writes.push_back({record.address, now[i].value(), record.after, follows});
    }
    if (writes.empty()) return {};
    for (const std::size_t index : unit)
      for (const Witness& witness : plan_.items[index].effects.touches)
        moved_along_.insert(witness.address);
    for (const Write& write : writes) {
      attempted_.insert(draft_.record_of(write.address).unit);
      if (provider.staged()) staged_in_.insert(provider.directory(write.address));
    }

    const trace::Step step("write ", writes.front().address.text,
                           writes.size() > 1 ? cat(" and ", writes.size() - 1, " more") : "");
    auto written = provider.write(writes, contents_, draft_.transaction.id);
    if (written && !provider.staged()) written = read_back(provider, writes);
    if (written) {
      for (const Write& write : writes)
        report_.written.push_back({write.address, write.before, write.after, write.after, {}});
      return {};
    }
    return give_up_optional(unit, std::move(written).error());
  }

  /// A name must still be that of the device which the plan read.
  Result<> check_names(const std::vector<std::size_t>& unit) const {
    std::string_view last;
    for (const std::size_t index : unit) {
      const Setting& setting = plan_.items[index].setting;
      if (setting.device.empty() || setting.device == last) continue;
      last = setting.device;
      if (const auto now = options_.locate(setting.address, setting.device);
          now && *now != setting.address)
        return fail(Errc::conflict, cat("the device of ", setting.address.text,
                                        " was renamed between plan and write (it is ", now->text,
                                        " now); run nettune plan again"));
    }
    return {};
  }

  /// Restores the group that failed and continues with the others; the group's values become debts.
  /// Returns an error if the failure concerns the whole plan or the journal cannot be written.
  Result<> give_up(const std::string& group, Error error) {
    if (group.empty() || journal_failed_) return fail(std::move(error));
    failed_.emplace(group, error.text);
    std::vector<Record> records;
    for (Record& record : what_may_have_moved())
      if (group_of(record) == group) records.push_back(std::move(record));
    Restored restored = restore({disk_, records, draft_.transaction.id, true, options_.locate},
                                providers_, contents_);
    if (!restored.not_restored.empty()) return fail(std::move(error));
    for (Debt& debt : restored.owed) left_at_[debt.owed.address] = debt.owed.committed;
    std::ranges::move(restored.notes, std::back_inserter(report_.notes));
    for (const PlanItem& item : plan_.items) {
      if (item.group != group) continue;
      skipped_.insert(item.setting.address);
      refused_.erase(item.setting.address);
    }
    for (const Record& record : draft_.transaction.records)
      if (group_of(record) == group) values_.erase(record.address);
    std::erase_if(report_.written,
                  [&](const Step& step) { return skipped_.contains(step.address); });
    return {};
  }

  /// The group of a record; "" if it fails with the whole plan.
  std::string group_of(const Record& record) const {
    const bool is_witness = !record.cause.text.empty() && !record.settle;
    const auto found = groups_.find(is_witness ? record.cause : record.address);
    return found == groups_.end() ? std::string() : found->second;
  }

  /// Records settings that exist only now: the old value is on disk before the new one is written.
  Result<> take_late_ones(const std::vector<std::size_t>& unit, const std::vector<Reading>& now) {
    const std::size_t first_new = draft_.transaction.records.size();
    for (std::size_t i = 0; i < unit.size(); ++i) {
      const PlanItem& item = plan_.items[unit[i]];
      if (item.verdict != Verdict::not_yet || draft_.has(item.setting.address)) continue;
      if (!now[i].has_value()) {
        if (!item.setting.optional)
          return fail(Errc::not_found,
                      cat(item.setting.address.text, " still does not exist after ", item.now.why,
                          " was written: ", now[i].why));
        skip(item, cat("still does not exist: ", now[i].why));
        continue;
      }
      draft_.add_late(item, now[i].value());
    }
    if (draft_.transaction.records.size() == first_new) return {};
    const std::vector<Record> late(
        draft_.transaction.records.begin() + static_cast<std::ptrdiff_t>(first_new),
        draft_.transaction.records.end());
    return append("LATE", encode_late(late));
  }

  /// Returns false if the value is there already, an error if it changed since the plan.
  Result<bool> still_as_planned(const PlanItem& item, const Reading& now) {
    const Record& record = draft_.record_of(item.setting.address);
    if (!now.has_value()) return unreadable(record.address, now);
    if (now.value() == record.before) return now.value() != record.after;
    if (now.value() == record.after && (record.settle || record.late)) return false;
    if (record.settle) return true;
    return fail(Errc::conflict,
                cat(item.setting.address.text, " changed from ", shown(record.before), " to ",
                    shown(now.value()),
                    " between plan and write, by another write or somebody else; run nettune plan "
                    "again"));
  }

  /// A container ends, or changes its own links, at any moment: that holds up nothing.
  bool is_left_to_others(const PlanItem& item, const Reading& now) {
    const Record& record = draft_.record_of(item.setting.address);
    const bool as_planned = now.value() == record.before || now.value() == record.after ||
                            moved_along_.contains(record.address);
    if (now.has_value() && as_planned) return false;
    skipped_.insert(record.address);
    report_.notes.push_back(
        cat(record.address.text, " is left as it is: ",
            now.has_value() ? cat("it changed to ", shown(now.value()), " meanwhile") : now.why));
    return true;
  }

  void verify_foreign(const Record& record, const Reading& reading) {
    if (reading.presence == Presence::missing) return;  // it ended: nothing is there to restore
    if (!reading.has_value()) {
      // Whether it changed is unknown. The predicted value is the most likely one.
      if (record.after) values_[record.address] = record.after;
      report_.notes.push_back(cat(record.address.text, " may have changed along with ",
                                  record.cause.text, " and cannot be read: ", reading.why));
      return;
    }
    values_[record.address] = reading.value();
    if (record.after && reading.value() != record.after)
      report_.notes.push_back(cat(record.address.text, " is ", shown(reading.value()), " now (",
                                  record.settle ? "restored to " : "expected ", shown(record.after),
                                  ")"));
  }

  /// What an undo leaves behind in other network namespaces.
  void note_residue() {
    for (const PlanItem& item : plan_.items)
      if (is_foreign(item.setting.address) &&
          (item.verdict == Verdict::missing || item.verdict == Verdict::not_permitted))
        report_.notes.push_back(cat("residue: ", item.setting.address.text, " is not restored to ",
                                    shown(item.setting.want), ": ", item.now.why));
  }

  /// Other properties of a setting in the plan.
  std::string note_of(const Address& address) const {
    for (const PlanItem& item : plan_.items)
      if (item.setting.address == address) return item.effects.note;
    return {};
  }

  Result<> read_back(Provider& provider, const std::vector<Write>& writes) {
    std::vector<Address> addresses;
    for (const Write& write : writes) addresses.push_back(write.address);
    const std::vector<Reading> now = provider.read(addresses);
    for (std::size_t i = 0; i < writes.size(); ++i) {
      if (now[i].has_value() && now[i].value() == writes[i].after) continue;
      if (!provider.stays().empty() && !writes[i].after) continue;
      if (now[i].has_value() && draft_.record_of(writes[i].address).nearest) {
        report_.notes.push_back(cat(writes[i].address.text, ": wrote ", shown(writes[i].after),
                                    ", the kernel rounded it to ", shown(now[i].value()),
                                    " (nearest is allowed)"));
        continue;
      }
      const std::string note = note_of(writes[i].address);
      return fail(Errc::io, cat(writes[i].address.text, ": wrote ", shown(writes[i].after),
                                ", but the kernel reports ",
                                now[i].has_value() ? shown(now[i].value()) : now[i].why,
                                note.empty() ? "" : cat(" (", note, ")")));
    }
    return {};
  }

  /// An optional unit that fails is reverted alone; the rest stands.
  Result<> give_up_optional(const std::vector<std::size_t>& unit, Error error) {
    const bool optional = std::all_of(unit.begin(), unit.end(), [&](std::size_t index) {
      return plan_.items[index].setting.optional;
    });
    if (!optional) return fail(std::move(error));
    std::vector<Record> records;
    for (const Record& record : draft_.transaction.records)
      if (record.unit == first_of(unit).unit || record.cause == first_of(unit).setting.address)
        records.push_back(record);
    const Restored restored = restore(
        {disk_, records, draft_.transaction.id, true, options_.locate}, providers_, contents_);
    if (!restored.not_restored.empty()) return fail(std::move(error));
    for (const std::size_t index : unit) {
      const PlanItem& item = plan_.items[index];
      skip(item, remember_refusal(item, error)
                     ? cat(error.text, "; nettune does not try it again in this boot unless the ",
                           "profile or what the kernel offers changes, or with apply --force")
                     : error.text);
    }
    return {};
  }

  /// Returns false if the next try may succeed. What is wrong with the place of a file is no
  /// refusal of the kernel, nor is a setting that has left with its device.
  bool remember_refusal(const PlanItem& item, const Error& error) {
    const Setting& setting = item.setting;
    Provider& provider = *providers_.find(setting.address.kind());
    if (provider.staged() || !setting.want || !is_refusal(error)) return false;
    if (!provider.read(std::span(&setting.address, 1)).front().has_value()) return false;
    refused_[setting.address] = {setting.device, setting.want, error.text,
                                 provider.lists(setting.address, *setting.want)};
    return true;
  }

  void skip(const PlanItem& item, const std::string& why) {
    skipped_.insert(item.setting.address);
    report_.notes.push_back(cat(item.setting.address.text, " is optional and was left out: ", why));
  }

  // --- verify -------------------------------------------------------------------------------

  /// Gives up a device whose values do not hold, and verifies the rest again.
  Result<> verify_what_stands() {
    while (true) {
      auto done = verify();
      if (done || culprit_.empty()) return done;
      TRY(give_up(std::exchange(culprit_, {}), std::move(done).error()));
    }
  }

  /// Reads everything once more: values written, values already right, and affected settings.
  Result<> verify() {
    std::set<Address> addresses;
    for (const Record& record : draft_.transaction.records) addresses.insert(record.address);
    for (const PlanItem& item : plan_.items)
      if (item.role == PlanItem::Role::set && item.verdict == Verdict::in_sync)
        addresses.insert(item.setting.address);
    const auto now = read_all({addresses.begin(), addresses.end()}, providers_);
    for (const PlanItem& item : plan_.items) {
      if (failed_.contains(item.group)) continue;
      culprit_ = item.group;
      TRY(verify_in_sync(item, now));
    }
    for (const Record& record : draft_.transaction.records) {
      culprit_ = group_of(record);
      if (!failed_.contains(culprit_)) TRY(verify_record(record, now));
    }
    return {};
  }

  Result<> verify_in_sync(const PlanItem& item, const std::map<Address, Reading>& now) const {
    if (item.role != PlanItem::Role::set || item.verdict != Verdict::in_sync) return {};
    const Reading& reading = now.at(item.setting.address);
    if (is_unreadable(reading)) return unreadable(item.setting.address, reading);
    const Value value =
        reading.presence == Presence::not_permitted ? Value(reading.text) : reading.value();
    const auto owned = plan_.owned.find(item.setting.address);
    if (holds(item.setting, value, owned == plan_.owned.end() ? nullptr : &owned->second))
      return {};
    return fail(Errc::conflict,
                cat(item.setting.address.text, " was ", shown(item.now.value()), " before and is ",
                    shown(value), " now: another write, or somebody else, changed it"));
  }

  /// The setting could be read only while another one existed, which is gone since; it was read
  /// back right after its own write. A restored value also vanishes if restoring the other one
  /// removed it (an IPv6 MTU once IPv6 is off).
  bool hidden_by_us(const Reading& reading, const Address& address) {
    if (reading.presence != Presence::not_yet) return false;
    const Address outer{reading.why};
    if (!draft_.has(outer)) return false;
    const Record& record = draft_.record_of(outer);
    if (record.after && !given_back_.contains(address)) return false;
    return attempted_.contains(record.unit) || moved_along_.contains(outer);
  }

  Result<> verify_record(const Record& record, const std::map<Address, Reading>& now) {
    if (skipped_.contains(record.address)) return {};
    const Reading& reading = now.at(record.address);
    if (is_foreign(record.address)) {
      verify_foreign(record, reading);
      return {};
    }
    if (hidden_by_us(reading, record.address)) {
      values_[record.address] = record.after;
      return {};
    }
    const bool is_witness = !record.cause.text.empty() && !record.settle;
    if (is_witness && is_unreadable(reading)) {
      // Whether it changed is unknown. The predicted value is the most likely one.
      if (record.after) values_[record.address] = record.after;
      report_.notes.push_back(cat(record.address.text, " may have changed along with ",
                                  record.cause.text, " and cannot be read: ", reading.why));
      return {};
    }
    if (is_witness) {
      Value value =
          reading.presence == Presence::not_permitted ? Value(reading.text) : reading.value();
      // A staged side effect (the end of nccl.conf) appears when its file is placed.
      if (record.staged && record.after) value = record.after;
      if (value != record.before && record.after && value != record.after)
        report_.notes.push_back(cat(record.address.text, " changed along with ", record.cause.text,
                                    " to ", shown(value), " (expected ", shown(record.after), ")"));
      values_[record.address] = value;
      return {};
    }
    const Value expected = record.staged ? record.before : record.after;
    const bool kept = !record.after && !providers_.find(record.address.kind())->stays().empty();
    // A directory exists before its files are placed; a file does not.
    const bool early = record.staged && reading.value() == record.after;
    if (reading.has_value() && (reading.value() == expected || record.nearest || kept || early)) {
      values_[record.address] = record.staged ? record.after : reading.value();
      return {};
    }
    if (!reading.has_value()) return unreadable(record.address, reading);
    return fail(Errc::conflict,
                cat(record.address.text, " should be ", shown(expected), " now but is ",
                    shown(reading.value()), ": another write, or somebody else, changed it"));
  }

  // --- the end ------------------------------------------------------------------------------

  Result<> append(std::string_view type, const std::string& payload) {
    auto appended = journal_->append(type, payload);
    if (appended) return {};
    uncertain_ = appended.error().uncertain;
    journal_failed_ = true;
    return fail_in(cat("the journal's record ", type, " could not be written"),
                   std::move(appended).error().error);
  }

  void conclude() {
    report_.generation = draft_.transaction.number;
    const bool waits = draft_.transaction.confirm_deadline_s > 0;
    const std::vector<Record>& records = draft_.transaction.records;
    report_.debts = plan_.debts_after(failed_, left_at_, skipped_);
    note_residue();
    auto ended = waits ? append("APPLIED", encode_applied(records, values_, options_.boottime_ms(),
                                                          report_.debts, refused_))
                       : append("COMMIT", encode_values(records, values_, report_.debts, refused_));
    if (!ended) {
      // The bytes are in the file although the sync failed, so a later reader may see the record.
      // Neither undoing nor continuing is safe here; recover decides by what it finds.
      if (uncertain_) {
        report_.outcome = Outcome::incomplete;
        report_.error = std::move(ended).error();
      } else {
        undo(std::move(ended).error());
      }
      return;
    }
    if (waits) {
      report_.outcome = Outcome::waiting;
      return;
    }
    report_.outcome = Outcome::committed;
    finish_commit(disk_, draft_.transaction, providers_, contents_, *journal_, report_);
  }

  std::vector<Record> what_may_have_moved() {
    std::vector<Record> records;
    for (const Record& record : draft_.transaction.records) {
      const bool by_cause =
          draft_.has(record.cause) && attempted_.contains(draft_.record_of(record.cause).unit);
      if (by_cause || attempted_.contains(record.unit) || moved_along_.contains(record.address))
        records.push_back(record);
    }
    return records;
  }

  void undo(Error error) {
    report_.outcome = Outcome::rolled_back;
    report_.generation = 0;
    const std::vector<Record> records = what_may_have_moved();
    Restored restored = restore({disk_, records, draft_.transaction.id, true, options_.locate},
                                providers_, contents_);
    report_.written.clear();
    report_.restored = std::move(restored.restored);
    report_.not_restored = std::move(restored.not_restored);
    report_.debts = add_debts(add_debts(plan_.debts, plan_.debts_gone), restored.owed);
    for (std::string& note : restored.notes) report_.notes.push_back(std::move(note));
    const std::string reason = error.text;
    report_.error = std::move(error);
    if (uncertain_ || !report_.not_restored.empty()) {
      report_.outcome = Outcome::incomplete;
      return;
    }
    finish_abort(reason, *journal_, report_);
  }

  Disk& disk_;
  State& state_;
  const Providers& providers_;
  const Plan& plan_;
  const Desired& desired_;
  const ApplyOptions& options_;
  StatePaths paths_;
  ContentsView contents_;
  Draft draft_;
  std::optional<Journal> journal_;
  std::set<Address> given_back_;     ///< restored by the plan
  std::set<std::string> attempted_;  ///< units with an attempted write
  std::set<Address> moved_along_;    ///< settings that such a write also changes
  std::set<std::string> staged_in_;  ///< directories with our temporaries
  std::set<Address> skipped_;
  std::map<Address, Refusal> refused_;         ///< before, and by this run
  std::map<Address, std::string> groups_;      ///< PlanItem::group of each item to write
  std::map<std::string, std::string> failed_;  ///< groups given up, and why
  std::map<Address, Value> left_at_;           ///< values that could not be restored there
  std::string culprit_;                        ///< the group that verify() blames
  std::map<Address, Value> values_;
  bool uncertain_ = false;
  bool journal_failed_ = false;
  Report report_;
};

}  // namespace

std::string content_digest(const Value& value) {
  constexpr std::string_view kPrefix = "sha256:";
  if (!value || !value->starts_with(kPrefix)) return {};
  return value->substr(kPrefix.size(), 64);
}

Report Engine::apply(const Plan& plan, const Desired& desired, const ApplyOptions& options) {
  return pruned(ApplyRun(disk_, state_, providers_, identity_, plan, desired, options).go());
}

}  // namespace nettune::inline core
