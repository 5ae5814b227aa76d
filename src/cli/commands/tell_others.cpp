// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/tell_others.hpp"

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

std::vector<std::string> tell_others(const Arguments& arguments,
                                     const node::check::Checked& checked, bool news) {
  std::vector<std::string> untold;
  const auto note = [&](const Result<>& done, const std::string& what) {
    if (!done) untold.push_back(cat(what, ": ", done.error().text));
  };
  if (!arguments.textfile.empty())
    note(node::write_output_file(arguments.textfile,
                                 node::check::metrics(checked, std::time(nullptr)), 0644),
         cat("--textfile ", printable(arguments.textfile)));
  if (!news) return untold;
  if (arguments.unattended)
    note(write_entries(node::check::journal_entries(checked)),
         "drift was not reported to the journal");
  const bool drifted = checked.held && (!node::not_in_sync(*checked.held).empty() ||
                                        firewall::any_dropped(checked.passages));
  if (!arguments.on_drift.empty() && drifted)
    note(call_command(arguments.on_drift, checked),
         cat("--on-drift ", printable(arguments.on_drift.front())));
  return untold;
}

}  // namespace nettune::cli::commands
