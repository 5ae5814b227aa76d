// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/setting.hpp"
#include "node/context.hpp"

namespace nettune::cli {

/// The variables that jobs on a node are to have.
struct JobEnvironment {
  std::string profile;
  std::vector<JobVariable> variables;  ///< by name
  std::vector<std::string> notes;      ///< what was left out, and why
};

/// Of `profile`, resolved now for this node or for the recorded one (--facts): nothing of this is
/// applied by it, and no root is needed. Without a name ("") what is applied on this node, as the
/// active generation has it, whatever the profile says by now: a change that waits to be confirmed
/// is not in it. The state can only be read by root; errors are Errc::denied for everybody else,
/// Errc::conflict for a profile that does not fit, Errc::not_found where nothing is applied.
/// A command exits with Exit::refused for Errc::conflict.
Result<JobEnvironment> job_environment(Context& context, const std::string& profile);

}  // namespace nettune::cli
