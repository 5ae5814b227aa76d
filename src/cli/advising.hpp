// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "checks/advice.hpp"
#include "cli/context.hpp"
#include "core/setting.hpp"

namespace nettune::cli {

/// What rules say of the fabric devices of what is applied.
struct Advised {
  std::vector<checks::Advice> advice;
  std::vector<std::string> notes;  ///< why there is none, where there should be some
};

/// Looks at the devices with RDMA that `look` names, and applies the rules of /etc/nettune/checks
/// and, where these do not hide them, of the package. On a node without RDMA devices it costs one
/// look at a directory. Drivers may ask their firmware: not for timers.
Result<Advised> advise(Context& context, const Look& look);

}  // namespace nettune::cli
