// SPDX-License-Identifier: Apache-2.0
#include "profile/reasons.hpp"

#include <map>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "profile/profile.hpp"
#include "profile/source.hpp"

namespace nettune::profile {
namespace {

/// What stands behind a '#' outside of quotes.
std::string_view comment_behind(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '"' && c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      return trim(line.substr(i + 1));
    }
  }
  return {};
}

bool is_comment(std::string_view line) { return trim(line).starts_with('#'); }

/// The block of comments that ends in line `last`.
std::string block(const std::vector<std::string_view>& lines, std::size_t last) {
  std::size_t first = last;
  while (first > 0 && is_comment(lines[first - 1])) --first;
  std::vector<std::string> parts;
  for (std::size_t i = first; i <= last; ++i) {
    const std::string_view part = trim(trim(lines[i]).substr(1));
    if (!part.empty() && !part.starts_with("SPDX-")) parts.emplace_back(part);
  }
  return join(parts, " ");
}

}  // namespace

std::string reason_in(std::string_view toml, int line) {
  const std::vector<std::string_view> lines = split(toml, '\n');
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return {};
  std::size_t at = static_cast<std::size_t>(line) - 1;
  if (const std::string_view own = comment_behind(lines[at]); !own.empty()) return std::string(own);
  bool in_table = !trim(lines[at]).starts_with('[');
  while (at-- > 0) {
    const std::string_view above = trim(lines[at]);
    if (is_comment(above)) return block(lines, at);
    if (above.empty()) return {};
    // Above the table: what is said of all of it.
    if (above.starts_with('[') && !in_table) return {};
    if (above.starts_with('[')) in_table = false;
  }
  return {};
}

void add_reasons(Disk& disk, const Sources& sources, Resolved& resolved) {
  std::map<std::string, std::optional<std::string>> texts;
  for (Shown& shown : resolved.shown) {
    if (!shown.origin.file.starts_with('/')) continue;
    const auto [text, is_new] = texts.try_emplace(shown.origin.file);
    if (is_new)
      if (auto read = read_trusted(disk, shown.origin.file, sources.trusted_uid); read)
        text->second = std::move(*read);
    if (text->second) shown.why = reason_in(*text->second, shown.origin.line);
  }
}

}  // namespace nettune::profile
