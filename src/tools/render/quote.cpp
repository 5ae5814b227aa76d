// SPDX-License-Identifier: Apache-2.0
#include "tools/render/quote.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::tools::render {
namespace {

bool is_plain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._:/,=@%+-").find(c) != std::string_view::npos;
  });
}

/// sbatch takes quotes, backslashes and # for more than characters.
bool is_directive(std::string text) {
  std::erase_if(
      text, [](char c) { return std::string_view("[]()|&*!").find(c) != std::string_view::npos; });
  return is_plain(text);
}

bool is_variable(std::string_view text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Failure refused(std::string_view text, std::string_view why) {
  return fail(Errc::invalid, cat("the value \"", printable(text), "\" ", why));
}

/// Whether it has control characters other than newlines and tabs.
bool has_other_controls(std::string text) {
  std::erase_if(text, [](char c) { return c == '\n' || c == '\t'; });
  return has_control_characters(text);
}

/// Quotes for a shell. Unquoted, a word with '=' could become an assignment. Newlines are kept.
std::string shell_text(std::string_view text) {
  if (text.find('\n') != std::string_view::npos && !has_other_controls(std::string(text)))
    return single_quoted(text);
  const std::string word = shell_word(text);
  return word == text && text.find('=') != std::string_view::npos ? single_quoted(text) : word;
}

std::string yaml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n' || c == '\t')
      out += c == '\n' ? "\\n" : "\\t";
    else
      out += c;
  }
  return out + "\"";
}

/// Whether a literal block preserves the lines.
bool fits_block(std::string_view text) {
  const std::size_t newline = text.find('\n');
  if (newline == std::string_view::npos || newline == 0 || newline + 1 == text.size()) return false;
  if (text.front() == ' ' || text.ends_with("\n\n")) return false;
  return std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
}

std::string yaml_block(std::string_view text, std::size_t indent) {
  std::string out = text.ends_with('\n') ? "|" : "|-";
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (const std::string_view line : split(text, '\n'))
    out += line.empty() ? "\n" : cat("\n", std::string(indent, ' '), line);
  return out;
}

}  // namespace

Result<std::string> quoted(Context context, const Value& value, Where where, std::size_t indent) {
  const std::string& text = value.text;
  if (where == Where::comment) return printable(text);
  if (where == Where::variable) {
    if (is_variable(text)) return text;
    return refused(text, "is not the name of a variable");
  }
  switch (context) {
    case Context::text:
    case Context::pod:
      return text;
    case Context::plain:
      if (is_plain(text)) return text;
      return refused(text, "cannot be written here; only letters, digits and ._:/,=@%+- can");
    case Context::sbatch:
    case Context::shell:
      if (where == Where::directive && !is_directive(text))
        return refused(text,
                       "cannot be in a line of #SBATCH; only letters, digits and "
                       "._:/,=@%+-[]()|&*! can");
      if (text.find('\0') != std::string::npos) return refused(text, "has a NUL byte");
      return where == Where::directive || value.is_number ? text : shell_text(text);
    case Context::yaml:
      if (value.is_number) return text;
      if (has_other_controls(text))
        return refused(text,  // newlines and tabs have escapes that all readers know
                       "has control characters, or is not UTF-8; a manifest cannot contain it");
      return where != Where::key && fits_block(text) ? yaml_block(text, indent) : yaml_string(text);
  }
  return fail(Errc::invalid, "this context is not built in");
}

}  // namespace nettune::tools::render
