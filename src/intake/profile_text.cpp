// SPDX-License-Identifier: Apache-2.0
#include "intake/profile_text.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace nettune::intake {
namespace {

using toml::Node;

constexpr std::size_t kWidth = 110;
constexpr std::size_t kLongestName = 40;

/// `text` without what could end a line or hide: as printable(), but quotes need no backslash.
std::string readable(std::string_view text) {
  std::string out;
  const std::string safe = printable(text);
  for (std::size_t i = 0; i < safe.size(); ++i) {
    if (safe[i] == '\\' && i + 1 < safe.size() && (safe[i + 1] == '"' || safe[i + 1] == '\\')) ++i;
    out += safe[i];
  }
  return out;
}

/// A line of a comment, in as many lines as it needs. What is in
/// it cannot end it.
std::string comment(std::string_view line_text) {
  const std::string text = readable(line_text);
  std::string out;
  std::string line = "#";
  for (const std::string_view word : split(text, ' ')) {
    const bool has_words = line.find_first_not_of("# ") != line.npos;
    if (has_words && line.size() + 1 + word.size() > kWidth) {
      line.resize(line.find_last_not_of(' ') + 1);
      out += line + "\n";
      line = "#   ";
    }
    line += cat(' ', word);
  }
  return out + (text.empty() ? "#" : line) + "\n";
}

std::string comments(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += comment(line);
  return out;
}

Node strings(const std::vector<std::string>& texts) {
  Node list;
  list.kind = Node::Kind::array;
  for (const std::string& text : texts) list.items.push_back(Node::string(text, {}));
  return list;
}

/// The set of a section of devices, and of a key with ${SET.each}.
bool uses_set(const Entry& entry, const std::string& set) {
  return entry.section.ends_with(cat('.', set)) ||
         std::ranges::any_of(entry.key, [&](const std::string& part) {
           return part.find(each_of(set)) != part.npos;
         });
}

class Writer {
 public:
  explicit Writer(const ProfileText& profile) : profile_(profile) {}

  std::string run() {
    out_ = comments(profile_.heading);
    line("schema", Node::number(1));
    line("name", Node::string(profile_.name, {}));
    line("summary", Node::string(readable(profile_.summary), {}));
    if (!profile_.extends.empty()) line("extends", strings(profile_.extends));
    for (const SetText& set : profile_.sets) write_set(set);
    for (const Entry& first : profile_.entries)
      if (written_.insert(first.section).second) write_section(first.section);
    if (!profile_.closing.empty()) out_ += cat("\n", comments(profile_.closing));
    return std::move(out_);
  }

 private:
  void line(std::string_view key, const Node& value) {
    out_ += cat(key, " = ", toml::toml_text(value), "\n");
  }

  void write_set(const SetText& set) {
    const bool off = std::ranges::none_of(profile_.entries, [&](const Entry& entry) {
      return !entry.off && uses_set(entry, set.name);
    });
    const std::string_view mark = off ? "# " : "";
    out_ += cat("\n", comments(set.comments), mark, "[devices.", toml::toml_key(set.name), "]\n");
    for (const auto& [key, value] : set.definition.entries)
      out_ += cat(mark, toml::toml_key(key), " = ", toml::toml_text(value), "\n");
  }

  void write_section(const std::string& section) {
    std::vector<const Entry*> entries;
    for (const Entry& entry : profile_.entries)
      if (entry.section == section) entries.push_back(&entry);
    const bool off = std::ranges::all_of(entries, &Entry::off);
    out_ += cat("\n", off ? "# " : "", "[", section, "]\n");
    for (const Entry* const entry : entries) {
      out_ += cat(comments(entry->comments), entry->off ? "# " : "");
      for (std::size_t i = 0; i < entry->key.size(); ++i)
        out_ += cat(i == 0 ? "" : ".", toml::toml_key(entry->key[i]));
      out_ += cat(" = ", toml::toml_text(entry->value), "\n");
    }
  }

  const ProfileText& profile_;
  std::string out_;
  std::set<std::string> written_;
};

}  // namespace

std::string profile_toml(const ProfileText& profile) { return Writer(profile).run(); }

std::string each_of(std::string_view set) { return cat("${", set, ".each}"); }

std::string name_made_of(std::string_view text, std::string_view otherwise) {
  std::string name;
  for (const char c : lower(text)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
    if (name.size() == kLongestName) break;
  }
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? std::string(otherwise) : name;
}

}  // namespace nettune::intake
