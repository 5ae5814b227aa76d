// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "cli/undo_timer.hpp"
#include "cli/writing.hpp"

namespace nettune::cli {

namespace {

constexpr std::int64_t kPatience_s = std::int64_t{24} * 3600;

/// Waits for the deadline, and then for whoever is at work: what counts is that it has passed, not
/// who had the lock then.
Result<Writing> lock_at(Context& context, std::int64_t deadline_s) {
  if (!context.is_root()) return needs_root("recover");
  TRY(sleep_until(context.state().directory(), deadline_s));
  return lock_state(context, kPatience_s);
}

}  // namespace

Result<Exit> cmd_recover(Context& context, Output& output) {
  const bool as_json = context.arguments().json;
  const std::int64_t at_s = context.arguments().at_s;
  TRY_ASSIGN(const Writing writing, at_s > 0 ? lock_at(context, at_s) : lock_state(context));
  std::optional<Report> report;
  Exit exit = Exit::done;
  if (writing.state.journal.kind != JournalStatus::Kind::none) {
    TRY_ASSIGN(report, run_recovery(context, {.abandon = context.arguments().abandon}));
    exit = exit_of(*report);
    // To take an unfinished transaction back is what was asked for.
    if (report->outcome == Outcome::rolled_back) exit = Exit::done;
    if (report->outcome == Outcome::waiting) exit = Exit::busy;
  }
  if (as_json) {
    output.print(json::outcome("recover", report));
  } else {
    output.print(text::notes(writing.notes, output.style()));
    output.print(report ? text::recovered(*report, output.style()) : "nothing to recover\n");
  }
  if (report && report->error) output.complain(text::error(*report->error, Style{}));
  return exit;
}

}  // namespace nettune::cli
