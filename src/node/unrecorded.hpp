// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "core/debt.hpp"
#include "node/context.hpp"
#include "node/planning.hpp"
#include "node/state_view.hpp"

namespace nettune::node {

/// Fills StateView::unrecorded: the files and firewall rules of this node that bear nettune's mark
/// and are in no record, and the lines of nccl.conf that such a file has too. Only where the record
/// is known: not without permission, not while it is damaged or a transaction is open. Only reads.
void find_unrecorded(Context& context, StateView& state);

/// What the caller of --unrecorded names, as managed settings: absent before nettune. With the
/// parts that go with them: a drop-in directory, and an nccl.conf, that have nothing else.
struct TakenOver {
  std::vector<Owned> owned;
  std::vector<std::string> left;  ///< sentences: what is not taken over, and why
};

/// For a removal: each thing that is byte for byte what the profile in its mark would write now (a
/// rule's mark names none: any profile). Errc::invalid for what bears no mark, or is in the record.
Result<TakenOver> take_over(Context& context, const StateView& state,
                            const std::vector<std::string>& named);

/// The same for an apply of `desired`. Errc::conflict for what that would not write like this.
Result<TakenOver> take_over_for(Context& context, const std::optional<Transaction>& active,
                                const std::vector<std::string>& named, const Desired& desired);

/// The plan that removes what was taken over, and changes nothing else.
Result<Planned> plan_removal(Context& context, const StateView& state, PlanRequest request,
                             const TakenOver& taken);
/// The action of such a removal while something is applied.
inline constexpr std::string_view kRemoveUnrecorded = "remove unrecorded";

}  // namespace nettune::node
