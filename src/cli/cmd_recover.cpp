// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "cli/writing.hpp"

namespace nettune::cli {

Result<Exit> cmd_recover(Context& context, Output& output) {
  const bool as_json = context.arguments().json;
  TRY_ASSIGN(const Writing writing, lock_state(context));
  std::optional<Report> report;
  Exit exit = Exit::done;
  if (writing.state.journal.kind != JournalStatus::Kind::none) {
    TRY_ASSIGN(report, run_recovery(context, context.arguments().abandon));
    exit = exit_of(*report);
    // To take an unfinished transaction back is what was asked for.
    if (report->outcome == Outcome::rolled_back) exit = Exit::done;
    if (report->outcome == Outcome::waiting) exit = Exit::busy;
  }
  if (as_json) {
    output.print(json::recover(report));
  } else {
    output.print(text::notes(writing.notes, output.style()));
    output.print(report ? text::recovered(*report, output.style()) : "nothing to recover\n");
  }
  if (report && report->error) output.complain(text::error(*report->error, Style{}));
  return exit;
}

}  // namespace nettune::cli
