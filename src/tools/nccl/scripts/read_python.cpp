// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/read_python.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

/// Steps over `word`; false where it does not stand there.
bool skip(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

/// A string in quotes of one kind and without a backslash.
std::optional<std::string_view> take_string(std::string_view& text) {
  if (text.empty() || (text[0] != '"' && text[0] != '\'')) return {};
  const auto end = text.find(text[0], 1);
  if (end == text.npos) return {};
  const std::string_view inner = text.substr(1, end - 1);
  // Two quotes that follow are the begin of three.
  const bool is_triple = inner.empty() && end + 1 < text.size() && text[end + 1] == text[0];
  if (inner.find('\\') != inner.npos || is_triple) return {};
  text.remove_prefix(end + 1);
  return inner;
}

/// 1 of "str(1)".
std::optional<std::string_view> take_number(std::string_view& text) {
  if (!skip(text, "str(")) return {};
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const auto end = std::min(text.find_first_not_of("0123456789", sign), text.size());
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return end > sign && skip(text, ")") ? std::optional(digits) : std::nullopt;
}

/// Nothing more stands there, or another statement.
bool is_end(std::string_view text) {
  return text.empty() || text.starts_with('#') || text.starts_with(';');
}

/// The value in front of `end`, where it is written out; `text` is then what follows.
std::optional<std::string> take_literal(std::string_view& text, std::string_view end) {
  std::string_view rest = text;
  skip_blanks(rest);
  auto value = take_string(rest);
  if (!value) value = take_number(rest);
  skip_blanks(rest);
  if (!value || !skip(rest, end)) return {};
  skip_blanks(rest);
  if (!is_end(rest)) return {};
  text = rest;
  return std::string(*value);
}

/// The begin of a statement that sets a variable.
struct Head {
  std::string_view name;
  std::string_view end;  ///< what ends it behind the value
  bool if_unset = false;
};

/// Steps over it.
std::optional<Head> take_head(std::string_view& text) {
  skip(text, "os.");
  const bool is_item = skip(text, "environ[");
  const bool if_unset = !is_item && skip(text, "environ.setdefault(");
  if (!is_item && !if_unset && !skip(text, "putenv(")) return {};
  skip_blanks(text);
  const auto name = take_string(text);
  skip_blanks(text);
  if (!name || !is_variable_name(*name)) return {};
  if (!is_item) return skip(text, ",") ? std::optional(Head{*name, ")", if_unset}) : std::nullopt;
  if (!skip(text, "]")) return {};
  skip_blanks(text);
  if (!skip(text, "=") || text.starts_with('=')) return {};
  return Head{*name, "", false};
}

/// Whether texts in triple quotes that are open behind the line, given that of the line before.
char open_quote_behind(std::string_view line, char open) {
  for (std::size_t at = 0; at + 2 < line.size(); ++at) {
    const char c = line[at];
    const bool is_triple = (c == '"' || c == '\'') && line[at + 1] == c && line[at + 2] == c;
    if (!is_triple || (open != '\0' && c != open)) continue;
    open = open == '\0' ? c : '\0';
    at += 2;
  }
  return open;
}

/// Calls `take` with the number and text of each line that does not begin inside of a text in
/// triple quotes, and whether one begins in it.
template <class Take>
void each_line(std::string_view text, const Take& take) {
  int number = 0;
  char open = '\0';
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    const bool is_text = open != '\0';
    open = open_quote_behind(line, open);
    if (!is_text) take(number, line, open != '\0');
  }
}

}  // namespace

bool is_python(std::string_view file, std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  return file.ends_with(".py") || (first.starts_with("#!") && first.find("python") != first.npos);
}

std::vector<Assignment> read_python_lines(std::string_view text, const std::string& file,
                                          std::set<int>& whole) {
  std::vector<Assignment> found;
  each_line(text, [&](int number, std::string_view line, bool) {
    std::string_view rest = trim(line);
    while (!rest.empty()) {
      const auto head = take_head(rest);
      if (!head) break;
      const auto value = take_literal(rest, head->end);
      Assignment one{std::string(head->name), value ? *value : std::string(trim(rest)), file,
                     number};
      one.computed = !value || value->find_first_of("$`") != std::string::npos;
      one.conditional = line.front() == ' ' || line.front() == '\t';
      one.if_unset = head->if_unset;
      found.push_back(std::move(one));
      if (value && skip(rest, ";")) skip_blanks(rest);
      if (value && !rest.empty() && !rest.starts_with('#')) continue;
      whole.insert(number);
      break;
    }
  });
  return found;
}

std::set<int> python_lines_with_names(std::string_view text) {
  static constexpr std::string_view kQuestions[] = {"environ.get(",  "getenv(", ".pop(",
                                                    "print(",        "log.",    "logg",
                                                    "in os.environ", "assert ", "help="};
  std::set<int> found;
  each_line(text, [&](int number, std::string_view line, bool begins_text) {
    const auto asks = [&](std::string_view word) { return line.find(word) != line.npos; };
    if (begins_text || trim(line).starts_with('#') || std::ranges::any_of(kQuestions, asks)) return;
    for (auto at = line.find("NCCL_"); at != line.npos; at = line.find("NCCL_", at + 1))
      if (at != 0 && (line[at - 1] == '"' || line[at - 1] == '\'')) found.insert(number);
  });
  return found;
}

}  // namespace nettune::tools::nccl::scripts
