// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "cli/commands/again.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/variable_warnings.hpp"
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

/// A recorded node: nothing differs as far as values are known, but some are unknown.
bool is_unknown(const Plan& plan) { return !plan.writes() && plan.count(Verdict::unknown) > 0; }

/// The line that carries out the plan. A saved plan is known by its name: a name without a slash
/// and without a suffix counts as a profile.
std::string command_for(const Arguments& arguments, bool is_root) {
  const std::string& file = arguments.save_file;
  if (file.empty()) return apply_again(arguments, arguments.subject, false);
  const bool plain = node::is_plan_file(file) && !file.starts_with('-');
  const std::string name = plain ? file : cat("./", file);
  // apply rejects a plan that somebody else could write.
  return cat(is_root ? "" : cat("sudo chown root: ", shell_word(name), " && "),
             apply_again(arguments, name, true));
}

/// True for a file that apply can read again: not a pipe or terminal.
bool is_saved(Invocation& context, const std::string& file) {
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

node::Objection objection_to(Invocation& context, const node::Planned& planned,
                             const node::StateView& state, const facts::Facts& facts) {
  const Arguments& arguments = context.arguments();
  node::Objection objection = node::objection_to_plan("apply", planned, arguments);
  if (objection.exit == node::Exit::done) objection = node::objection_to_denied(planned.plan);
  if (objection.exit != node::Exit::done || !planned.plan.writes()) return objection;
  if (state.exists && state.unreadable.empty())
    objection = node::objection_to_lost(planned, context.state());
  if (objection.exit != node::Exit::done) return objection;
  return node::objection_of_node("apply", planned, state, facts, arguments);
}

/// A plan, and the state at that time.
struct PlannedNow {
  node::StateView state;
  node::Planned planned;
};

Result<PlannedNow> plan_now(Invocation& context) {
  const Arguments& arguments = context.arguments();
  PlannedNow now;
  TRY_ASSIGN(now.state, context.look_at_state());
  TRY(node::refuse_half_changed(now.state));
  if (now.state.unreadable.empty())
    TRY(node::add_older_baselines(context.disk(), context.state(), now.state));
  TRY_ASSIGN(now.planned, node::plan_profile(context, arguments.subject, now.state.active,
                                             node::request_of(arguments, now.state)));
  add_variable_warnings(context, now.planned);
  node::find_unrecorded(context, now.state);
  std::erase_if(now.state.unrecorded, [&](const node::Marked& marked) {
    return std::ranges::find(now.planned.taken_over, marked.address) !=
           now.planned.taken_over.end();
  });
  return now;
}

/// How to carry out the plan, or what prevents it; "" if there is nothing to do.
std::string closing_line(Invocation& context, const node::Planned& planned,
                         const node::Objection& objection, const node::StateView& state) {
  const Arguments& arguments = context.arguments();
  // The misfits were printed already.
  if (!planned.resolved.misfits.empty()) return {};
  if (!objection.why.empty()) return cat("apply would not start: ", objection.why, "\n");
  if (state.is_open() || !state.damaged.empty())
    return "apply would not start until that is resolved; the notes say how\n";
  if (context.recorded() || !planned.plan.writes() || !is_saved(context, arguments.save_file))
    return {};
  return cat("Apply it with: ", command_for(arguments, context.is_root()), "\n");
}

}  // namespace

Result<node::Exit> cmd_plan(Invocation& context, Output& output) {
  const Arguments& arguments = context.arguments();
  TRY_ASSIGN(PlannedNow now,
             node::check::read_steadily(context, [&] { return plan_now(context); }));
  auto& [state, planned] = now;
  if (!context.recorded())
    state.volatile_reason = node::volatile_file_system(context.state().directory());
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  if (!context.is_root() && !context.recorded())
    planned.plan.notes.emplace_back(
        "planned without root; only sudo shows what even root may not write");
  const node::Objection objection = objection_to(context, planned, state, *facts);
  const std::string document = json::plan(planned, arguments.set, state, objection.why);
  if (!arguments.save_file.empty()) TRY(node::save_plan(arguments.save_file, document));
  const node::Exit of_plan = exit_of_plan(planned, objection);
  const node::Exit exit = node::worse(of_plan, state.exit());
  text::PlanView view{facts->node.hostname, arguments.verbose > 0};
  view.closing = closing_line(context, planned, objection, state);
  output.print(arguments.json ? document : text::plan(planned, state, view, output.style()));
  return exit;
}

}  // namespace nettune::cli::commands
