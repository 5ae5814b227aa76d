// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/setting.hpp"
#include "node/context.hpp"

namespace nettune::node {

/// The variables for the jobs of a node.
struct JobEnvironment {
  std::string profile;
  std::vector<JobVariable> variables;  ///< sorted by name
  std::vector<std::string> notes;      ///< left-out variables, and why
};

/// The variables of `profile`, resolved for this node or a recorded one (--facts); this applies
/// nothing and needs no root. Without a name (""): those of the active generation, even if the
/// profile has changed since; an unconfirmed change is not included. Only root can read the state.
/// Errors: Errc::denied without root, Errc::conflict for a profile that does not match (the exit
/// code is Exit::refused), Errc::not_found if nothing is applied.
Result<JobEnvironment> job_environment(Context& context, const std::string& profile);

}  // namespace nettune::node
