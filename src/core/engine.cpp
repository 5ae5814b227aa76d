// SPDX-License-Identifier: Apache-2.0
#include "core/engine.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "base/text.hpp"
#include "core/contents_view.hpp"
#include "core/finish.hpp"
#include "core/journal.hpp"
#include "core/restore.hpp"
#include "core/transaction_codec.hpp"
#include "core/trial.hpp"

namespace nettune::inline core {

namespace {

constexpr std::uint64_t kLargestReadable = 64ULL << 20;

Report failed(Error error) {
  Report report;
  report.outcome = Outcome::failed;
  report.error = std::move(error);
  return report;
}

Report incomplete(Error error) {
  Report report = failed(std::move(error));
  report.outcome = Outcome::incomplete;
  return report;
}

/// Renames a damaged journal, durably, and returns its new path.
Result<std::string> set_damaged_aside(Disk& disk, const StatePaths& paths, std::int64_t time_s) {
  TRY_ASSIGN(const std::string path,
             free_path(disk, cat(paths.journal(), StatePaths::kDamaged, "-", time_s)));
  TRY(disk.rename(paths.journal(), path));
  TRY(disk.sync_directory(paths.directory));
  return path;
}

/// "apply of small, as generation 1, by root"; "" if not even that can be read.
std::string run_text(const Transaction& readable) {
  if (readable.action.empty() && readable.records.empty()) return {};
  return cat("what is still readable (and may be damaged itself): ",
             readable.action.empty() ? "a run" : readable.action,
             readable.profile.empty() ? "" : cat(" of ", readable.profile),
             readable.number == 0 ? "" : cat(", as generation ", readable.number),
             readable.identity.who.empty() ? "" : cat(", by ", readable.identity.who));
}

/// Lists the first few, and only counts the rest.
void add_lines(std::vector<std::string>& notes, const std::vector<std::string>& lines) {
  constexpr std::size_t kMost = 50;
  notes.insert(notes.end(), lines.begin(),
               lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), kMost)));
  if (lines.size() > kMost)
    notes.push_back(cat(lines.size() - kMost, " more are in the file, which is text"));
}

std::vector<std::string> record_lines(std::string_view what, const Transaction& readable) {
  std::vector<std::string> lines;
  for (const Record& record : readable.records)
    lines.push_back(cat(what, record.address.text, " from ", record.before.value_or("absent"),
                        " to ", record.after.value_or("absent")));
  return lines;
}

std::string applied_text(const std::optional<Transaction>& newest) {
  if (!newest) return "nothing counts as applied";
  return cat(newest->profile.empty() ? "the baseline" : newest->profile,
             " counts as applied, as of generation ", newest->number);
}

/// Says that the last record does not count because it is incomplete or damaged.
std::string dropped_text(const JournalStatus& status) {
  std::vector<std::string> names;
  for (const Record& record : status.readable.records) names.push_back(record.address.text);
  return cat(
      "the journal ends early: ", status.text, " and is ignored",
      names.empty()
          ? ""
          : cat("; unless the interruption caused that, these settings may still be changed: ",
                join(names, ", ")));
}

/// Late settings that have the new value but no record of the old one: a sign of a truncated
/// journal.
std::vector<std::string> without_record(const Transaction& transaction,
                                        const Providers& providers) {
  std::set<Address> recorded;
  for (const Record& record : transaction.records) recorded.insert(record.address);
  const auto now = read_all(transaction.late, providers);
  std::vector<std::string> notes;
  for (const Setting& setting : transaction.settings) {
    const auto reading = now.find(setting.address);
    if (reading == now.end() || recorded.contains(setting.address)) continue;
    if (reading->second.has_value() &&
        satisfies(setting.relation, setting.want, reading->second.value()))
      notes.push_back(
          cat(setting.address.text, " is ", reading->second.value().value_or("absent"),
              ", the target of the interrupted run, and the journal does not have its old value"));
  }
  return notes;
}

