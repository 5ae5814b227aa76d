// SPDX-License-Identifier: Apache-2.0
#include "cli/again.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "node/words.hpp"

namespace nettune::cli {

std::string apply_again(const Arguments& arguments, const std::string& subject, bool saved) {
  std::vector<std::string> typed = {subject};
  const auto value = [&](std::string_view option, std::string text) {
    typed.emplace_back(option);
    typed.push_back(std::move(text));
  };
  const auto flag = [&](std::string_view option, bool is_set) {
    if (is_set) typed.emplace_back(option);
  };
  for (const std::string& directory : arguments.profile_directories) value("--profiles", directory);
  if (arguments.site_given) value("--site", arguments.site_file);
  if (!saved)
    for (const auto& [name, text] : arguments.set) value("--set", cat(name, "=", text));
  if (arguments.state_directory != Locations().state_directory)
    value("--state-dir", arguments.state_directory);
  if (!arguments.root.empty()) value("--root", arguments.root);
  if (arguments.confirm_s > 0)
    value(arguments.temporary ? "--for" : "--confirm", cat(arguments.confirm_s));
  for (const Probe& probe : arguments.probes) value("--probe", probe.text);
  for (const std::string& device : arguments.without) value("--without", device);
  for (const std::string& address : arguments.only_settings) value("--only", address);
  flag("--allow-management", arguments.allow_management);
  flag("--allow-busy", arguments.allow_busy);
  flag("--accept-no-undo", arguments.accept_no_undo);
  flag("--accept-cautions", arguments.accept_cautions);
  flag("--accept-owners", arguments.accept_owners);
  flag("--force", arguments.force);
  flag("--unattended", arguments.unattended);
  return text::sudo_line("apply", typed);
}

std::string without_dry_run(const Arguments& arguments) {
  constexpr std::string_view kLeftOut[] = {"--dry-run", "-v", "-vv", "--verbose", "--no-color"};
  std::vector<std::string> typed;
  for (const std::string& word : arguments.typed)
    if (std::ranges::find(kLeftOut, word) == std::end(kLeftOut)) typed.push_back(word);
  return text::sudo_line(command_name(arguments.command), typed);
}

}  // namespace nettune::cli
