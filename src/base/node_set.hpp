// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::inline base {

/// Names of nodes in the short form that Slurm, ClusterShell and pdsh use:
/// "gpu[003,117-127],login1". One number of a name is folded: that by which the fewest groups
/// remain. Sorted, each name once.
std::string fold_names(std::span<const std::string> names);

/// What fold_names() or Slurm made, or a person wrote, in that order: names with brackets,
/// separated by commas or blanks. Errors: invalid, for brackets that do not close, a range that
/// runs backwards, a number that is longer than a host name, and more than `most` names.
Result<std::vector<std::string>> expand_names(std::string_view text, std::size_t most = 100'000);

/// Numbers in names sort as numbers: "gpu9" before "gpu10".
bool name_less(std::string_view left, std::string_view right);

}  // namespace nettune::inline base
