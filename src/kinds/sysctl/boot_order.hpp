// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kinds/sysctl/sysctl_d.hpp"

namespace nettune::kinds::sysctl {

/// Sorts lines for readers that write them one after another: a key comes after those that change
/// it along, what protects comes before what it protects against, a one-way switch comes last; all
/// else is in the order of names. A 0 beside its alternative is left out: the kernel refuses it, or
/// zeroes the other.
void order_for_boot(std::vector<SysctlLine>& lines);

}  // namespace nettune::kinds::sysctl
