// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_qualify.hpp"
#include "cli/print_text.hpp"
#include "node/planning.hpp"
#include "node/qualify/qualify.hpp"
#include "node/write_access.hpp"

namespace nettune::cli::commands {

namespace {

node::Exit refuse(Invocation& context, Output& output, const node::Objection& objection) {
  const Error error{Errc::denied, objection.why, 0, {}, 0};
  if (context.arguments().json) output.print(json::error(error, objection.exit));
  output.complain(text::error(error, Style{}));
  return objection.exit;
}

/// While a transaction is open nothing begins, and nothing is repaired either: an interrupted run
/// is undone only on request.
node::Objection objection_of_state(const node::StateView& state) {
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

node::Exit exit_of_trial(const node::qualify::Qualified& qualified) {
  const node::qualify::Evidence& evidence = qualified.evidence;
  if (qualified.unfinished || !evidence.moved.empty()) return node::Exit::unfinished;
  if (qualified.error) return node::Exit::rolled_back;
  const bool all = std::all_of(
      evidence.settings.begin(), evidence.settings.end(),
      [](const node::qualify::EvidenceSetting& setting) { return went_well(setting.tried); });
  return all ? node::Exit::done : node::Exit::drift;
}

}  // namespace

Result<node::Exit> cmd_qualify(Invocation& context, Output& output) {
  const Arguments& arguments = context.arguments();
  const std::string& device = arguments.subject;
  if (!context.is_root()) return node::needs_root(context);
  TRY_ASSIGN(node::WriteAccess writing, node::lock_state(context));
  if (const node::Objection open = objection_of_state(writing.state); open.exit != node::Exit::done)
    return refuse(context, output, open);
  TRY(check_device(context, device));
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  if (const node::Objection used = node::qualify::objection_to_trials(*facts, device);
      used.exit != node::Exit::done)
    return refuse(context, output, used);
  std::string profile = arguments.profile;
  if (profile.empty()) {
    TRY_ASSIGN(profile, node::qualify::only_profile_for(context.disk(), context.profile_sources(),
                                                        *facts, device));
  }
  TRY_ASSIGN(const profile::Resolved resolved, node::resolve_profile(context, profile));
  if (const node::Objection unfit = node::qualify::objection_to_profile(resolved);
      unfit.exit != node::Exit::done)
    return refuse(context, output, unfit);
  const Desired desired = node::qualify::desired_of_device(resolved, *facts, device);
  if (desired.settings.empty())
    return fail(Errc::not_found, cat(printable(profile), " sets nothing on ", printable(device)));
  const std::string directory = node::qualify::evidence_directories().front();
  TRY(node::qualify::prepare_evidence(context.disk(), arguments.output_file, directory));
  TRY(node::ensure_lock(context, writing.lock));
  TRY_ASSIGN(const node::qualify::Qualified qualified,
             node::qualify::qualify(context, device, desired, [&](const std::string& settings) {
               if (arguments.json) return;
               output.print(cat("trying ", printable(settings), "\n"));
               output.flush();
             }));
  output.print(arguments.json ? node::qualify::evidence_json(qualified.evidence)
                              : cat("\n", text::qualified(qualified, output.style())));
  const node::Exit exit = exit_of_trial(qualified);
  if (exit == node::Exit::unfinished)
    output.complain(
        cat("error: ", printable(device), " is not as before; ",
            qualified.unfinished
                ? "fix the cause and run: sudo nettune recover\n"
                : "the changes listed above were not expected, so revert them by hand\n"));
  // An interrupted trial says too little about the hardware. A value that did not return says most.
  if (exit == node::Exit::rolled_back) return exit;
  if (!node::qualify::has_something(qualified.evidence)) {
    if (!arguments.json) output.print("No evidence was kept: nothing was tried.\n");
    return exit;
  }
  const auto path = node::qualify::keep_evidence(context.disk(), qualified.evidence,
                                                 arguments.output_file, directory);
  if (path && !arguments.json) output.print(cat("Evidence: ", printable(*path), "\n"));
  if (path) return exit;
  // The document is on standard output already, and the state of the device matters more.
  output.complain(text::error(path.error(), Style{}));
  return exit == node::Exit::unfinished ? exit : node::exit_for(path.error().code);
}

}  // namespace nettune::cli::commands
