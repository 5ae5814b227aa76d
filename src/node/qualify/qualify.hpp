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

namespace nettune::cli {

/// Why a device is not tried on: it carries what this node is reached by, or something uses it or
/// may begin to at any moment. There is no flag against it: a drained node has neither.
Objection objection_to_trials(const facts::Facts& facts, const std::string& device);

/// Why a profile is not tried on this node: it does not fit, or advises against itself here.
Objection objection_to_profile(const profile::Resolved& resolved);

/// What a profile wants of one device: settings of the interface and of its RDMA devices. None when
/// it wants nothing of it.
Desired desired_of_device(const profile::Resolved& resolved, const facts::Facts& facts,
                          const std::string& device);

/// The one profile that is not objected to and wants something of the device; Errc::not_found where
/// it is not one, naming them, or those that cannot be used and why.
Result<std::string> only_profile_for(Disk& disk, const profile::Sources& sources,
                                     const facts::Facts& facts, const std::string& device);

/// How it went.
struct Qualified {
  Evidence evidence;
  std::optional<Error> error;  ///< by what it was interrupted
  bool unfinished = false;     ///< nettune recover is needed
  std::vector<std::string> notes;
};

/// Tries every setting of `desired` on its own, each as a transaction that is taken back at once.
/// The caller holds the lock and has looked that no journal is open. `begins` is called before each
/// trial with its settings.
Result<Qualified> qualify(Context& context, const std::string& device, const Desired& desired,
                          const std::function<void(const std::string& settings)>& begins);

}  // namespace nettune::cli
