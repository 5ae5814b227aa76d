// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/shell_constants.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "tools/nccl/scripts/shell_text.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool always_runs(const Assignment& one) {
  return !one.computed && !one.conditional && !one.if_unset && !one.for_one_command &&
         !one.of_script && one.branches.empty() && one.kind == Kind::shell && !one.value.empty();
}

/// NAME and literal of ${NAME:-literal} and ${NAME-literal}; two empty texts for another value.
std::pair<std::string_view, std::string_view> default_in(std::string_view value) {
  if (!value.starts_with("${") || value.find('}') + 1 != value.size()) return {};
  value = value.substr(2, value.size() - 3);
  const auto dash = value.find('-');
  if (dash == value.npos || dash == 0) return {};
  std::string_view name = value.substr(0, dash);
  if (name.ends_with(':')) name.remove_suffix(1);
  const std::string_view text = value.substr(dash + 1);
  const bool is_literal = !text.empty() && text.find_first_of("$`\"'\\") == text.npos;
  if (!is_variable_name(name) || !is_literal) return {};
  return {name, text};
}

/// NAME=${OTHER:-literal}, where the script says OTHER nowhere but behind $.
void assume_default(std::string_view script, std::string_view other, std::string_view literal,
                    Assignment& one) {
  if (bare_uses(script, other) != (other == one.name ? 1 : 0)) return;
  one.assumed = literal;
  one.assumed_of = cat("the default of ", other);
}

}  // namespace

int bare_uses(std::string_view text, std::string_view name) {
  int uses = 0;
  for (std::size_t at = text.find(name); at != text.npos && uses < 2;
       at = text.find(name, at + name.size())) {
    const std::size_t end = at + name.size();
    if ((at > 0 && is_of_name(text[at - 1])) || (end < text.size() && is_of_name(text[end])))
      continue;
    const bool is_read = at > 0 && (text[at - 1] == '$' || text.substr(0, at).ends_with("${"));
    // ${NAME:=value} sets it, and ${!NAME} may mean another one.
    const bool sets = is_read && text.substr(end).starts_with(":=");
    if (!is_read || sets) ++uses;
  }
  return uses;
}

void assume_constants(std::string_view text, std::vector<Assignment>& found) {
  constexpr std::size_t kMostConstants = 256;  // for each of them the text is searched
  std::size_t defaults = 0;
  std::map<std::string, const Assignment*, std::less<>> constants;  // null: it is none
  for (Assignment& one : found) {
    if (constants.size() == kMostConstants) return;
    const auto [source, literal] = default_in(one.computed ? std::string_view(one.value) : "");
    if (!source.empty() && defaults < kMostConstants) {
      ++defaults;  // for each of them the text is searched
      assume_default(text, source, literal, one);
      continue;
    }
    const std::string name(one.computed ? expanded_name(one.value) : std::string_view());
    if (name.empty() || name == one.name) continue;
    const auto [known, is_new] = constants.try_emplace(name, nullptr);
    if (is_new) {
      const auto is_it = [&](const Assignment& other) { return other.name == name; };
      const auto set = std::ranges::find_if(found, is_it);
      const bool is_only =
          set != found.end() && std::find_if(set + 1, found.end(), is_it) == found.end();
      if (is_only && always_runs(*set) && bare_uses(text, name) == 1) known->second = &*set;
    }
    const Assignment* const constant = known->second;
    if (constant == nullptr || constant->line >= one.line) continue;
    one.assumed = constant->value;
    one.assumed_of = cat(name, ", line ", constant->line);
  }
}

}  // namespace nettune::tools::nccl::scripts
