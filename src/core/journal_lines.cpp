// SPDX-License-Identifier: Apache-2.0
#include "core/journal_lines.hpp"

namespace nettune::inline core {

void escape_field(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      default:
        out += c;
    }
  }
}

std::string unescape_field(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char code = text[++i];
    out += code == 't' ? '\t' : (code == 'n' ? '\n' : code);
  }
  return out;
}

std::string value_field(const Value& value) { return value ? cat("=", *value) : std::string("-"); }

}  // namespace nettune::inline core
