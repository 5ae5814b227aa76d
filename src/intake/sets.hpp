// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "facts/facts.hpp"
#include "intake/profile_text.hpp"

namespace nettune::intake {

/// A device set that has exactly these interfaces of the node, or these RDMA ports ("mlx5_0/1"), by
/// what they are: driver, link layer, PCI id, speed. Only if that is not enough it has their PCI
/// addresses or names, and a comment says so. `taken` has the names of sets so far, and gets this
/// one's. Errc::invalid if no definition selects just these.
Result<SetText> set_of(const std::vector<std::string>& names, bool of_rdma,
                       const facts::Facts& facts, std::set<std::string>& taken);

}  // namespace nettune::intake
