// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/objections.hpp"
#include "cli/plan_file.hpp"
#include "cli/planning.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"

namespace nettune::cli {

namespace {

/// What apply would come to: nothing, changes, or a refusal.
Exit exit_of_plan(const Planned& planned, const Objection& objection) {
  Exit exit = planned.plan.writes() ? Exit::drift : Exit::done;
  if (planned.plan.has_not_permitted()) exit = worse(exit, Exit::not_permitted);
  return worse(exit, objection.exit);
}

Objection objection_to(const Planned& planned, const StateView& state, const facts::Facts& facts,
                       const Arguments& arguments) {
  Objection objection = objection_to_plan("apply", planned, arguments);
  if (objection.exit != Exit::done || !planned.plan.writes()) return objection;
  return objection_of_node("apply", planned, state, facts, arguments);
}

}  // namespace

Result<Exit> cmd_plan(Context& context, Output& output) {
  const Arguments& arguments = context.arguments();
  TRY_ASSIGN(StateView state, context.look_at_state());
  if (!context.recorded())
    state.volatile_reason = volatile_file_system(context.state().directory());
  TRY_ASSIGN(Planned planned,
             plan_profile(context, arguments.subject, state.active, request_of(arguments)));
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  if (!context.is_root() && !context.recorded())
    planned.plan.notes.emplace_back(
        "planned without root: what root may not write either shows only with sudo");
  const Objection objection = objection_to(planned, state, *facts, arguments);
  const std::string document = json::plan(planned, arguments.set, state, objection.why);
  if (!arguments.save_file.empty())
    TRY(save_plan(context.disk(), absolute_path(arguments.save_file), document));
  output.print(arguments.json ? document
                              : text::plan(planned, facts->node.hostname, state, output.style()));
  const Exit exit = worse(exit_of_plan(planned, objection), state.exit());
  // The text has told of devices, cautions, guards and owners already.
  const bool told = !planned.resolved.misfits.empty() || !planned.resolved.cautions.empty() ||
                    planned.plan.has_refusals();
  if (!arguments.json && !objection.why.empty() && !told)
    output.print(cat("apply would not begin: ", objection.why, "\n"));
  if (!arguments.json && exit == Exit::drift && objection.why.empty() && !context.recorded()) {
    std::string command =
        cat("Do it with: sudo nettune apply ",
            arguments.save_file.empty() ? arguments.subject : arguments.save_file);
    if (arguments.save_file.empty())
      for (const auto& [name, value] : arguments.set)
        command += cat(" --set ", printable(name), "=", printable(value));
    output.print(command + "\n");
  }
  return exit;
}

}  // namespace nettune::cli
