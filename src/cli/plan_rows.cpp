// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_rows.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "cli/line_diff.hpp"
#include "core/contents_view.hpp"
#include "node/devices.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

/// Names that are wider together are printed below the row.
constexpr std::size_t kWidestNames = 48;
/// Lines of a file that are shown without -v.
constexpr std::size_t kLines = 12;

/// Stands for the device; a control character, so it is in no address.
constexpr const char* kAnyDevice = "\x01";

/// Rows that are equal except for their device.
struct DeviceGroup {
  std::size_t row;  ///< its index
  std::string pattern;
  std::vector<std::string> devices;
};

/// The texts with the device's name, as a whole word, replaced by `to`.
std::vector<std::string> with_name(std::vector<std::string> texts, const std::string& name,
                                   std::string_view to) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::string& text : texts) {
    std::size_t at = 0;
    while ((at = text.find(name, at)) != std::string::npos) {
      const std::size_t end = at + name.size();
      const bool is_word =
          (at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]));
      if (is_word) text.replace(at, name.size(), to);
      at += is_word ? to.size() : 1;
    }
  }
  return texts;
}

void name_devices_of(DeviceGroup& group, node::check::SettingRow& row) {
  if (group.devices.size() < 2) return;
  row.details = with_name(std::move(row.details), group.devices.front(), "(the same)");
  std::ranges::sort(group.devices);
  std::string names = cat("{", join(group.devices, ","), "}");
  if (names.size() > kWidestNames) {
    names = cat("(", group.devices.size(), " devices)");
    row.details.insert(row.details.begin(), cat("devices: ", join(group.devices, " ")));
  }
  row.setting = group.pattern;
  row.setting.replace(row.setting.find(kAnyDevice), 1, names);
}

std::size_t lines_of(std::string_view content) {
  const auto newlines = static_cast<std::size_t>(std::ranges::count(content, '\n'));
  return newlines + (content.empty() || content.ends_with('\n') ? 0 : 1);
}

}  // namespace

char sign_of(const PlanItem& item) {
  if (!item.to_write()) return ' ';
  if (!item.after) return '-';
  return item.now.value() ? '~' : '+';
}

std::vector<node::check::SettingRow> fold_devices(
    const std::vector<node::check::SettingRow>& rows) {
  std::vector<node::check::SettingRow> folded;
  std::vector<DeviceGroup> groups;
  using Key = std::tuple<std::string, std::string, std::string, std::vector<std::string>,
                         std::vector<std::string>>;
  std::map<Key, std::size_t> known;
  for (const node::check::SettingRow& row : rows) {
    const Address address{row.setting};
    const std::string device = node::device_in(address);
    if (device.empty()) {
      folded.push_back(row);
      continue;
    }
    std::string pattern = node::with_device(address, kAnyDevice).text;
    const auto [found, is_new] = known.try_emplace(
        Key{pattern, row.now, row.wanted, row.cells, with_name(row.details, device, kAnyDevice)},
        groups.size());
    if (is_new) {
      groups.push_back({folded.size(), std::move(pattern), {}});
      folded.push_back(row);
    }
    groups[found->second].devices.push_back(device);
  }
  for (DeviceGroup& group : groups) name_devices_of(group, folded[group.row]);
  return folded;
}

std::string file_text(const Value& value, const std::optional<std::string>& content) {
  const std::string digest = content_digest(value);
  if (digest.empty() || !content) return node::value_text(value);
  const std::string shown = node::value_text(value);
  return cat(node::counted(lines_of(*content), "line"), ",", shown.substr(shown.find(' ')));
}

std::string file_change(const PlanItem& item, const ContentOf& content_of, bool all,
                        std::string_view indent) {
  const std::string digest = content_digest(item.after);
  if (digest.empty()) return {};
  const auto content = content_of(digest);
  if (!content) return {};
  const std::string before = item.now.value() ? item.now.content : std::string();
  // In a new file every line is new.
  const std::string diff = line_diff(before, *content);
  std::string out;
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const std::string_view line : split(diff, '\n')) {
    if (line.empty() || (before.empty() && line.starts_with("@@"))) continue;
    if (!all && shown == kLines) {
      ++left_out;
      continue;
    }
    out += cat(indent, line, "\n");
    ++shown;
  }
  if (left_out > 0)
    out += cat(indent, "[", node::counted(left_out, "line"), " more, shown by -v]\n");
  return out;
}

}  // namespace nettune::cli::text
