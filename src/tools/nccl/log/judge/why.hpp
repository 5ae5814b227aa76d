// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

/// Fills in which networks were chosen, and what the log says about why.
void explain_network(const Log& log, Verdict& verdict);

/// The networks of every process: "Using network X" and those of its connections; without either
/// IB where its devices are listed by a version that is known to be before 2.6.4. Empty: unknown.
std::vector<std::vector<std::string>> all_networks(const Log& log);

/// What other lines say of a network of which none says that it was chosen: "an error is of
/// NET/IB"; "" for nothing.
std::string network_of_others(const Log& log);

/// A network of verbs, InfiniBand or RoCE: NCCL's own, or a plugin's ("IBext").
inline bool is_verbs(std::string_view network) { return network.starts_with("IB"); }

/// " processes say so)", behind how many of all.
const char* said_by(std::size_t count);

}  // namespace nettune::tools::nccl::log::judge
