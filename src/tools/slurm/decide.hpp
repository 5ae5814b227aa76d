// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/slurm/memory.hpp"
#include "tools/slurm/node.hpp"

/// What to do about a node of Slurm. Nothing here reads a file, a clock or a process.
namespace nettune::tools::slurm {

/// [slurm] of the site file.
struct SlurmSite {
  bool drain = false;
  int seen = 3;
  int most_nodes = 2;
  std::optional<int> most_percent;
  bool comment = true;
};

/// The nodes of the cluster but this one.
struct Others {
  int drained = 0;  ///< by nettune
  int claims = 0;   ///< that nettune is about to drain
  int nodes = 0;
};

/// `nodes`, without the one of this name.
Others count_others(const std::vector<Node>& nodes, const std::string& name);

enum class Step {
  none,
  count,  ///< decide again with Others: this may become a drain
  drain,  ///< with Decision::reason
  undrain,
};

struct Decision {
  Step step = Step::none;
  std::string why;                          ///< one line for people
  std::string reason = {};                  ///< of a drain, for Slurm
  std::optional<std::string> comment = {};  ///< to set; nothing: it stays as it is
  Memory memory = {};                       ///< to be remembered before the step is done
};

/// `answer` is an error if doctor said nothing of the node. `others` is nothing until a decision
/// asked for it.
Decision decide(const Result<Answer>& answer, const Memory& memory, const Node& node,
                const std::optional<Others>& others, const SlurmSite& site);

/// The drain of `memory` is what the node shows.
bool is_own_drain(const Memory& memory, const Node& node);

/// The flags of a node that do not come and go with jobs and answers.
std::set<std::string> lasting_flags(const Node& node);

}  // namespace nettune::tools::slurm
