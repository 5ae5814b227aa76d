// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan.hpp"
#include "node/check/dscp_rows.hpp"

/// The parts of the table of a plan.
namespace nettune::cli::text {

/// What a write does: '+' adds, '-' removes, '~' changes; ' ' for no write.
char sign_of(const PlanItem& item);

/// Joins rows that differ only in their device, at the place of the first: "link:{nt0,nt1}:mtu", or
/// "link:(8 devices):mtu" with the names below.
std::vector<node::check::SettingRow> fold_devices(const std::vector<node::check::SettingRow>& rows);

using ContentOf = std::function<std::optional<std::string>(const std::string& digest)>;

/// A file's value without its digest: "12 lines, 0644". For other values, and files of unknown
/// content, value_text().
std::string file_text(const Value& value, const std::optional<std::string>& content);

/// The changed lines of a file, each after its sign and `indent`; "" if unknown or not a file. Only
/// the first few lines, unless `all`.
std::string file_change(const PlanItem& item, const ContentOf& content_of, bool all,
                        std::string_view indent);

}  // namespace nettune::cli::text
