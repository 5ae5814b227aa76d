// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/disk.hpp"
#include "core/provider.hpp"
#include "kinds/boot/table.hpp"

namespace nettune::kinds::boot {

/// What the kernel made of an argument that is in /proc/cmdline.
InEffect shown(Disk& disk, const Argument& row, std::string_view name, const std::string& value);

/// Why this node cannot have the value: more huge pages than memory allows, no CPU left for
/// everything else; "" if it can.
std::string why_impossible(Disk& disk, const Argument& row, std::string_view name,
                           const std::string& value);

}  // namespace nettune::kinds::boot
