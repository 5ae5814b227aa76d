// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/again.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::commands {

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
  if (arguments.state_directory != node::Locations().state_directory)
    value("--state-dir", arguments.state_directory);
  if (!arguments.root.empty()) value("--root", arguments.root);
  if (arguments.confirm_s > 0)
    value(arguments.temporary ? "--for" : "--confirm", cat(arguments.confirm_s));
  for (const node::confirm::Probe& probe : arguments.probes) value("--probe", probe.text);
  for (const std::string& device : arguments.without) value("--without", device);
  for (const std::string& address : arguments.only_settings) value("--only", address);
  for (const std::string& address : arguments.unrecorded) value("--unrecorded", address);
  flag("--allow-management", arguments.allow_management);
  flag("--allow-busy", arguments.allow_busy);
  flag("--accept-no-undo", arguments.accept_no_undo);
  flag("--accept-cautions", arguments.accept_cautions);
  flag("--accept-owners", arguments.accept_owners);
  flag("--force", arguments.force);
  flag("--unattended", arguments.unattended);
  return node::sudo_line("apply", typed);
}

namespace {

void add_node(std::vector<std::string>& typed, const Arguments& arguments) {
  const auto value = [&](std::string_view option, const std::string& text, bool is_usual) {
    if (!is_usual) typed.insert(typed.end(), {std::string(option), text});
  };
  value("--site", arguments.site_file, !arguments.site_given);
  value("--state-dir", arguments.state_directory,
        arguments.state_directory == node::Locations().state_directory);
  value("--root", arguments.root, arguments.root.empty());
}

/// Where profiles are read without --profiles.
bool is_searched(const std::string& directory) {
  return directory == "/etc/nettune/profiles" || directory == NETTUNE_DATADIR "/profiles";
}

/// The directories of --profiles that a generation's profile files are in; each once.
std::vector<std::string> directories_of(const Transaction& active) {
  std::vector<std::string> directories;
  for (const Source& source : active.sources) {
    const std::string directory = parent_path(source.path);
    const bool is_profile = source.path.ends_with(cat("/", active.profile, ".toml"));
    if (is_profile && !is_searched(directory)) directories.push_back(directory);
  }
  return directories;
}

void add_profiles(std::vector<std::string>& typed, const Arguments& arguments,
                  const Transaction& active) {
  std::vector<std::string> directories = arguments.profile_directories;
  if (directories.empty()) directories = directories_of(active);
  for (const std::string& directory : directories)
    typed.insert(typed.end(), {"--profiles", directory});
}

}  // namespace

std::string same_node(const Arguments& arguments, std::string_view command) {
  std::vector<std::string> typed;
  add_node(typed, arguments);
  return node::sudo_line(command, typed);
}

std::string reapply_again(const Arguments& arguments, const Transaction& active) {
  std::vector<std::string> typed;
  // Only the first boot of an image reads the profile.
  if (active.image) add_profiles(typed, arguments, active);
  add_node(typed, arguments);
  return node::sudo_line("reapply", typed);
}

std::string plan_again(const Arguments& arguments, const Transaction& active) {
  std::vector<std::string> typed = {active.profile};
  add_profiles(typed, arguments, active);
  for (const auto& [name, value] : active.vars)
    typed.insert(typed.end(), {"--set", cat(name, "=", value)});
  add_node(typed, arguments);
  // Reading a plan needs no root.
  return node::sudo_line("plan", typed).substr(std::string_view("sudo ").size());
}

std::string without_dry_run(const Arguments& arguments) {
  constexpr std::string_view kLeftOut[] = {"--dry-run", "-v", "-vv", "--verbose", "--no-color"};
  std::vector<std::string> typed;
  for (const std::string& word : arguments.typed)
    if (std::ranges::find(kLeftOut, word) == std::end(kLeftOut)) typed.push_back(word);
  return node::sudo_line(command_name(arguments.command), typed);
}

}  // namespace nettune::cli::commands