/// Includes the values read back of side effects that could not be predicted.
std::vector<Record> as_applied(const Transaction& transaction) {
  std::vector<Record> records = transaction.records;
  for (Record& record : records)
    if (const auto value = transaction.applied_values.find(record.address);
        value != transaction.applied_values.end())
      record.after = value->second;
  return records;
}

std::vector<Step> steps_of(const Transaction& transaction) {
  std::vector<Step> steps;
  for (const Record& record : transaction.records)
    if (record.cause.text.empty() || record.settle)
      steps.push_back({record.address, record.before, record.after, record.after, {}});
  return steps;
}

}  // namespace

Engine::Engine(Disk& disk, State& state, const Providers& providers, Identity identity,
               Result<std::size_t> keep)
    : disk_(disk),
      state_(state),
      providers_(providers),
      identity_(std::move(identity)),
      keep_(std::move(keep)) {}

Report Engine::pruned(Report report) {
  if (report.outcome != Outcome::committed && report.outcome != Outcome::rolled_back) return report;
  const Result<> removed = keep_ ? state_.prune(*keep_) : Result<>(fail(keep_.error()));
  if (!removed)
    report.notes.push_back(
        cat("some old transactions could not be removed: ", removed.error().text));
  return report;
}

Report Engine::confirm() {
  auto status = state_.journal();
  if (!status) return failed(std::move(status).error());
  const Transaction& transaction = status->transaction;
  if (status->kind != JournalStatus::Kind::awaiting_confirm)
    return failed(Error{Errc::not_found, "nothing is waiting for confirmation", 0, {}, 0});
  if (transaction.identity.boot_id != identity_.boot_id ||
      identity_.boottime_s >= transaction.confirm_deadline_s)
    return failed(Error{Errc::conflict,
                        "the confirm window has expired; nettune recover reverts the change",
                        0,
                        {},
                        0});
  const StatePaths paths{state_.directory()};
  auto journal = Journal::resume(disk_, paths, transaction);
  if (!journal) return incomplete(std::move(journal).error());
  if (auto committed =
          journal->append("COMMIT", encode_values(transaction.records, transaction.applied_values,
                                                  transaction.debts, transaction.refused));
      !committed)
    return incomplete(std::move(committed).error().error);
  Report report;
  report.outcome = Outcome::committed;
  report.generation = transaction.number;
  report.written = steps_of(transaction);
  report.debts = transaction.debts;
  const std::map<std::string, std::string> nothing_at_hand;
  const ContentsView contents(state_, nothing_at_hand);
  finish_commit(disk_, transaction, providers_, contents, *journal, report);
  return pruned(std::move(report));
}

Report Engine::recover(const RecoverOptions& options) { return pruned(bring_to_end(options)); }

Report Engine::bring_to_end(const RecoverOptions& options) {
  auto status = state_.journal();
  if (!status) return failed(std::move(status).error());
  const StatePaths paths{state_.directory()};
  const Transaction& transaction = status->transaction;
  const bool same_boot = transaction.identity.boot_id == identity_.boot_id;
  // After a power cut the journal may exist without its target directory.
  if (status->kind != JournalStatus::Kind::none)
    if (auto prepared = prepare_state(disk_, paths); !prepared)
      return incomplete(std::move(prepared).error());

  switch (status->kind) {
    case JournalStatus::Kind::none: {
      Report report;
      report.outcome = Outcome::unchanged;
      return report;
    }
    case JournalStatus::Kind::corrupt:
      return handle_corrupt(paths, *status, options);
    case JournalStatus::Kind::committed:
      return roll_forward(paths, transaction, options);
    case JournalStatus::Kind::awaiting_confirm:
      if (same_boot && !options.expire_window &&
          identity_.boottime_s < transaction.confirm_deadline_s) {
        Report report;
        report.outcome = Outcome::waiting;
        report.generation = transaction.number;
        return report;
      }
      break;
    case JournalStatus::Kind::open:
      break;
  }
  return roll_back(paths, *status, same_boot, options);
}

