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

/// Tells whom the command line names: the reader of --textfile always; systemd's journal
/// (--unattended) and the program of --on-drift when there is drift, and it is `news`. Returns what
/// could not be told, in sentences.
std::vector<std::string> tell_others(Context& context, const Checked& checked, bool news);

}  // namespace nettune::cli
