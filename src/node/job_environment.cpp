// SPDX-License-Identifier: Apache-2.0
#include "node/job_environment.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "node/held.hpp"
#include "node/planning.hpp"

namespace nettune::node {

namespace {

Result<JobEnvironment> of_profile(Context& context, const std::string& profile) {
  TRY_ASSIGN(profile::Resolved resolved, resolve_profile(context, profile));
  if (!resolved.misfits.empty())
    return fail(Errc::conflict,
                cat(profile, " does not match this node: ", printable(join(resolved.misfits, "; ")),
                    "; nettune plan ", shell_word(profile), " names one that does"));
  Desired& desired = resolved.desired;
  // Notes of other sections begin with the section's name and do not concern variables.
  std::erase_if(desired.notes, [](const std::string& note) {
    return note.starts_with('[') && !note.starts_with("[env] ");
  });
  return JobEnvironment{profile, std::move(desired.variables), std::move(desired.notes)};
}

Result<JobEnvironment> of_what_is_applied(Context& context) {
  TRY_ASSIGN(StateView state, context.look_at_state());
  if (!state.unreadable.empty())
    return fail(Errc::denied, cat("only root can read the applied state (", state.unreadable,
                                  "); use sudo, or name a profile to resolve it for this node"));
  if (!state.active || state.active->profile.empty()) {
    std::vector<std::string> reasons = state.notes();
    reasons.emplace_back("nothing is applied here, so there are no variables");
    return fail(Errc::not_found, cat(join(reasons, "; "),
                                     "; name a profile, or apply one: sudo nettune apply PROFILE"));
  }
  std::vector<std::string> notes = state.notes();
  for (std::string& moved : moved_sources(context.disk(), *state.active))
    notes.push_back(std::move(moved));
  TRY_ASSIGN(Desired desired, desired_now(context, *state.active));
  std::ranges::move(desired.notes, std::back_inserter(notes));
  return JobEnvironment{desired.profile, std::move(desired.variables), std::move(notes)};
}

}  // namespace

Result<JobEnvironment> job_environment(Context& context, const std::string& profile) {
  return profile.empty() ? of_what_is_applied(context) : of_profile(context, profile);
}

}  // namespace nettune::node
