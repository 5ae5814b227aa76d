// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "node/check/checking.hpp"
#include "node/context.hpp"

namespace nettune::node::check {

/// Entries for systemd's journal: one in all, and one per setting that drifted. Values are fields,
/// and each has a MESSAGE_ID (docs/drift.md). One for a lost state. Empty if nothing drifted.
std::vector<std::vector<std::string>> journal_entries(const Checked& checked);

/// The results of a check in the format of node_exporter's textfile collector.
std::string metrics(const Checked& checked, std::int64_t time_s);

}  // namespace nettune::node::check
