// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"
#include "core/plan.hpp"
#include "node/check/dscp_rows.hpp"

/// The parts of the table of a plan.
namespace nettune::cli::text {

/// The conflicts on each setting.
using ClaimsOf = std::multimap<std::string_view, const Claim*>;
ClaimsOf claims_of(const Plan& plan);

/// A link in another network namespace: somebody else's, so a person should know without -v.
bool is_link_of_others(const Witness& witness);
bool reaches_others(const PlanItem& item);

/// False for what holds, and for what this node cannot have.
bool is_shown(const PlanItem& item);
/// The verdict of a setting that is written.
inline constexpr const char* kChange = "change";
std::string verdict_of(const PlanItem& item);
/// "link bounce", "may cut, containers"; "" for a write that disturbs nothing.
std::string effect_of(const PlanItem& item);

/// Which remarks a row has: those that a person must not miss, or all; `of_undo` is all of an undo.
enum class Remarks { brief, all, of_undo };
std::vector<std::string> details_of(const PlanItem& item, const ClaimsOf& claims, Remarks remarks);

/// What a write does: '+' adds, '-' removes, '~' changes; ' ' for no write.
char sign_of(const PlanItem& item);

/// A row of one or several devices.
struct DeviceRow {
  node::check::SettingRow row;  ///< of the first device; `details` say "(the same)" for several
  std::string pattern;          ///< the address with kAnyDevice; "" without a device
  std::vector<std::string> devices;  ///< in the order of their rows
};
/// Joins rows that differ only in their device, at the place of the first.
std::vector<DeviceRow> group_devices(const std::vector<node::check::SettingRow>& rows);

/// The texts with a device's name, as a whole word, replaced by `to`.
std::vector<std::string> with_name(std::vector<std::string> texts, const std::string& name,
                                   std::string_view to);

/// Joins rows that differ only in their device, at the place of the first: "link:{nt0,nt1}:mtu", or
/// "link:(8 devices):mtu" with the names below.
std::vector<node::check::SettingRow> fold_devices(const std::vector<node::check::SettingRow>& rows);

using ContentOf = std::function<std::optional<std::string>(const std::string& digest)>;

/// A file's value without its digest: "12 lines, 0644". For other values, and files of unknown
/// content, value_text().
std::string file_text(const Value& value, const std::optional<std::string>& content);

/// The changed lines of a file, each after its sign and `indent`; "" if unknown or not a file.
std::string file_change(const PlanItem& item, const ContentOf& content_of, std::string_view indent);

/// A remark on several rows is printed once, below them.
class Footnotes {
 public:
  /// The remarks of one more row.
  void see(const std::vector<std::string>& details);
  /// Removes repeated remarks from `details`, and returns their marks: "1 2".
  std::string take(std::vector<std::string>& details);
  std::string text(const Style& style) const;

 private:
  std::map<std::string, int> seen_;
  std::map<std::string, std::size_t> marks_;
  std::vector<std::string> notes_;
};

}  // namespace nettune::cli::text
