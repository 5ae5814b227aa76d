// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/nf_tables.hpp"

namespace nettune::firewall::walk {

/// The families whose connections the kernel tracks because of some rule.
struct TrackedFamilies {
  bool ipv4 = false;
  bool ipv6 = false;
};
TrackedFamilies tracked_families(const kernel::NfRuleset& ruleset);

}  // namespace nettune::firewall::walk
