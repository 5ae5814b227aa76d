// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_qualify.hpp"
#include "cli/print_text.hpp"
#include "node/planning.hpp"
#include "node/qualify/qualify.hpp"
#include "node/writing.hpp"

namespace nettune::cli {

namespace {

Exit refuse(Invocation& context, Output& output, const Objection& objection) {
  const Error error{Errc::denied, objection.why, 0, {}, 0};
  if (context.arguments().json) output.print(json::error(error, objection.exit));
  output.complain(text::error(error, Style{}));
  return objection.exit;
}

/// While a transaction is open nothing begins, and nothing is repaired either: an interrupted run
/// is undone only on request.
Objection objection_of_state(const StateView& state) {
  if (state.journal.kind == JournalStatus::Kind::none && state.damaged.empty()) return {};
  return {state.exit(), cat("no trial can start: ", join(state.notes(), "; "))};
}

Result<> check_device(Invocation& context, const std::string& device) {
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  const auto& rdma = facts->rdma;
  const bool known =
      facts->find_net(device) ||
      std::any_of(rdma.begin(), rdma.end(), [&](const auto& one) { return one.name == device; });
  if (known) return {};
  return fail(Errc::not_found, cat("there is no interface or RDMA device ", printable(device)));
}

bool went_well(const TriedSetting& tried) {
  switch (tried.result) {
    case TrialResult::clamped:
    case TrialResult::not_held:
    case TrialResult::refused:
    case TrialResult::not_undone:
      return false;
    default:
      return true;
  }
}

Exit exit_of_trial(const Qualified& qualified) {
  const Evidence& evidence = qualified.evidence;
  if (qualified.unfinished || !evidence.moved.empty()) return Exit::unfinished;
  if (qualified.error) return Exit::rolled_back;
  const bool all =
      std::all_of(evidence.settings.begin(), evidence.settings.end(),
                  [](const EvidenceSetting& setting) { return went_well(setting.tried); });
  return all ? Exit::done : Exit::drift;
}

}  // namespace

Result<Exit> cmd_qualify(Invocation& context, Output& output) {
  const Arguments& arguments = context.arguments();
  const std::string& device = arguments.subject;
  if (!context.is_root()) return needs_root(context);
  TRY_ASSIGN(Writing writing, lock_state(context));
  if (const Objection open = objection_of_state(writing.state); open.exit != Exit::done)
    return refuse(context, output, open);
  TRY(check_device(context, device));
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  if (const Objection used = objection_to_trials(*facts, device); used.exit != Exit::done)
    return refuse(context, output, used);
  std::string profile = arguments.profile;
  if (profile.empty()) {
    TRY_ASSIGN(profile,
               only_profile_for(context.disk(), context.profile_sources(), *facts, device));
  }
  TRY_ASSIGN(const profile::Resolved resolved, resolve_profile(context, profile));
  if (const Objection unfit = objection_to_profile(resolved); unfit.exit != Exit::done)
    return refuse(context, output, unfit);
  const Desired desired = desired_of_device(resolved, *facts, device);
  if (desired.settings.empty())
    return fail(Errc::not_found, cat(printable(profile), " sets nothing on ", printable(device)));
  const std::string directory = evidence_directories().front();
  TRY(prepare_evidence(context.disk(), arguments.output_file, directory));
  TRY(ensure_lock(context, writing.lock));
  TRY_ASSIGN(const Qualified qualified,
             qualify(context, device, desired, [&](const std::string& settings) {
               if (arguments.json) return;
               output.print(cat("trying ", printable(settings), "\n"));
               output.flush();
             }));
  output.print(arguments.json ? evidence_json(qualified.evidence)
                              : cat("\n", text::qualified(qualified, output.style())));
  const Exit exit = exit_of_trial(qualified);
  if (exit == Exit::unfinished)
    output.complain(
        cat("error: ", printable(device), " is not as before; ",
            qualified.unfinished
                ? "fix the cause and run: sudo nettune recover\n"
                : "the changes listed above were not expected, so revert them by hand\n"));
  // An interrupted trial says too little about the hardware. A value that did not return says most.
  if (exit == Exit::rolled_back) return exit;
  if (!has_something(qualified.evidence)) {
    if (!arguments.json) output.print("No evidence was kept: nothing was tried.\n");
    return exit;
  }
  const auto path =
      keep_evidence(context.disk(), qualified.evidence, arguments.output_file, directory);
  if (path && !arguments.json) output.print(cat("Evidence: ", printable(*path), "\n"));
  if (path) return exit;
  // The document is on standard output already, and the state of the device matters more.
  output.complain(text::error(path.error(), Style{}));
  return exit == Exit::unfinished ? exit : exit_for(path.error().code);
}

}  // namespace nettune::cli
