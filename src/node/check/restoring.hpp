// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "node/check/checking.hpp"
#include "node/context.hpp"

namespace nettune::node::check {

/// How a person restores what drifted, and what is known of how it came about.
struct Restoring {
  std::vector<std::string> options;         ///< that nettune reapply needs now: "--allow-busy"
  std::string refused;                      ///< why it would be refused even then; "" if not
  std::map<Address, std::string> set_by;    ///< who sets the value that is there: "/etc/x.conf:3"
  std::map<Address, std::int64_t> since_s;  ///< CLOCK_REALTIME at which a file was changed
};

/// Plans a reapply, for a person: reads facts and the files of other managers. Where nothing
/// drifted, empty.
Result<Restoring> how_to_restore(Context& context, const Checked& checked);

}  // namespace nettune::node::check
