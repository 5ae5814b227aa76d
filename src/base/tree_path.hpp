// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nettune::inline base {

/// The path of something in the directory `tree` without links on the way, relative to it: "." for
/// the directory itself. Links are followed as if the directory were the root, so an absolute one
/// and ".." never leave it. Without `follow_last` the last component may be a link. What does not
/// exist keeps its name. Nothing for a loop of links.
std::optional<std::string> path_in_tree(int tree, std::string_view path, bool follow_last = true);

}  // namespace nettune::inline base
