// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "checks/advice.hpp"
#include "core/setting.hpp"
#include "facts/facts.hpp"
#include "node/check/checking.hpp"
#include "node/context.hpp"

namespace nettune::node::check {

/// The results of the rules for the fabric devices of the active generation.
struct Advised {
  std::vector<checks::Advice> advice;
  std::vector<std::string> notes;  ///< why there is no advice where some is expected
};

/// The devices concerned, by their present names: those that settings name, and those that the
/// profile chose, even if no setting names them (nccl.conf names none).
std::set<std::string> devices_of(const std::vector<Setting>& settings,
                                 const std::vector<Member>& members, const facts::Facts& facts);

/// Applies the rules of /etc/nettune/checks, and those of the package that they do not hide, to the
/// RDMA devices of the active generation. Without RDMA devices this reads one directory. Drivers
/// may query their firmware, so timers do not call it. Every problem is a note: advice never hides
/// drift.
Advised advise(Context& context, const Checked& checked);

}  // namespace nettune::node::check
