// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/plan.hpp"
#include "core/state.hpp"
#include "firewall/required_traffic.hpp"
#include "node/context.hpp"
#include "node/recorded.hpp"
#include "node/request.hpp"
#include "node/state_view.hpp"
#include "profile/profile.hpp"

namespace nettune::node {

/// What a person should know about a part of the profile that is carried out anyway.
struct Warning {
  Address address;
  std::string why;
  Origin origin;
};

/// A plan with what it was made from.
struct Planned {
  profile::Resolved resolved;
  Plan plan;
  /// Nothing to write, but this plan would record something other than the active generation.
  bool record_only = false;
  /// For an image: what its first boot would write without undo, and why there is none.
  std::string lasting = {};
  /// The fate of required traffic after this plan.
  std::vector<firewall::RequiredTraffic> passages = {};
  /// Warnings on the variables that the profile gives jobs.
  std::vector<Warning> of_variables = {};
  std::vector<Address> taken_over = {};  ///< managed from now on, as absent before nettune
  std::string part = {};                 ///< what --only leaves out of the profile; "" for nothing
};

struct PlanRequest {
  bool allow_management = false;
  bool force = false;
  bool accept_owners = false;
  std::set<std::string> only_devices = {};      ///< as PlanInput::only_devices
  bool leave_refused = false;                   ///< as PlanInput::leave_refused
  std::string only_kind = {};                   ///< as PlanInput::only_kind
  Debts debts = {};                             ///< under their original names
  bool only_debts = false;                      ///< as PlanInput::only_debts
  bool per_device = false;                      ///< as PlanInput::per_device
  std::vector<std::string> without = {};        ///< names of devices to leave out
  std::vector<std::string> only_settings = {};  ///< addresses to apply of a profile; none: all
  std::vector<std::string> unrecorded = {};     ///< as ChangeRequest::unrecorded
  std::vector<Owned> taken_over = {};           ///< managed settings that are in no generation
};
/// From the caller and the state directory.
PlanRequest request_of(const ChangeRequest& change, const StateView& state);

/// The token that a later check compares with the devices then present. "" if no setting names a
/// device, or if a device is missing: then no set of devices is complete.
Result<std::string> token_of(const Desired& desired);

/// The profile, resolved for the node. Every mistake in it is Errc::invalid.
Result<profile::Resolved> resolve_profile(Context& context, const std::string& profile);

/// A profile as seen from a node.
struct Match {
  profile::Listed listed;
  bool matches = false;
  std::vector<std::string> misfits;   ///< why it does not match, or what is wrong with it
  std::vector<std::string> cautions;  ///< it matches, but advises against itself here
  std::map<std::string, std::vector<std::string>> sets;  ///< its devices
  std::size_t settings = 0;
  profile::Demand demand;
  bool sets_environment = false;
  std::string in_short =
      {};  ///< as profile::Resolved::in_short; for a broken one its first mistake
};
/// All profiles: first those that match, the one that uses most of the node first; then those that
/// match but advise against themselves; then the others. Variables have the site file's values:
/// --set is for one profile.
std::vector<Match> match_profiles(Context& context, const facts::Facts& facts);

/// The present values for plans of all matching profiles, so that another machine can plan with
/// them. Values that only root could read are left out.
Result<RecordedValues> record_values(Context& context, const facts::Facts& facts);

/// Facts, resolve, guards, conflicts, plan: what apply of that profile would do to the node.
/// `active` is the active generation, if any. A profile that does not match gives a plan without
/// items, and the misfits.
Result<Planned> plan_profile(Context& context, const std::string& profile,
                             const std::optional<Transaction>& active, const PlanRequest& request);

/// The text of a profile that is in no file.
struct ProfileInMemory {
  std::string directory;  ///< that it seems to be in, which is nowhere else: "/doctor"
  std::string name;
  std::string text;
};
/// The same for such a text.
Result<Planned> plan_text(Context& context, const ProfileInMemory& profile, const StateView& state);

/// Other managers of these settings on this machine, `owned` are nettune's.
std::vector<Claim> claims_on(Context& context, const Desired& desired, const facts::Facts& facts,
                             const std::map<Address, Owned>& owned);

/// plan_profile() for a desired state from a generation instead of a profile.
Result<Planned> plan_desired(Context& context, Desired desired,
                             const std::optional<Transaction>& active, const PlanRequest& request);

/// True if this plan is recorded only as far as an image can have it. An image that was rolled back
/// waits for nothing.
bool awaits_first_boot(const Context& context, const Plan& plan);

}  // namespace nettune::node
