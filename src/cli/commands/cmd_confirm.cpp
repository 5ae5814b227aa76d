// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/commands/suggested_lines.hpp"
#include "cli/print_check.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/boot_trial.hpp"
#include "node/check/checking.hpp"
#include "node/confirm/connection.hpp"
#include "node/signals.hpp"
#include "node/unit_files.hpp"
#include "node/write_access.hpp"

namespace nettune::cli::commands {

namespace {

std::string done_text(const Transaction& transaction) {
  return transaction.profile.empty() ? std::string("confirmed: the baseline")
                                     : cat("confirmed: ", printable(transaction.profile));
}

/// Since the apply, somebody may have loaded other rules, or a driver its defaults, so the
/// confirmed state may no longer hold. What cannot be read is a note.
node::check::Checked look_again(node::Context& context, Report& report) {
  if (report.outcome != Outcome::committed) return {};
  auto checked = node::check::check_node(context, {});
  if (checked) return std::move(*checked);
  report.notes.push_back(
      cat("could not check whether the change still holds: ", checked.error().text));
  return {};
}

constexpr std::int64_t kPatience_s = 60;

struct ConfirmCommand : GlobalOptions {
  bool any_connection = false;
  bool boot = false;

  Options options() {
    return {{"--boot", "", "End the trial of kernel arguments: this boot came up", &boot},
            {"--any-connection", "", "Confirm even if no new connection to this node is proven",
             &any_connection}};
  }

  /// For nettune-boot.service.
  Result<node::Exit> end_trial(node::Context& context, Output& output) const {
    using enum node::BootTrial::State;
    TRY_ASSIGN(const node::BootTrial trial, node::end_boot_trial(context));
    const bool good = trial.state == none || trial.state == kept || trial.state == next;
    if (json) {
      if (good) output.print(json::boot_trial(trial));
    } else if (good) {
      output.print(cat("boot: ", printable(trial.text), "\n"));
    }
    if (!good)
      return report_error(Error{Errc::conflict, trial.text}, node::Exit::drift, json, output);
    return node::Exit::done;
  }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(node::WriteAccess writing, node::lock_state(context, boot ? kPatience_s : 0));
    if (boot) return end_trial(context, output);
    const Transaction& waiting = writing.state.journal.transaction;
    if (!writing.state.confirm_left_s) {
      const Error error{Errc::not_found,
                        "nothing is waiting for confirmation; see nettune history"};
      return report_error(error, node::Exit::failed, json, output);
    }
    if (waiting.temporary) {
      const Error error{
          Errc::conflict,
          "this change is temporary (apply --for) and cannot be confirmed; to keep it, "
          "run sudo nettune rollback and apply it without --for"};
      return report_error(error, node::Exit::refused, json, output);
    }
    if (!any_connection) {
      if (const auto how =
              node::confirm::check_connection(context.disk(), ::getpid(), waiting.applied_ms);
          !how)
        return report_error(how.error(), node::Exit::refused, json, output);
    }
    TRY_ASSIGN(const Providers* const providers, context.providers());
    TRY_ASSIGN(Engine engine, node::make_engine(context, *providers));
    Report report;
    {
      const node::DeferredSignals signals;
      report = engine.confirm();
    }
    std::vector<Address> written;
    for (const Record& record : waiting.records) written.push_back(record.address);
    node::tell_systemd(context, written, false, report);
    writing.lock.reset();
    const node::check::Checked checked = look_again(context, report);
    const bool holds = checked.exit != node::Exit::drift;
    if (json) {
      output.print(json::confirmed(report, checked));
    } else {
      output.print(text::report(report, done_text(waiting), output.style()));
      if (!holds && checked.held)
        output.print(text::check(checked, {},
                                 {reapply_line(context.locations(), *checked.state.active),
                                  same_node_line(context.locations(), "diff")},
                                 output.style()));
      if (!holds) output.print(text::passages_in_short(checked.passages, output.style()));
    }
    if (report.error) output.complain(text::error(*report.error, Style{}));
    return holds ? node::exit_of(report) : node::worse(node::exit_of(report), node::Exit::drift);
  }
};

}  // namespace

Command confirm_command() { return make_command<ConfirmCommand>(Work::changes); }

}  // namespace nettune::cli::commands
