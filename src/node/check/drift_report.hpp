// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "node/check/checking.hpp"
#include "node/context.hpp"

namespace nettune::cli {

/// One entry for systemd's journal and one for each setting that is apart, with the values as
/// fields of their own and a MESSAGE_ID each (docs/drift.md). None when nothing is.
std::vector<std::vector<std::string>> journal_entries(const Checked& checked);

/// What a check found, in the format of node_exporter's textfile collector.
std::string metrics(const Checked& checked, std::int64_t time_s);

/// The traffic that is dropped on its way in.
std::vector<checks::Passage> dropped_of(const Checked& checked);

}  // namespace nettune::cli
