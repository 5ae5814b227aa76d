// SPDX-License-Identifier: Apache-2.0
#include "core/engine.hpp"

#include "base/text.hpp"
#include "core/contents_view.hpp"
#include "core/finish.hpp"
#include "core/journal.hpp"
#include "core/restore.hpp"
#include "core/transaction_codec.hpp"
#include "core/trial.hpp"

namespace nettune {

namespace {

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

std::vector<Step> steps_of(const Transaction& transaction) {
  std::vector<Step> steps;
  for (const Record& record : transaction.records)
    if (record.cause.text.empty() || record.settle)
      steps.push_back({record.address, record.before, record.after, record.after, {}});
  return steps;
}

}  // namespace

Engine::Engine(Disk& disk, State& state, const Providers& providers, Identity identity)
    : disk_(disk), state_(state), providers_(providers), identity_(std::move(identity)) {}

Report Engine::confirm() {
  auto status = state_.journal();
  if (!status) return failed(std::move(status).error());
  const Transaction& transaction = status->transaction;
  if (status->kind != JournalStatus::Kind::awaiting_confirm)
    return failed(Error{Errc::not_found, "nothing waits for a confirmation", 0, {}, 0});
  if (transaction.identity.boot_id != identity_.boot_id ||
      identity_.boottime_s >= transaction.confirm_deadline_s)
    return failed(Error{Errc::conflict,
                        "the time to confirm is over; nettune recover takes the change back",
                        0,
                        {},
                        0});
  const StatePaths paths{state_.directory()};
  auto journal = Journal::resume(disk_, paths, transaction);
  if (!journal) return incomplete(std::move(journal).error());
  if (auto committed =
          journal->append("COMMIT", encode_values(transaction.records, transaction.applied_values));
      !committed)
    return incomplete(std::move(committed).error().error);
  Report report;
  report.outcome = Outcome::committed;
  report.generation = transaction.number;
  report.written = steps_of(transaction);
  const std::map<std::string, std::string> nothing_at_hand;
  const ContentsView contents(state_, nothing_at_hand);
  finish_commit(disk_, transaction, providers_, contents, *journal, report);
  return report;
}

Report Engine::recover(const RecoverOptions& options) {
  auto status = state_.journal();
  if (!status) return failed(std::move(status).error());
  const StatePaths paths{state_.directory()};
  const Transaction& transaction = status->transaction;
  const bool same_boot = transaction.identity.boot_id == identity_.boot_id;
  // After a power cut the journal may have survived without the directory that it goes to.
  if (status->kind != JournalStatus::Kind::none)
    if (auto prepared = prepare_state(disk_, paths); !prepared)
      return incomplete(std::move(prepared).error());

  switch (status->kind) {
    case JournalStatus::Kind::none: {
      Report report;
      report.outcome = Outcome::unchanged;
      return report;
    }
    case JournalStatus::Kind::no_intent:
      return drop_empty_journal(paths);
    case JournalStatus::Kind::corrupt:
      return handle_corrupt(paths, status->text, options);
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
  return roll_back(paths, transaction, same_boot, options);
}

/// A crash before INTENT was whole: nothing had been touched.
Report Engine::drop_empty_journal(const StatePaths& paths) {
  Result<> dropped = disk_.remove(paths.journal());
  if (dropped) dropped = disk_.sync_directory(paths.directory);
  if (!dropped) return incomplete(std::move(dropped).error());
  Report report;
  report.outcome = Outcome::rolled_back;
  report.notes.emplace_back("a transaction ended before its first write; nothing had been changed");
  return report;
}

Report Engine::handle_corrupt(const StatePaths& paths, const std::string& text,
                              const RecoverOptions& options) {
  if (!options.abandon)
    return incomplete(
        Error{Errc::corrupt,
              cat(text, "; nettune recover --abandon archives it and goes on without it"),
              0,
              {},
              0});
  const std::string archived = cat(paths.directory, "/journal.damaged-", identity_.time_s);
  Result<> moved = disk_.rename(paths.journal(), archived);
  if (moved) moved = disk_.sync_directory(paths.directory);
  if (!moved) return incomplete(std::move(moved).error());
  Report report;
  report.outcome = Outcome::rolled_back;
  report.notes.push_back(
      cat("the damaged journal is kept in ", archived, "; what it had changed is not undone"));
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
  // The record may have been read from memory that no sync has reached yet.
  if (auto synced = journal->sync(); !synced) return incomplete(std::move(synced).error());
  const std::map<std::string, std::string> nothing_at_hand;
  const ContentsView contents(state_, nothing_at_hand);
  finish_commit(disk_, transaction, providers_, contents, *journal, report, options.abandon);
  return report;
}

Report Engine::roll_back(const StatePaths& paths, const Transaction& transaction, bool same_boot,
                         const RecoverOptions& options) {
  auto journal = Journal::resume(disk_, paths, transaction);
  if (!journal) return incomplete(std::move(journal).error());
  Report report;
  report.outcome = Outcome::rolled_back;
  if (transaction.aborted) {
    if (auto finished = journal->finish(false); !finished)
      return incomplete(std::move(finished).error());
    return report;
  }
  const std::map<std::string, std::string> nothing_at_hand;
  const ContentsView contents(state_, nothing_at_hand);
  Restored restored =
      restore({disk_, transaction.records, transaction.id, same_boot, options.locate}, providers_,
              contents);
  report.restored = std::move(restored.restored);
  report.not_restored = std::move(restored.not_restored);
  report.notes = std::move(restored.notes);
  if (!same_boot)
    report.notes.emplace_back(
        "the machine was rebooted since: values that live until reboot are gone");
  if (!report.not_restored.empty() && !options.abandon) {
    report.outcome = Outcome::incomplete;
    report.error =
        Error{Errc::io,
              "not everything could be restored; mend the reason and run nettune recover again, or "
              "archive the rest with nettune recover --abandon",
              0,
              {},
              0};
    return report;
  }
  finish_abort(!report.not_restored.empty()   ? "unfinished; abandoned with values not restored"
               : !transaction.applied         ? "unfinished; undone by recover"
               : transaction.action == kTrial ? "tried, and taken back"
                                              : "not confirmed; taken back",
               *journal, report);
  return report;
}

Result<Desired> Engine::target(std::uint64_t number) {
  Desired desired;
  if (number == 0) return desired;
  TRY_ASSIGN(const Transaction generation, state_.generation(number));
  desired.profile = generation.profile;
  desired.vars = generation.vars;
  desired.settings = generation.settings;
  desired.members = generation.members;
  desired.variables = generation.variables;
  desired.admissions = generation.admissions;
  desired.sources = generation.sources;
  return desired;
}

}  // namespace nettune
