// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "node/context.hpp"
#include "node/objections.hpp"
#include "node/qualify/evidence.hpp"
#include "profile/profile.hpp"

namespace nettune::node::qualify {

/// Why a device is not tried: it carries the way to this node, or something uses it or may use it
/// at any moment. No flag overrides that: a drained node has neither.
Objection objection_to_trials(const facts::Facts& facts, const std::string& device);

/// Why a profile is not tried on this node: it does not match, or advises against itself here.
Objection objection_to_profile(const profile::Resolved& resolved);

/// The settings of a profile for one device: its interface and its RDMA devices. Empty if there are
/// none.
Desired desired_of_device(const profile::Resolved& resolved, const facts::Facts& facts,
                          const std::string& device);

/// The only profile without objections and with settings for the device. Errc::not_found if there
/// is not exactly one; the error names them, or the unusable ones and why.
Result<std::string> only_profile_for(Disk& disk, const profile::Sources& sources,
                                     const facts::Facts& facts, const std::string& device);

/// The result.
struct Qualified {
  Evidence evidence;
  std::optional<Error> error;  ///< the interruption
  bool unfinished = false;     ///< nettune recover is needed
  std::vector<std::string> notes;
};

/// Tries every setting of `desired` alone, each as a transaction that is reverted at once. The
/// caller holds the lock and has checked that no journal is open. `begins` is called before each
/// trial with its settings.
Result<Qualified> qualify(Context& context, const std::string& device, const Desired& desired,
                          const std::function<void(const std::string& settings)>& begins);

}  // namespace nettune::node::qualify
