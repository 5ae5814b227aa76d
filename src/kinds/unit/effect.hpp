// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/disk.hpp"
#include "core/provider.hpp"
#include "kernel/systemd_units.hpp"
#include "kinds/unit/table.hpp"

namespace nettune::kinds::unit {

/// Where the effect of a directive shows.
struct ShownIn {
  Disk& disk;
  std::string proc;    ///< "/proc"
  std::string cgroup;  ///< "/sys/fs/cgroup"
};

/// Whether the unit, which is in this state, has the value that is written in its drop-in.
InEffect value_in_effect(const ShownIn& in, const std::string& unit, const kernel::UnitState& state,
                         const Directive& directive, std::string_view written);

}  // namespace nettune::kinds::unit
