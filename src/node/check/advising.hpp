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

namespace nettune::cli {

/// What rules say of the fabric devices of what is applied.
struct Advised {
  std::vector<checks::Advice> advice;
  std::vector<std::string> notes;  ///< why there is none, where there should be some
};

/// The devices that are concerned, as they are called now: those that settings name, and those that
/// the profile chose, whether a setting names them or not (nccl.conf names none).
std::set<std::string> devices_of(const std::vector<Setting>& settings,
                                 const std::vector<Member>& members, const facts::Facts& facts);

/// Looks at the devices with RDMA of what is applied, and applies the rules of /etc/nettune/checks
/// and, where these do not hide them, of the package. On a node without RDMA devices it costs one
/// look at a directory. Drivers may ask their firmware: not for timers. Whatever goes wrong is a
/// note: advice hides no drift.
Advised advise(Context& context, const Checked& checked);

}  // namespace nettune::cli