/// If INTENT is lost, the changes made are unknown; only the intended ones may be.
Report Engine::handle_corrupt(const StatePaths& paths, const JournalStatus& status,
                              const RecoverOptions& options) {
  Report report;
  if (!options.abandon) {
    report = incomplete(Error{
        Errc::corrupt,
        cat(status.text, "; nothing was undone",
            status.other_version ? ""
                                 : ". To continue without it, run: sudo nettune recover --abandon "
                                   "(the file is kept, and the run's changes stay)"),
        0,
        {},
        0});
  } else {
    auto kept = set_damaged_aside(disk_, paths, identity_.time_s);
    if (!kept) return incomplete(std::move(kept).error());
    report.outcome = Outcome::abandoned;
    report.notes.push_back(cat("the damaged journal is kept in ", *kept));
  }
  const std::string readable = run_text(status.readable);
  report.notes.push_back(!readable.empty() ? readable
                                           : "none of it is readable: nettune check shows how the "
                                             "node differs from the state applied before");
  add_lines(report.notes, record_lines("to be changed: ", status.readable));
  return report;
}

Report Engine::recover_active(bool abandon) {
  auto applied = state_.applied();
  if (!applied) return failed(std::move(applied).error());
  Report report;
  report.outcome = Outcome::unchanged;
  if (applied->unreadable.empty()) return report;
  const std::string then = applied_text(applied->newest);
  const StatePaths paths{state_.directory()};
  std::vector<std::string> reasons;
  for (const Unreadable& damaged : applied->unreadable) {
    reasons.push_back(damaged.why);
    const auto loaded = disk_.load(paths.generation(damaged.number), kLargestReadable);
    const Transaction readable =
        loaded && *loaded ? decode_readable((*loaded)->content) : Transaction();
    const std::string text = run_text(readable);
    report.notes.push_back(
        cat("generation ", damaged.number, ": ", text.empty() ? "none of it is readable" : text));
    add_lines(report.notes, record_lines("changed by it: ", readable));
    std::vector<std::string> owned;
    for (const auto& [address, one] : readable.owned)
      owned.push_back(cat("changed before it: ", address.text, " from ",
                          one.baseline.value_or("absent"), " to ",
                          one.committed.value_or("absent")));
    add_lines(report.notes, owned);
  }
  if (!abandon) {
    report.outcome = Outcome::incomplete;
    report.error =
        Error{Errc::corrupt,
              cat(join(reasons, "; "),
                  applied->unreadable.front().other_version
                      ? std::string("; nothing was changed")
                      : cat(". To continue without it, run: sudo nettune recover --abandon (",
                            applied->unreadable.size() == 1 ? "the file is" : "the files are",
                            " kept, ", then, " then, and changes made since stay)")),
              0,
              {},
              0};
    return report;
  }
  for (const Unreadable& damaged : applied->unreadable) {
    auto kept = state_.give_up(damaged.number);
    if (!kept) return incomplete(std::move(kept).error());
    report.notes.push_back(cat("generation ", damaged.number, " is kept in ", *kept));
  }
  report.outcome = Outcome::abandoned;
  report.notes.push_back(
      cat(then, " now; changes made since stay, and nettune check shows how the node differs"));
  return report;
}

Report Engine::roll_forward(const StatePaths& paths, const Transaction& transaction,
                            const RecoverOptions& options) {
  auto journal = Journal::resume(disk_, paths, transaction);
  if (!journal) return incomplete(std::move(journal).error());
  Report report;
  report.outcome = Outcome::committed;
  report.generation = transaction.number;
  report.written = steps_of(transaction);
  report.debts = transaction.debts;
  // The record may have been read from memory before any sync.
  if (auto synced = journal->sync(); !synced) return incomplete(std::move(synced).error());
  const std::map<std::string, std::string> nothing_at_hand;
  const ContentsView contents(state_, nothing_at_hand);
  finish_commit(disk_, transaction, providers_, contents, *journal, report, options.abandon);
  return report;
}

