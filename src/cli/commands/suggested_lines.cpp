// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/suggested_lines.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::commands {

std::string apply_line(const node::Locations& locations, const node::ChangeRequest& request,
                       const std::string& subject, bool saved) {
  std::vector<std::string> typed = {subject};
  const auto value = [&](std::string_view option, std::string text) {
    typed.emplace_back(option);
    typed.push_back(std::move(text));
  };
  const auto flag = [&](std::string_view option, bool is_set) {
    if (is_set) typed.emplace_back(option);
  };
  for (const std::string& directory : locations.profile_directories) value("--profiles", directory);
  if (locations.site_given) value("--site", locations.site_file);
  if (!saved)
    for (const auto& [name, text] : locations.set) value("--set", cat(name, "=", text));
  if (locations.state_directory != node::Locations().state_directory)
    value("--state-dir", locations.state_directory);
  if (!locations.root.empty()) value("--root", locations.root);
  if (request.confirm_s > 0)
    value(request.temporary ? "--for" : "--confirm", cat(request.confirm_s));
  for (const node::confirm::Probe& probe : request.probes) value("--probe", probe.text);
  for (const std::string& device : request.without) value("--without", device);
  for (const std::string& address : request.only_settings) value("--only", address);
  for (const std::string& address : request.unrecorded) value("--unrecorded", address);
  flag("--allow-management", request.allow_management);
  flag("--allow-busy", request.allow_busy);
  flag("--accept-no-undo", request.accept_no_undo);
  flag("--accept-cautions", request.accept_cautions);
  flag("--accept-owners", request.accept_owners);
  flag("--force", request.force);
  flag("--unattended", request.unattended);
  return node::sudo_line("apply", typed);
}

namespace {

void add_node(std::vector<std::string>& typed, const node::Locations& locations) {
  const auto value = [&](std::string_view option, const std::string& text, bool is_usual) {
    if (!is_usual) typed.insert(typed.end(), {std::string(option), text});
  };
  value("--site", locations.site_file, !locations.site_given);
  value("--state-dir", locations.state_directory,
        locations.state_directory == node::Locations().state_directory);
  value("--root", locations.root, locations.root.empty());
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

void add_profiles(std::vector<std::string>& typed, const node::Locations& locations,
                  const Transaction& active) {
  std::vector<std::string> directories = locations.profile_directories;
  if (directories.empty()) directories = directories_of(active);
  for (const std::string& directory : directories)
    typed.insert(typed.end(), {"--profiles", directory});
}

}  // namespace

std::string same_node_line(const node::Locations& locations, std::string_view command) {
  std::vector<std::string> typed;
  add_node(typed, locations);
  return node::sudo_line(command, typed);
}

std::string reapply_line(const node::Locations& locations, const Transaction& active,
                         const std::vector<std::string>& options) {
  std::vector<std::string> typed;
  // Only the first boot of an image reads the profile.
  if (active.image) add_profiles(typed, locations, active);
  add_node(typed, locations);
  typed.insert(typed.end(), options.begin(), options.end());
  return node::sudo_line("reapply", typed);
}

std::string plan_line(const node::Locations& locations, const Transaction& active) {
  std::vector<std::string> typed = {active.profile};
  add_profiles(typed, locations, active);
  for (const auto& [name, value] : active.vars)
    typed.insert(typed.end(), {"--set", cat(name, "=", value)});
  add_node(typed, locations);
  // Reading a plan needs no root.
  return node::sudo_line("plan", typed).substr(std::string_view("sudo ").size());
}

std::string without_dry_run(std::string_view command, const std::vector<std::string>& typed) {
  constexpr std::string_view kLeftOut[] = {"--dry-run", "-v", "-vv", "--verbose", "--no-color"};
  std::vector<std::string> kept;
  for (const std::string& word : typed)
    if (std::ranges::find(kLeftOut, word) == std::end(kLeftOut)) kept.push_back(word);
  return node::sudo_line(command, kept);
}

}  // namespace nettune::cli::commands
