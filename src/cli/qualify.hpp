// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/context.hpp"
#include "cli/evidence.hpp"
#include "cli/objections.hpp"

namespace nettune::cli {

/// Why a device is not tried on: it carries what this node is reached by, or something uses it or
/// may begin to at any moment. There is no flag against it: a drained node has neither.
Objection objection_to_trials(const facts::Facts& facts, const std::string& device);

/// What one profile wants of one device: settings of the interface and of its RDMA devices.
/// Errc::not_found when it wants nothing of it, or does not fit this node (with the reason).
Result<Desired> desired_of_device(Context& context, const std::string& profile,
                                  const std::string& device);

/// The one profile that wants something of the device; Errc::not_found, naming them, where it is
/// not one.
Result<std::string> only_profile_for(Context& context, const std::string& device);

/// How it went.
struct Qualified {
  Evidence evidence;
  std::optional<Error> error;  ///< why it ended before its end
  bool unfinished = false;     ///< nettune recover is needed
  std::vector<std::string> notes;
};

/// Tries every setting of `desired` on its own, each as a transaction that is taken back at once.
/// The caller holds the lock and has looked that no journal is open. `begins` is called before each
/// trial with its settings.
Result<Qualified> qualify(Context& context, const std::string& device, const Desired& desired,
                          const std::function<void(const std::string& settings)>& begins);

}  // namespace nettune::cli
