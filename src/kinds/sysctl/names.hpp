// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nettune::providers {

/// Names of sysctls as kernels have them, so that a key which this kernel or this network namespace
/// lacks is told from one that is misspelled. Keys are canonical.

/// Whether some kernel has it. A key that is not known may still be one: of a module, or of a
/// kernel to come.
bool is_known_sysctl(std::string_view key);

/// The known key that is one slip away from a key that is not known itself.
std::optional<std::string> known_sysctl_near(std::string_view key);

/// Whether one slip of the keyboard makes one of the names of the other: a character too much, too
/// few or another, or two that changed places. The two directions of one thing ("rmem" and "wmem",
/// "rx" and "tx") are no slip.
bool is_one_slip(std::string_view left, std::string_view right);

}  // namespace nettune::providers
