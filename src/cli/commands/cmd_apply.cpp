// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/commands/transact_and_print.hpp"
#include "node/plan_file.hpp"
#include "node/unrecorded.hpp"

namespace nettune::cli::commands {

namespace {

constexpr std::uint64_t kPlanLimit = 64U << 20;

Result<std::optional<node::SavedPlan>> read_saved(node::Context& context,
                                                  const std::string& subject) {
  std::optional<node::SavedPlan> saved;
  if (!node::is_plan_file(subject)) return saved;
  TRY_ASSIGN(const auto info, context.disk().info(node::absolute_path(subject)));
  if (info && context.is_root() && (info->uid != 0 || (info->mode & 022U) != 0))
    return fail(Errc::denied,
                cat(printable(subject),
                    " can be written by users other than root, so it is not applied; save it with "
                    "sudo nettune plan --save, or inspect it, then: chown root ",
                    shell_word(subject), " && chmod go-w ", shell_word(subject)));
  TRY_ASSIGN(const std::string text, node::read_named_file(context.disk(), subject, kPlanLimit));
  auto parsed = node::parse_plan_file(text);
  if (!parsed) return fail_in(printable(subject), std::move(parsed).error());
  saved = std::move(*parsed);
  return saved;
}

std::string moved_text(const std::optional<node::SavedPlan>& saved, const Plan& plan) {
  if (!saved) return {};
  const auto moved = node::moved_since(*saved, plan);
  if (moved.empty()) return {};
  return cat("the node has changed since the plan was saved, so nothing was written:\n  ",
             join(moved, "\n  "), "\nsave a new plan and review it");
}

/// What this apply does not take over counts as somebody else's from now on.
void add_unrecorded_notes(node::Context& context, node::StateView state, node::Planned& planned) {
  node::find_unrecorded(context, state);
  std::erase_if(state.unrecorded, [&](const node::Marked& marked) {
    return std::ranges::find(planned.taken_over, marked.address) != planned.taken_over.end();
  });
  std::ranges::move(node::unrecorded_notes(state), std::back_inserter(planned.plan.notes));
}

struct ApplyCommand : ChangeOptions {
  std::string subject;  ///< a profile, or the path of a saved plan
  bool yes = false;     ///< do not ask

  Options options() {
    return joined(
        {{{"profile", "", "Profile name, or a plan saved with plan --save", &subject, true}},
         window_options(*this),
         {{"--for", "TIME", "Apply for a limited time (10m), then revert automatically",
           &for_text}},
         permission_options(*this),
         {root_option(*this),
          {"--dry-run", "", "Only show it, as plan does; write nothing", &dry_run},
          {"-y,--yes", "", "Do not ask before writing (asked only on a terminal)", &yes}}});
  }

  Result<> take() { return take_change(*this); }
  static constexpr auto candidates = profile_first;
  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(const auto saved, read_saved(context, subject));
    if (saved) {
      if (!set.empty())
        return fail(Errc::invalid, "a saved plan has its own --set values; leave out --set");
      context.use_set(saved->set);
    }
    const std::string profile = saved ? saved->profile : subject;

    node::ChangeSpec apply;
    apply.command = "apply";
    apply.action = "apply";
    apply.done = cat(dry_run ? "would apply " : "applied ", profile);
    apply.make = [&](const node::StateView& state,
                     node::ChangeSpec&) -> Result<std::optional<node::Planned>> {
      TRY_ASSIGN(node::Planned planned, node::plan_profile(context, profile, state.active,
                                                           node::request_of(*this, state)));
      if (planned.plan.writes() || planned.record_only)
        add_unrecorded_notes(context, state, planned);
      return std::optional<node::Planned>(std::move(planned));
    };
    apply.objection = [&](const node::Planned& planned) { return moved_text(saved, planned.plan); };
    return transact_and_print(context, *this, output, std::move(apply),
                              {.asks = !yes, .names_undo = true});
  }
};

}  // namespace

Command apply_command() { return make_command<ApplyCommand>(Work::changes); }

}  // namespace nettune::cli::commands
