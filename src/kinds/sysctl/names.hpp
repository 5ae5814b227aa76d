// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nettune::kinds::sysctl {

/// Names of sysctls in all kernels: they tell a key that this kernel or network namespace lacks
/// from a misspelled one. Keys are canonical.

/// Whether some kernel has the key. An unknown key may still exist: in a module, or in a newer
/// kernel.
bool is_known_sysctl(std::string_view key);

/// The known key that is one typo away from an unknown one.
std::optional<std::string> known_sysctl_near(std::string_view key);

/// The key that is meant if the dots in the name of an interface were written as dots:
/// net.ipv4.conf.eth0/100.rp_filter for net.ipv4.conf.eth0.100.rp_filter.
std::optional<std::string> known_sysctl_with_dots(std::string_view key);

/// Whether the names differ by one typo: a missing, extra or different character, or two swapped
/// ones. The two directions of one thing ("rmem" and "wmem", "rx" and "tx") are not a typo.
bool is_one_slip(std::string_view left, std::string_view right);

}  // namespace nettune::kinds::sysctl