namespace {

/// Why a transaction was undone that did not end itself.
std::string reason_of_undo(const Transaction& transaction, const RecoverOptions& options,
                           bool same_boot) {
  if (!transaction.applied) return "unfinished; undone by recover";
  if (transaction.action == kTrial) return "tried and reverted";
  if (transaction.temporary)
    return std::string(options.expire_window ? kEnded : same_boot ? kExpired : kEndedByReboot);
  return cat(kNotConfirmed, options.why.empty() ? "" : ": ", options.why);
}

}  // namespace

Report Engine::roll_back(const StatePaths& paths, const JournalStatus& status, bool same_boot,
                         const RecoverOptions& options) {
  const Transaction& transaction = status.transaction;
  auto journal = Journal::resume(disk_, paths, transaction);
  if (!journal) return incomplete(std::move(journal).error());
  Report report;
  report.outcome = Outcome::rolled_back;
  if (transaction.aborted) {
    report.debts = transaction.debts;
    if (auto finished = journal->finish(false); !finished)
      return incomplete(std::move(finished).error());
    return report;
  }
  const std::map<std::string, std::string> nothing_at_hand;
  const ContentsView contents(state_, nothing_at_hand);
  auto owed_before = state_.debts(identity_.boot_id);
  if (!owed_before) return incomplete(std::move(owed_before).error());
  const std::vector<Record> records = as_applied(transaction);
  Restored restored =
      restore({disk_, records, transaction.id, same_boot, options.locate}, providers_, contents);
  if (options.abandon)
    for (Debt& debt : restored.owed)
      restored.not_restored.push_back({debt.owed.address, debt.owed.committed, debt.owed.baseline,
                                       debt.owed.committed, std::move(debt.reason)});
  else
    report.debts = add_debts(std::move(owed_before->debts), restored.owed);
  report.restored = std::move(restored.restored);
  report.not_restored = std::move(restored.not_restored);
  report.notes = std::move(restored.notes);
  if (!status.text.empty()) report.notes.push_back(dropped_text(status));
  if (same_boot)
    std::ranges::move(without_record(transaction, providers_), std::back_inserter(report.notes));
  if (!same_boot)
    report.notes.emplace_back("the machine was rebooted since: runtime values are gone");
  if (!report.not_restored.empty() && !options.abandon) {
    report.outcome = Outcome::incomplete;
    report.error = Error{Errc::io,
                         "not everything could be restored; fix the cause and run nettune recover "
                         "again, or give up on the rest with nettune recover --abandon",
                         0,
                         {},
                         0};
    return report;
  }
  report.reason = report.not_restored.empty()
                      ? reason_of_undo(transaction, options, same_boot)
                      : std::string("unfinished; abandoned with values not restored");
  finish_abort(report.reason, *journal, report);
  return report;
}

Report Engine::forget_debts() {
  const auto finished = state_.history_numbers();
  if (!finished) return failed(finished.error());
  const StatePaths paths{state_.directory()};
  Transaction transaction;
  transaction.identity = identity_;
  transaction.number = finished->empty() ? 1 : finished->back() + 1;
  transaction.id = transaction_id(identity_, transaction.number);
  transaction.action = "forget debts";
  if (auto prepared = prepare_state(disk_, paths); !prepared)
    return failed(std::move(prepared).error());
  auto journal = Journal::begin(disk_, paths, transaction);
  if (!journal) return failed(std::move(journal).error());
  Report report;
  report.outcome = Outcome::rolled_back;
  finish_abort("debts are forgotten", *journal, report);
  return pruned(std::move(report));
}

Result<Desired> Engine::target(std::uint64_t number) {
  if (number == 0) return Desired();
  TRY_ASSIGN(const Transaction generation, state_.generation(number));
  return desired_of(generation);
}

}  // namespace nettune::inline core
