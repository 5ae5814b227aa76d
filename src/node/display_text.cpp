// SPDX-License-Identifier: Apache-2.0
#include "node/display_text.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/contents_view.hpp"

namespace nettune::node {

std::string safe(std::string_view text) {
  return has_control_characters(text) ? printable(text) : std::string(text);
}

std::vector<std::string> safe_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.push_back(safe(line));
  return lines;
}

std::string schema_word(std::string_view text) {
  std::string word(text);
  std::ranges::replace(word, ' ', '_');
  return word;
}

std::string sudo_line(std::string_view command, std::span<const std::string> typed) {
  std::string line = cat("sudo nettune ", command);
  for (const std::string& word : typed) line += cat(" ", shell_word(word));
  return line;
}

std::string counted(std::size_t count, std::string_view one) {
  return cat(count, " ", one, count == 1 ? "" : "s");
}

std::string value_text(const Value& value) {
  if (!value) return "absent";
  const std::string digest = content_digest(value);
  if (digest.empty()) return safe(*value);
  // "sha256:HEX mode 0644 owner 0:0": owner root is the usual case.
  const std::string_view behind = std::string_view(*value).substr(value->find(' ') + 1);
  const auto part = words(behind);
  const std::string mode = part.size() == 4 ? std::string(part[1]) : std::string();
  const bool of_root = part.size() == 4 && part[3] == "0:0";
  return safe(cat(std::string_view(digest).substr(0, 8), " ", mode,
                  of_root || part.size() != 4 ? "" : cat(" ", part[3])));
}

std::string now_text(const PlanItem& item) {
  switch (item.now.presence) {
    case Presence::present:
      return value_text(item.now.text);
    case Presence::absent:
      return "absent";
    case Presence::missing:
      return "no device";
    case Presence::not_yet:
      return "not there yet";
    case Presence::not_applicable:
      return "-";
    case Presence::not_permitted:
      return item.now.text.empty() ? "not readable" : value_text(item.now.text);
    case Presence::unknown:
      return "unknown";
  }
  return {};
}

std::string want_text(const Setting& setting) {
  return cat(relation_text(setting.relation), value_text(setting.want));
}

std::string origin_text(const Origin& origin) {
  const Origin shortened{origin.file.substr(origin.file.rfind('/') + 1), origin.line};
  return safe(shortened.text());
}

std::string claim_text(const Claim& claim) {
  return cat(claim.wins ? "overrides nettune: " : "", safe(claim.text));
}

}  // namespace nettune::node
