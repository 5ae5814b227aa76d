// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/doctor/findings.hpp"

namespace nettune::tools::doctor {

enum class Verdict {
  ready,      ///< no fault, and every rule that decides was decided
  not_ready,  ///< a fault
  undecided,  ///< no fault was found, but something that decides is not known
};
std::string_view verdict_text(Verdict verdict);  ///< "ready", "not ready", "undecided"

/// What the rules of a node decide: those that --for names, else those that its hardware needs.
struct Decision {
  Verdict verdict = Verdict::ready;
  std::vector<std::size_t> open;      ///< findings that decide and were not decided, in Judged
  bool lacks_only_permission = true;  ///< of all of them
};

/// What the node is for: `asked`, or "nccl" with a GPU, "ib" and "roce" with such ports, else
/// "tcp".
std::vector<std::string> demands_of(const Machine& machine, const std::string& asked);

/// Whether the node has what it is for: an active port, a GPU. For "" whether its hardware is known
/// at all; nothing if it is.
std::optional<facts::Observation> demanded(const Machine& machine, const std::string& asked);

/// A rule decides if it is a fault, and one of `demands` demands it. With `quick` rules that ask a
/// device do not decide.
Decision decide(const Judged& judged, const std::vector<std::string>& demands, bool quick);

}  // namespace nettune::tools::doctor
