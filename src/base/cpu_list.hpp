// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nettune::inline base {

/// CONFIG_NR_CPUS of Debian's amd64 kernels.
inline constexpr std::size_t kMostCpus = 8192;

/// A set of CPUs: true at the index of each; none above the last one that is true.
using Cpus = std::vector<bool>;

/// The CPUs of a list in the kernel's form, such as "0-3,8"; none for an empty text. Nothing for
/// any other text (bitmap_parselist(), lib/bitmap-str.c, also takes strides and "all").
std::optional<Cpus> parse_cpu_list(std::string_view text);
/// "0-3,8", as the kernel prints it; "none" for none.
std::string cpu_list(const Cpus& cpus);

/// How many CPUs are in it.
std::size_t cpu_count(const Cpus& cpus);
/// Whether all of `some` are in `all`.
bool is_within(const Cpus& some, const Cpus& all);
/// Those that are in both.
Cpus in_both(const Cpus& one, const Cpus& other);

}  // namespace nettune::inline base
