// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/result.hpp"
#include "core/plan.hpp"
#include "core/state.hpp"
#include "node/context.hpp"

namespace nettune::node {

/// The active generation compared with the node, for check and diff.
struct Held {
  /// Only of settings that do not plainly hold, and of variables that left_behind() names.
  Plan plan;
  std::vector<Setting> gone;  ///< their device is no longer present
  /// Required traffic, and contents of files that are not in the state directory: with the present
  /// names of devices.
  std::vector<Admission> admissions = {};
  std::map<std::string, std::string> contents = {};
  std::vector<std::string> notes = {};
  std::set<Address> overridden = {};  ///< items that are as applied, and void by others' lines
};
/// True for a setting that apply would have to write, or whose device is gone.
bool is_drift(const PlanItem& item);
/// What check lists: settings that differ, that cannot be read, or whose device is gone (as
/// missing).
std::vector<PlanItem> not_in_sync(const Held& held);
/// What the active generation wants, under the present names of its devices. Looks at the devices
/// only if some came, went or were renamed since; so does plan_active().
Result<Desired> desired_now(Context& context, const Transaction& active);
Result<Held> plan_active(Context& context, const Transaction& active);

/// Sentences on profile sources that changed since the generation was made.
std::vector<std::string> moved_sources(Disk& disk, const Transaction& active);

}  // namespace nettune::node
