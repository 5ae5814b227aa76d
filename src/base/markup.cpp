// SPDX-License-Identifier: Apache-2.0
#include "base/markup.hpp"

#include "base/text.hpp"

namespace nettune::inline base {

std::string escaped(std::string_view text) {
  const std::string visible = has_control_characters(text) ? printable(text) : std::string(text);
  std::string out;
  out.reserve(visible.size());
  for (const char c : visible) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace nettune::inline base
