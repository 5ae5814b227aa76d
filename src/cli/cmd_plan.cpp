// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "cli/variable_warnings.hpp"
#include "node/check/steady.hpp"
#include "node/objections.hpp"
#include "node/plan_file.hpp"
#include "node/planning.hpp"
#include "node/words.hpp"

namespace nettune::cli {

namespace {

/// A recorded node that says nothing of any setting: no plan can be made for it.
bool nothing_is_known(const Plan& plan) {
  return !plan.items.empty() && plan.count(Verdict::unknown) == plan.items.size();
}

/// The line that carries the plan out. A saved plan is known by its name: one without a slash and
/// without an ending of its own is taken for a profile.
std::string command_for(const Arguments& arguments, bool is_root) {
  const std::string& file = arguments.save_file;
  if (!file.empty()) {
    const bool plain = is_plan_file(file) && !file.starts_with('-');
    const std::string word = shell_word(plain ? file : cat("./", file));
    // apply takes none that somebody else could write.
    return cat(is_root ? "" : cat("sudo chown root: ", word, " && "), "sudo nettune apply ", word);
  }
  return text::sudo_line("apply", arguments.typed);
}

/// What apply would come to: nothing, changes, or a refusal.
Exit exit_of_plan(const Planned& planned, const Objection& objection) {
  Exit exit = planned.plan.writes() ? Exit::drift : Exit::done;
  if (planned.plan.has_not_permitted()) exit = worse(exit, Exit::not_permitted);
  if (nothing_is_known(planned.plan)) exit = worse(exit, Exit::unknown);
  return worse(exit, objection.exit);
}

Objection objection_to(const Planned& planned, const StateView& state, const facts::Facts& facts,
                       const Arguments& arguments) {
  Objection objection = objection_to_plan("apply", planned, arguments);
  if (objection.exit != Exit::done || !planned.plan.writes()) return objection;
  return objection_of_node("apply", planned, state, facts, arguments);
}

/// A plan, and the state that it was made for.
struct PlannedNow {
  StateView state;
  Planned planned;
};

Result<PlannedNow> plan_now(Invocation& context) {
  const Arguments& arguments = context.arguments();
  PlannedNow now;
  TRY_ASSIGN(now.state, context.look_at_state());
  TRY(refuse_half_changed(now.state));
  TRY_ASSIGN(now.planned, plan_profile(context, arguments.subject, now.state.active,
                                       request_of(arguments, now.state)));
  add_variable_warnings(context, now.planned);
  return now;
}

}  // namespace

Result<Exit> cmd_plan(Invocation& context, Output& output) {
  const Arguments& arguments = context.arguments();
  TRY_ASSIGN(PlannedNow now, read_steadily(context, [&] { return plan_now(context); }));
  auto& [state, planned] = now;
  if (!context.recorded())
    state.volatile_reason = volatile_file_system(context.state().directory());
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  if (!context.is_root() && !context.recorded())
    planned.plan.notes.emplace_back(
        "planned without root: what root may not write either shows only with sudo");
  const Objection objection = objection_to(planned, state, *facts, arguments);
  const std::string document = json::plan(planned, arguments.set, state, objection.why);
  if (!arguments.save_file.empty()) TRY(save_plan(arguments.save_file, document));
  output.print(arguments.json ? document
                              : text::plan(planned, facts->node.hostname, state, output.style()));
  const Exit of_plan = exit_of_plan(planned, objection);
  const Exit exit = worse(of_plan, state.exit());
  // The text has told of devices, cautions, guards and owners already.
  const bool told = !planned.resolved.misfits.empty() || !planned.resolved.cautions.empty() ||
                    planned.plan.has_refusals();
  if (!arguments.json && !objection.why.empty() && !told)
    output.print(cat("apply would not begin: ", objection.why, "\n"));
  if (!arguments.json && of_plan == Exit::drift && exit == of_plan && objection.why.empty() &&
      !context.recorded()) {
    output.print(cat("Do it with: ", command_for(arguments, context.is_root()), "\n"));
  }
  return exit;
}

}  // namespace nettune::cli
