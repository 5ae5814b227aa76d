// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace nettune::tools::slurm {

/// What every text that nettune puts into Slurm begins with.
inline constexpr std::string_view kMark = "nettune: ";

/// A node as `scontrol show node` prints it.
struct Node {
  std::string name;
  std::string base;             ///< "IDLE"
  std::set<std::string> flags;  ///< "DRAIN", "REBOOT_REQUESTED"
  std::string reason;           ///< without who set it; "" for none
  std::string reason_by;        ///< "root@2026-12-01T06:39:09"
  std::string comment;
  std::string extra;

  bool has(std::string_view flag) const { return flags.contains(std::string(flag)); }
};

/// All nodes of the text. Not the form of `--oneliner`: there a comment can look like a field.
/// Errc::corrupt if a node has a field of Node twice, or no state: then anything may be wrong.
Result<std::vector<Node>> parse_nodes(std::string_view text);

/// True for a name that is one node, and no list of them.
bool is_node_name(std::string_view name);

/// One line of plain characters for a field of Slurm, cut after `most` bytes. What scontrol, a
/// shell or a script that reads `sinfo` could take for more than text is a '_'.
std::string plain(std::string_view text, std::size_t most);

}  // namespace nettune::tools::slurm
