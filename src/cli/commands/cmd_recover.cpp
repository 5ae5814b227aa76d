// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/confirm/undo_timer.hpp"
#include "node/write_access.hpp"

namespace nettune::cli::commands {

namespace {

constexpr std::int64_t kBootPatience_s = std::int64_t{24} * 3600;
constexpr std::chrono::seconds kBetweenTries{10};

struct RecoverCommand : GlobalOptions {
  /// A mistake in the site file must not block an undo.
  RecoverCommand() { forgives_site_file = true; }

  bool abandon = false;
  std::int64_t at_s = 0;  ///< CLOCK_BOOTTIME; 0: now
  std::string at_text;

  Options options() {
    return {
        {"--abandon", "", "Archive and list what cannot be undone; forget debts", &abandon},
        root_option(*this),
        {"--at", "SECONDS", "Wait until then (CLOCK_BOOTTIME); started by --confirm", &at_text}};
  }

  Result<> take() {
    if (!at_text.empty()) {
      const auto seconds = parse_int(at_text);
      if (!seconds || *seconds <= 0)
        return fail(Errc::invalid,
                    cat("--at takes seconds of CLOCK_BOOTTIME, not \"", printable(at_text), "\""));
      at_s = *seconds;
    }
    return check_root(*this, at_s != 0);
  }

  Result<node::Exit> run(node::Context& context, Output& output) const;
};

struct Recovered {
  std::vector<std::string> notes;
  /// From the interrupted run, else from the debts; nothing if there was nothing to recover.
  std::optional<Report> report;
  bool paid = false;
  /// For an unknown applied state.
  std::optional<Report> of_active;
};

/// Nothing if the applied state is known.
Result<std::optional<Report>> recover_active(node::Context& context, bool abandon) {
  TRY_ASSIGN(const Providers* const providers, context.providers());
  TRY_ASSIGN(Engine engine, node::make_engine(context, *providers));
  Report report = engine.recover_active(abandon);
  if (report.outcome == Outcome::unchanged) return std::optional<Report>();
  return std::optional<Report>(std::move(report));
}

Result<Recovered> recover_now(node::Context& context, bool abandon, std::int64_t patience_s) {
  TRY_ASSIGN(const node::WriteAccess writing, node::lock_state(context, patience_s));
  Recovered recovered{writing.notes, {}, false, {}};
  if (writing.state.journal.kind != JournalStatus::Kind::none) {
    TRY_ASSIGN(recovered.report, node::run_recovery(context, {.abandon = abandon}));
    TRY_ASSIGN(recovered.of_active, recover_active(context, abandon));
  } else if (!writing.state.damaged.empty()) {
    TRY_ASSIGN(recovered.of_active, recover_active(context, abandon));
  } else if (!writing.state.debts.empty() && abandon) {
    TRY_ASSIGN(const Providers* const providers, context.providers());
    TRY_ASSIGN(Engine engine, node::make_engine(context, *providers));
    recovered.report = engine.forget_debts();
    for (const Debt& debt : writing.state.debts)
      recovered.report->not_restored.push_back(
          {debt.owed.address, debt.owed.committed, debt.value(), debt.owed.committed, debt.reason});
  } else if (!writing.state.debts.empty()) {
    TRY_ASSIGN(recovered.report, node::pay_debts(context, writing.state));
    recovered.paid = true;
  }
  return recovered;
}

/// Runs at the deadline of a confirm window, whoever holds the lock then. The node may be
/// unreachable, so a failure is retried until it succeeds or a person does it.
Result<Recovered> recover_at(node::Context& context, const RecoverCommand& options) {
  if (!context.is_root()) return node::needs_root(context);
  TRY_ASSIGN(const bool due, node::confirm::sleep_until(context.state().directory(), options.at_s));
  // Somebody confirmed or reverted it. Looking would take the lock from the next command.
  if (!due) return Recovered{};
  while (true) {
    auto recovered = recover_now(context, options.abandon, kBootPatience_s);
    const bool done =
        recovered && (!recovered->report || recovered->report->outcome != Outcome::incomplete);
    if (done) return recovered;
    std::this_thread::sleep_for(kBetweenTries);
  }
}

node::Exit exit_of_recovery(const std::optional<Report>& report) {
  if (!report) return node::Exit::done;
  // Reverting an unfinished transaction is the request, and so is --abandon.
  if (report->outcome == Outcome::rolled_back || report->outcome == Outcome::abandoned)
    return report->debts.empty() ? node::Exit::done : node::Exit::drift;
  return report->outcome == Outcome::waiting ? node::Exit::busy : node::exit_of(*report);
}

/// JSON has one report: its notes contain what concerns the active generation.
std::optional<Report> both(std::optional<Report> report, const std::optional<Report>& of_active) {
  if (!report || !of_active) return report ? report : of_active;
  report->notes.insert(report->notes.end(), of_active->notes.begin(), of_active->notes.end());
  if (!report->error) report->error = of_active->error;
  return report;
}

Result<node::Exit> RecoverCommand::run(node::Context& context, Output& output) const {
  TRY_ASSIGN(const Recovered recovered,
             at_s > 0 ? recover_at(context, *this) : recover_now(context, abandon, 0));
  const std::optional<Report>& report = recovered.report;
  const std::optional<Report>& of_active = recovered.of_active;
  if (json) {
    output.print(json::outcome("recover", both(report, of_active)));
  } else {
    output.print(text::notes(recovered.notes, output.style()));
    if (!report && !of_active) output.print("nothing to recover\n");
    if (report)
      output.print(recovered.paid ? text::paid(*report, output.style())
                                  : text::recovered(*report, output.style()));
    if (of_active) output.print(text::recovered_active(*of_active, output.style()));
  }
  for (const auto* const each : {&report, &of_active})
    if (*each && (*each)->error) output.complain(text::error(*(*each)->error, Style{}));
  return node::worse(exit_of_recovery(report), exit_of_recovery(of_active));
}

}  // namespace

Command recover_command() { return make_command<RecoverCommand>(Work::changes); }

}  // namespace nettune::cli::commands
