// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/commands/suggested_lines.hpp"
#include "cli/commands/variable_warnings.hpp"
#include "cli/plan_view.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/check/steady.hpp"
#include "node/display_text.hpp"
#include "node/objections.hpp"
#include "node/plan_file.hpp"
#include "node/planning.hpp"
#include "node/required_traffic.hpp"
#include "node/unrecorded.hpp"

namespace nettune::cli::commands {

namespace {

struct PlanCommand : ChangeOptions {
  std::string profile;
  std::string save_file;

  Options options() {
    return joined(
        {{{"profile", "", "Profile name", &profile, true},
          {"--save", "FILE", "Save the plan to a file for apply", &save_file},
          {"--facts", "FILE", "Plan for a recorded node (nettune facts --json)", &facts_file},
          {"--state", "FILE", "The current values of the recorded node", &values_file}},
         window_options(*this),
         permission_options(*this),
         {root_option(*this)}});
  }

  Result<> take() {
    TRY(take_window(*this));
    if (!values_file.empty() && facts_file.empty())
      return fail(Errc::invalid, "--state gives the values of a recorded node and needs --facts");
    TRY(check_change(*this));
    if (facts_file.empty()) return {};
    if (!unrecorded.empty())
      return fail(Errc::invalid,
                  "--unrecorded is about this machine; it cannot be combined with --facts");
    if (!root.empty())
      return fail(
          Errc::invalid,
          "--root plans for an image and --facts for a recorded node; use only one of them");
    return {};
  }

  static constexpr auto candidates = profile_first;
  Result<node::Exit> run(node::Context& context, Output& output) const;
};

/// A recorded node: nothing differs as far as values are known, but some are unknown.
bool is_unknown(const Plan& plan) { return !plan.writes() && plan.count(Verdict::unknown) > 0; }

/// The line that carries out the plan. A saved plan is known by its name: a name without a slash
/// and without a suffix counts as a profile.
std::string command_for(const node::Locations& locations, const PlanCommand& options,
                        bool is_root) {
  const std::string& file = options.save_file;
  if (file.empty()) return apply_line(locations, options, options.profile, false);
  const bool plain = node::is_plan_file(file) && !file.starts_with('-');
  const std::string name = plain ? file : cat("./", file);
  // apply rejects a plan that somebody else could write.
  return cat(is_root ? "" : cat("sudo chown root: ", shell_word(name), " && "),
             apply_line(locations, options, name, true));
}

/// True for a file that apply can read again: not a pipe or terminal.
bool is_saved(node::Context& context, const std::string& file) {
  if (file.empty()) return true;
  const auto info = context.disk().info(node::absolute_path(file));
  return info && *info && (*info)->kind == FileInfo::Kind::regular;
}

/// What apply would result in: nothing, changes, or a refusal.
node::Exit exit_of_plan(const node::Planned& planned, const node::Objection& objection) {
  const bool is_blocked = firewall::any_dropped(planned.passages);
  node::Exit exit = planned.plan.writes() || is_blocked ? node::Exit::drift : node::Exit::done;
  if (planned.plan.has_not_permitted()) exit = node::worse(exit, node::Exit::not_permitted);
  if (is_unknown(planned.plan)) exit = node::worse(exit, node::Exit::unknown);
  return node::worse(exit, objection.exit);
}

node::Objection objection_to(node::Context& context, const PlanCommand& options,
                             const node::Planned& planned, const node::StateView& state,
                             const facts::Facts& facts) {
  node::Objection objection = node::objection_to_plan("apply", planned, options);
  if (objection.exit == node::Exit::done)
    objection = node::objection_to_denied(planned.plan, facts.node);
  if (objection.exit != node::Exit::done || !planned.plan.writes()) return objection;
  if (state.exists && state.unreadable.empty())
    objection = node::objection_to_lost(planned, context.state());
  if (objection.exit != node::Exit::done) return objection;
  return node::objection_of_node("apply", planned, state, facts, options);
}

/// A plan, and the state at that time.
struct PlannedNow {
  node::StateView state;
  node::Planned planned;
};

Result<PlannedNow> plan_now(node::Context& context, const PlanCommand& options) {
  PlannedNow now;
  TRY_ASSIGN(now.state, context.look_at_state());
  TRY(node::refuse_half_changed(now.state));
  if (now.state.unreadable.empty())
    TRY(node::add_older_baselines(context.disk(), context.state(), now.state));
  TRY_ASSIGN(now.planned, node::plan_profile(context, options.profile, now.state.active,
                                             node::request_of(options, now.state)));
  add_variable_warnings(context, now.planned);
  node::find_unrecorded(context, now.state);
  std::erase_if(now.state.unrecorded, [&](const node::Marked& marked) {
    return std::ranges::find(now.planned.taken_over, marked.address) !=
           now.planned.taken_over.end();
  });
  return now;
}

/// How to carry out the plan, or what prevents it; "" if there is nothing to do.
std::string closing_line(node::Context& context, const PlanCommand& options,
                         const node::Planned& planned, const node::Objection& objection,
                         const node::StateView& state, const Style& style) {
  // The misfits were printed already.
  if (!planned.resolved.misfits.empty()) return {};
  if (!objection.why.empty())
    return style.terminal ? text::labelled("blocked:", objection.why, style)
                          : cat("blocked: ", objection.why, "\n");
  if (state.is_open() || !state.damaged.empty())
    return "blocked until that is resolved; the notes say how\n";
  if (context.recorded() || !planned.plan.writes() || !is_saved(context, options.save_file))
    return {};
  return cat("Apply it with: ", command_for(context.locations(), options, context.is_root()), "\n");
}

Result<node::Exit> PlanCommand::run(node::Context& context, Output& output) const {
  TRY_ASSIGN(PlannedNow now,
             node::check::read_steadily(context, [&] { return plan_now(context, *this); }));
  auto& [state, planned] = now;
  if (!context.recorded())
    state.volatile_reason = node::volatile_file_system(context.state().directory());
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  if (!context.is_root() && !context.recorded())
    planned.plan.notes.emplace_back(
        "planned without root; only sudo shows what even root may not write");
  const node::Objection objection = objection_to(context, *this, planned, state, *facts);
  const std::string document = json::plan(planned, context.locations().set, state, objection.why);
  if (!save_file.empty()) TRY(node::save_plan(save_file, document));
  const node::Exit of_plan = exit_of_plan(planned, objection);
  const node::Exit exit = node::worse(of_plan, state.exit());
  text::PlanView view = text::plan_view(context, *facts, verbose > 0);
  view.closing = closing_line(context, *this, planned, objection, state, output.style());
  output.print(json ? document : text::plan(planned, state, view, output.style()));
  return exit;
}

}  // namespace

Command plan_command() { return make_command<PlanCommand>(); }

}  // namespace nettune::cli::commands
