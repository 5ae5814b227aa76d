// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/fix_plan.hpp"

#include "base/text.hpp"
#include "cli/options.hpp"
#include "cli/plan_view.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "node/output_file.hpp"
#include "node/planning.hpp"
#include "profile/profile.hpp"
#include "tools/doctor/fix.hpp"

namespace nettune::tools::doctor::program {

namespace {

/// A profile has the name of its file.
Result<std::string> name_of(const DoctorOptions& options, const std::string& parent) {
  if (options.save_fix.empty())
    return std::string(parent == "doctor-fix" ? "doctor-fix-2" : "doctor-fix");
  auto name = profile::name_of_file(options.save_fix);
  if (!name) return cli::usage(cat("--save-fix: ", name.error().text), "doctor");
  if (*name == parent)
    return cli::usage(
        cat("--save-fix: the profile ", *name, " is applied on this node, and the new ",
            "one extends it; choose another name"),
        "doctor");
  return name;
}

std::string person_text(const Fix& fix) {
  if (fix.leaves.empty()) return {};
  return cat("Not a nettune setting: ", join(fix.leaves, ", "),
             "; nettune doctor says how to fix them\n");
}

}  // namespace

Result<node::Exit> plan_fix(node::Context& context, const DoctorOptions& options,
                            const Diagnosis& diagnosis, cli::Output& output) {
  TRY_ASSIGN(const node::StateView state, context.look_at_state());
  TRY(node::refuse_half_changed(state));
  if (state.active && context.locations().set.empty()) context.use_set(state.active->vars);
  const std::string parent = !options.profile.empty() ? options.profile
                             : state.active           ? state.active->profile
                                                      : "";
  TRY_ASSIGN(const std::string name, name_of(options, parent));
  const Fix fix = doctor::fix_of(diagnosis.judged, diagnosis.machine, name, parent);
  if (fix.profile.empty()) {
    output.print(cat("There is nothing here that a nettune setting can fix\n", person_text(fix)));
    return node::Exit::done;
  }
  TRY_ASSIGN(const node::Planned planned,
             node::plan_text(context, {"/doctor", name, fix.profile}, state));
  if (!options.save_fix.empty()) TRY(node::write_output_file(options.save_fix, fix.profile, 0644));
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  cli::text::PlanView view = cli::text::plan_view(context, *facts, options.verbose > 0);
  view.closing = cat("Fixes: ", join(fix.mends, ", "), "\n", person_text(fix),
                     options.save_fix.empty()
                         ? cat("Apply it with: sudo nettune doctor --fix",
                               options.profile.empty() ? "" : cat(" --profile ", options.profile),
                               " --save-fix /etc/nettune/profiles/", name,
                               ".toml; sudo nettune apply ", name, "\n")
                         : cat("Apply it with: sudo nettune apply ", name, "\n"));
  output.print(options.json ? cli::json::plan(planned, context.locations().set, state, "")
                            : cli::text::plan(planned, state, view, output.style()));
  return planned.plan.writes() ? node::Exit::drift : node::Exit::done;
}

}  // namespace nettune::tools::doctor::program
