// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/stored_commands.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "tools/nccl/scripts/shell_constants.hpp"
#include "tools/nccl/scripts/shell_pair.hpp"
#include "tools/nccl/scripts/shell_text.hpp"

namespace nettune::tools::nccl::scripts {

namespace {

/// $NAME or ${NAME}: more options, since it is the variable that gets them as well, or by its name.
bool is_list_of_options(std::string_view word, std::string_view variable) {
  const std::string_view name = expanded_name(word);
  if (name.empty()) return false;
  const std::string upper_name = upper(name);
  return name == variable ||
         std::ranges::any_of(
             std::array<std::string_view, 6>{"OPT", "ARG", "FLAG", "ENV", "MCA", "PARAM"},
             [&](std::string_view part) { return upper_name.find(part) != std::string::npos; });
}

}  // namespace

bool are_options_that_set(std::string_view variable, std::string_view text) {
  const std::vector<std::string_view> parts = words(text);
  bool sets = false;
  std::ptrdiff_t open = 0;  // parentheses: a value like $((1 << 2)) has blanks
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_inside = open > 0;
    open += std::ranges::count(parts[i], '(') - std::ranges::count(parts[i], ')');
    if (is_inside) continue;
    const bool is_of_mca = i > 1 && parts[i - 2].ends_with("-mca");
    const bool is_argument = is_of_mca || (i > 0 && parts[i - 1].starts_with('-'));
    if (!is_argument && !is_list_of_options(parts[i], variable) && !parts[i].starts_with('-'))
      return false;
    sets = sets || (is_argument && parts[i - 1] == "-x" && pair_of(parts[i]));
  }
  return sets;
}

void StoredCommands::keep(std::string_view variable, std::string_view text, int line) {
  constexpr std::size_t kMost = 256;  // for each of them the script is searched
  const std::vector<std::string_view> parts = words(text);
  // Behind $CMD a shell assigns nothing, and what eval exports is for what stands below it.
  const bool is_command = parts.size() > 1 && !pair_of(parts[0]) &&
                          std::ranges::find(parts, "export") == parts.end() &&
                          text.find("NCCL_") != text.npos;
  if (is_command && stored_.size() < kMost)
    stored_.try_emplace(std::string(variable), Run{std::string(text), line});
}

std::optional<StoredCommands::Run> StoredCommands::run(std::string_view command,
                                                       std::span<const ShellWord> arguments,
                                                       std::string_view script) {
  const bool is_eval = command == "eval" && arguments.size() == 1;
  if (!is_eval && !arguments.empty()) return {};
  const auto stored =
      stored_.find(expanded_name(is_eval ? std::string_view(arguments[0].text) : command));
  if (stored == stored_.end()) return {};
  if (!stored->second.text.empty() && bare_uses(script, stored->first) != 1) {
    stored_.erase(stored);
    return {};
  }
  // The next time it is the same again.
  return Run{std::exchange(stored->second.text, {}), stored->second.line};
}

}  // namespace nettune::tools::nccl::scripts
