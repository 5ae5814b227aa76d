// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "checks/passage.hpp"
#include "core/plan.hpp"
#include "core/state.hpp"
#include "node/context.hpp"
#include "node/recorded.hpp"
#include "node/request.hpp"
#include "node/state_view.hpp"
#include "profile/profile.hpp"

namespace nettune::cli {

/// What a person should know of something that the profile says, and that is carried out all the
/// same.
struct Warning {
  Address address;
  std::string why;
  Origin origin;
};

/// A plan with what it was made from.
struct Planned {
  profile::Resolved resolved;
  Plan plan;
  /// Nothing to write, but the active generation says something else than this would record.
  bool record_only = false;
  /// Of an image: what its first boot would write without a way back, and why there is none.
  std::string lasting = {};
  /// What becomes of the traffic that has to get in, once the plan is carried out.
  std::vector<checks::Passage> passages = {};
  /// Of the variables that the profile gives jobs.
  std::vector<Warning> of_variables = {};
};

struct PlanRequest {
  bool allow_management = false;
  bool force = false;
  bool accept_owners = false;
  std::string only_device = {};           ///< as PlanInput::only_device
  bool leave_refused = false;             ///< as PlanInput::leave_refused
  std::string only_kind = {};             ///< as PlanInput::only_kind
  Debts debts = {};                       ///< under the names that they were made with
  bool only_debts = false;                ///< as PlanInput::only_debts
  bool per_device = false;                ///< as PlanInput::per_device
  std::vector<std::string> without = {};  ///< names of devices to leave out
  std::vector<std::string> only_settings =
      {};  ///< addresses that a profile is applied for; none: all
};
/// As the caller and the state directory have it.
PlanRequest request_of(const ChangeRequest& change, const StateView& state);

/// What a later check compares with the devices that are there then. "" where nothing hangs on a
/// device. While one is missing, no set of devices is the right one.
Result<std::string> token_of(const Desired& desired);

/// The profile, resolved for the node. Every mistake in it is Errc::invalid.
Result<profile::Resolved> resolve_profile(Context& context, const std::string& profile);

/// What a profile is on a node.
struct Match {
  profile::Listed listed;
  bool matches = false;
  std::vector<std::string> misfits;   ///< why it does not match; also what is wrong with it
  std::vector<std::string> cautions;  ///< it matches, and advises against itself here
  std::map<std::string, std::vector<std::string>> sets;  ///< the devices that it is for
  std::size_t settings = 0;
  profile::Demand demand;
  bool sets_environment = false;
};
/// Every profile here: first those that match, the one that makes most of the node first; then
/// those that match and advise against themselves; then the others. Variables have the values of
/// the site file: --set is for one profile.
std::vector<Match> match_profiles(Context& context, const facts::Facts& facts);

/// The present values that plans for this node are made from, of all profiles here that match it:
/// another machine can plan with them. What only root could read is left out.
Result<RecordedValues> record_values(Context& context, const facts::Facts& facts);

/// Facts, resolve, guards, claims, plan: what apply of that profile would do to the node. `active`
/// is what is applied now, if anything. A profile that does not fit gives a plan without items, and
/// the misfits.
Result<Planned> plan_profile(Context& context, const std::string& profile,
                             const std::optional<Transaction>& active, const PlanRequest& request);

/// The same for a desired state that comes from a generation, not from a profile.
Result<Planned> plan_desired(Context& context, Desired desired,
                             const std::optional<Transaction>& active, const PlanRequest& request);

/// True when what is recorded of this plan is only the image's part of it. An image that was rolled
/// back waits for nothing.
bool awaits_first_boot(const Context& context, const Plan& plan);

/// The active generation against the node: what check and diff tell.
struct Held {
  Plan plan;                  ///< only of what does not plainly hold
  std::vector<Setting> gone;  ///< their device is not here any more
};
/// A setting of the profile that apply would have to write, or whose device is gone.
bool is_drift(const PlanItem& item);
/// What a check tells: the settings that are not as applied, those that cannot be read, and those
/// whose device is gone, as missing.
std::vector<PlanItem> not_in_sync(const Held& held);
/// Gathers facts only when devices came, went or were renamed since.
Result<Held> plan_active(Context& context, const Transaction& active);

/// Sentences about profile sources that changed since the generation was made.
std::vector<std::string> moved_sources(Disk& disk, const Transaction& active);

}  // namespace nettune::cli
