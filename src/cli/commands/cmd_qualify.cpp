// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "cli/candidates.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/planning.hpp"
#include "node/qualify/qualify.hpp"
#include "node/write_access.hpp"

namespace nettune::cli::commands {

namespace {

struct QualifyCommand : GlobalOptions {
  std::string device;
  std::string profile;      ///< "" for the one that matches
  std::string output_file;  ///< for evidence; "" for the default

  Options options() {
    return {{"device", "", "An unused interface or RDMA device", &device, true},
            {"profile", "", "Profile name (default: the one that matches)", &profile},
            {"--output", "FILE", "Write the evidence to FILE (/etc/nettune/evidence/...)",
             &output_file}};
  }

  static std::vector<std::string> candidates(node::Context& context,
                                             std::span<const std::string> words) {
    if (words.size() == 2) return profile_names(context);
    if (words.size() > 2) return {};
    std::vector<std::string> devices = interface_names(context);
    for (const std::string& name :
         context.disk().list("/sys/class/infiniband").value_or(std::vector<std::string>()))
      devices.push_back(name);
    return devices;
  }

  Result<node::Exit> run(node::Context& context, Output& output) const;
};

node::Exit refuse(const QualifyCommand& options, Output& output, const node::Objection& objection) {
  return report_error({Errc::denied, objection.why, 0, {}, 0}, objection.exit, options.json,
                      output);
}

/// While a transaction is open nothing begins, and nothing is repaired either: an interrupted run
/// is undone only on request.
node::Objection objection_of_state(const node::StateView& state) {
  if (state.journal.kind == JournalStatus::Kind::none && state.damaged.empty()) return {};
  return {state.exit(), cat("no trial can start: ", join(state.notes(), "; "))};
}

Result<> check_device(node::Context& context, const std::string& device) {
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

Result<node::Exit> QualifyCommand::run(node::Context& context, Output& output) const {
  if (!context.is_root()) return node::needs_root(context);
  TRY_ASSIGN(node::WriteAccess writing, node::lock_state(context));
  if (const node::Objection open = objection_of_state(writing.state); open.exit != node::Exit::done)
    return refuse(*this, output, open);
  TRY(check_device(context, device));
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  if (const node::Objection used = node::qualify::objection_to_trials(*facts, device);
      used.exit != node::Exit::done)
    return refuse(*this, output, used);
  std::string name = profile;
  if (name.empty()) {
    TRY_ASSIGN(name, node::qualify::only_profile_for(context.disk(), context.profile_sources(),
                                                     *facts, device));
  }
  TRY_ASSIGN(const profile::Resolved resolved, node::resolve_profile(context, name));
  if (const node::Objection unfit = node::qualify::objection_to_profile(resolved);
      unfit.exit != node::Exit::done)
    return refuse(*this, output, unfit);
  const Desired desired = node::qualify::desired_of_device(resolved, *facts, device);
  if (desired.settings.empty())
    return fail(Errc::not_found, cat(printable(name), " sets nothing on ", printable(device)));
  const std::string directory = node::qualify::evidence_directories().front();
  TRY(node::qualify::prepare_evidence(context.disk(), output_file, directory));
  TRY(node::ensure_lock(context, writing.lock));
  TRY_ASSIGN(const node::qualify::Qualified qualified,
             node::qualify::qualify(context, device, desired, [&](const std::string& settings) {
               if (json) return;
               output.print(cat("trying ", printable(settings), "\n"));
               output.flush();
             }));
  output.print(json ? node::qualify::evidence_json(qualified.evidence)
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
    if (!json) output.print("No evidence was kept: nothing was tried.\n");
    return exit;
  }
  const auto path =
      node::qualify::keep_evidence(context.disk(), qualified.evidence, output_file, directory);
  if (path && !json) output.print(cat("Evidence: ", printable(*path), "\n"));
  if (path) return exit;
  // The document is on standard output already, and the state of the device matters more.
  output.complain(text::error(path.error(), Style{}));
  return exit == node::Exit::unfinished ? exit : node::exit_for(path.error().code);
}

}  // namespace

Command qualify_command() { return make_command<QualifyCommand>(Work::changes); }

}  // namespace nettune::cli::commands
