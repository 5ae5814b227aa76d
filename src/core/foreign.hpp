// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/setting.hpp"

namespace nettune::inline core {

/// The kind of what belongs to somebody else: a link in another network namespace. No profile sets
/// it. The kernel changes it along with a setting of this namespace; an undo restores it only while
/// it has the value that the kernel gave it, and it never holds up anything else.
inline constexpr std::string_view kForeignKind = "netns";

inline bool is_foreign(const Address& address) { return address.kind() == kForeignKind; }

}  // namespace nettune::inline core
