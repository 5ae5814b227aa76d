// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan.hpp"
#include "node/check/dscp_rows.hpp"

/// The parts that the table of a plan is made of.
namespace nettune::cli::text {

/// What a write does to what is there: '+' adds, '-' removes, '~' changes; ' ' for no write.
char sign_of(const PlanItem& item);

/// The same rows, with those that differ only in their device as one, where the first of them is:
/// "link:{nt0,nt1}:mtu", or "link:(8 devices):mtu" with their names below.
std::vector<SettingRow> fold_devices(const std::vector<SettingRow>& rows);

using ContentOf = std::function<std::optional<std::string>(const std::string& digest)>;

/// A file's value without its digest: "12 lines, 0644". Other values, and a file of which the
/// content is not known, as value_text().
std::string file_text(const Value& value, const std::optional<std::string>& content);

/// What a write makes of the lines of a file, each behind its sign and `indent`; "" where that is
/// not known or nothing of a file. Of more than a few lines the first ones, unless `all`.
std::string file_change(const PlanItem& item, const ContentOf& content_of, bool all,
                        std::string_view indent);

}  // namespace nettune::cli::text
