// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "node/own_units.hpp"
#include "node/summary.hpp"

/// What status, history and check --cached say to people.
namespace nettune::cli::text {

std::string history(const std::vector<node::Past>& past, const Style& style);
/// One line for each: what is applied, pending, owed, held and checked, and the units.
std::string status(const node::Summary& summary, const std::vector<node::Summary::Waits>& waits,
                   const node::OwnUnits& units, std::int64_t now_s, const Style& style);
/// Only the units: for what is not known otherwise.
std::string units(const node::OwnUnits& units, const Style& style);
/// The last check, as the summary has it. `stale` as node::stale_reason() says it.
std::string cached_check(const node::Summary& summary, const std::string& stale, std::int64_t now_s,
                         const Style& style);
/// "as of 17:27 (3 min ago), from /run/nettune/summary.json".
std::string as_of(std::int64_t time_s, std::int64_t now_s);
/// "40 s", "3 min", "5 h", "2 d".
std::string duration(std::int64_t seconds);

}  // namespace nettune::cli::text
