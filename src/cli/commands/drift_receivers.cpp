// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/drift_receivers.hpp"

#include <ctime>

#include "base/text.hpp"
#include "cli/print_json.hpp"
#include "kernel/command.hpp"
#include "kernel/journald.hpp"
#include "node/check/drift_report.hpp"
#include "node/output_file.hpp"

namespace nettune::cli::commands {

namespace {

constexpr int kCommandTime_ms = 60'000;

Result<> write_entries(const std::vector<std::vector<std::string>>& entries) {
  for (const auto& entry : entries) TRY(kernel::write_to_journald(entry));
  return {};
}

Result<> call_command(const std::vector<std::string>& words, const node::check::Checked& checked) {
  kernel::CommandLine command;
  command.words = words;
  command.input = json::check(checked);
  command.timeout_ms = kCommandTime_ms;
  TRY_ASSIGN(const int status, kernel::run_command(command));
  if (status != 0) return fail(Errc::io, cat("it exited with ", status));
  return {};
}

}  // namespace

Options receiver_options(DriftReceivers& into) {
  return {
      {"--textfile", "FILE", "Write metrics for node_exporter's textfile collector",
       &into.textfile},
      {"--on-drift", "COMMAND", "Run this program (/PATH WORD...) on drift", &into.on_drift_text},
  };
}

Result<> take_receivers(DriftReceivers& into) {
  const std::string& text = into.on_drift_text;
  for (const std::string_view word : words(text)) into.on_drift.emplace_back(word);
  if (!text.empty() && (into.on_drift.empty() || !into.on_drift.front().starts_with('/')))
    return fail(Errc::invalid, cat("--on-drift takes a program by its absolute path, not \"",
                                   printable(text), "\" (it runs without a shell)"));
  return {};
}

void report_drift(const DriftReceivers& receivers, bool unattended,
                  const node::check::Checked& checked, bool news, Output& output) {
  const auto note = [&](const Result<>& done, const std::string& what) {
    if (!done) output.complain(cat("warning: ", what, ": ", done.error().text, "\n"));
  };
  if (!receivers.textfile.empty())
    note(node::write_output_file(receivers.textfile,
                                 node::check::metrics(checked, std::time(nullptr)), 0644),
         cat("--textfile ", printable(receivers.textfile)));
  if (!news) return;
  if (unattended)
    note(write_entries(node::check::journal_entries(checked)),
         "drift was not reported to the journal");
  const bool drifted = checked.standing() == node::check::Standing::state_lost ||
                       (checked.held && (!node::not_in_sync(*checked.held).empty() ||
                                         firewall::any_dropped(checked.passages)));
  if (!receivers.on_drift.empty() && drifted)
    note(call_command(receivers.on_drift, checked),
         cat("--on-drift ", printable(receivers.on_drift.front())));
}

}  // namespace nettune::cli::commands
