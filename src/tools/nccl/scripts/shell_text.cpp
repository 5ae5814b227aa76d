// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/shell_text.hpp"

#include "tools/nccl/scripts/assignments.hpp"

namespace nettune::tools::nccl::scripts {

bool has_expansion(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '$' || text[i] == '`')
      return true;
  return false;
}

std::string_view expanded_name(std::string_view text) {
  if (!text.starts_with('$')) return {};
  std::string_view name = text.substr(1);
  if (name.starts_with('{') && name.ends_with('}')) name = name.substr(1, name.size() - 2);
  return is_variable_name(name) ? name : std::string_view();
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size() &&
                        (text[i + 1] == '$' || text[i + 1] == '`' || text[i + 1] == '\\');
    out += text[escape ? ++i : i];
  }
  return out;
}

std::string with_newlines(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool newline = text.substr(i).starts_with("\\n");
    out += newline ? '\n' : text[i];
    if (newline) ++i;
  }
  return out;
}

}  // namespace nettune::tools::nccl::scripts
