// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "conf/unit_files.hpp"
#include "intents/intents.hpp"
#include "profile/section.hpp"

namespace nettune::intents {
namespace {

constexpr std::string_view kNrOpen = "sysctl:fs.nr_open";

/// fs.nr_open as the profile sets it, else as it is now.
std::optional<std::int64_t> most_open_files(profile::Composer& composer) {
  if (const profile::Item* const item = composer.merged().find(std::string(kNrOpen))) {
    const auto set = composer.value_of(*item);
    return set ? parse_int(toml::shown(profile::plain_value(set->node))) : std::nullopt;
  }
  if (!composer.boot().read_sysctls) return std::nullopt;
  const std::vector<Address> addresses = {{std::string(kNrOpen)}};
  const auto readings = composer.boot().read_sysctls(addresses);
  return readings.size() == 1 ? parse_int(readings[0].text) : std::nullopt;
}

/// Above fs.nr_open, setrlimit() fails, and pam_limits refuses the session of everybody, root too
/// (setup_limits() and pam_sm_open_session() in modules/pam_limits/pam_limits.c).
Result<> check_open_files(profile::Composer& composer, const profile::Item& item,
                          const std::string& value) {
  const auto most = most_open_files(composer);
  const auto number = parse_int(value);
  if (!most || !number || *number <= *most) return {};
  return toml::fail_at(
      item.value.origin,
      cat(profile::label(item), " = ", value, " is above fs.nr_open (", *most,
          "): nobody could log in any more; lower it, or also set fs.nr_open in [sysctl]"));
}

Result<> compose_limits(profile::Composer& composer) {
  const auto services = composer.merged().with_prefix("service:");
  const auto limits = composer.merged().with_prefix("limits:");
  if (limits.empty()) {
    if (services.empty()) return {};
    return toml::fail_at(
        services.front()->value.origin,
        "[limits] services has no effect without a limit; also set memlock, nofile, "
        "stack or nproc");
  }
  for (const profile::Item* const item : limits) {
    TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(*item));
    if (!composer.is_whole(*item, expanded, false)) continue;
    conf::Limit limit{item->key, expanded.node.is(toml::Node::Kind::string)
                                     ? expanded.node.text
                                     : toml::shown(expanded.node)};
    if (const auto checked = conf::check_limit(limit); !checked)
      return toml::fail_at(item->value.origin,
                           cat(profile::label(*item), ": ", checked.error().text));
    if (limit.item == "nofile") TRY(check_open_files(composer, *item, limit.value));
    composer.boot().limits.push_back(std::move(limit));
  }
  std::vector<std::string> absent;
  for (const profile::Item* const item : services) {
    const std::string name = item->id.substr(item->id.find(':') + 1);
    const auto& installed = composer.facts().services;
    const bool here = std::ranges::find(installed, name) != installed.end() ||
                      std::ranges::find(installed, cat(name, ".service")) != installed.end();
    composer.show(*item, name);
    (here ? composer.boot().services : absent).push_back(name);
  }
  if (!absent.empty()) {
    composer.skip(cat("[limits] services: not installed, no drop-in made: ", join(absent, ", ")));
  }
  return {};
}

constexpr auto kLimitsRules = std::to_array<profile::Rule>({
    {"profile/limits", profile::kTable, "Resource limits"},
    {"profile/limits/memlock",
     profile::kString | profile::kInteger,
     "Memory that login sessions may lock (pam_limits): \"unlimited\" or KiB",
     {},
     false,
     {.least = 0, .pattern = "^(unlimited|[0-9]+)$"}},
    {"profile/limits/nofile",
     profile::kString | profile::kInteger,
     "Files that a process of a login session may have open; at most fs.nr_open",
     {},
     false,
     {.least = 1024, .pattern = "^[0-9]{4,}$"}},
    {"profile/limits/stack",
     profile::kString | profile::kInteger,
     "Stack of a process: \"unlimited\" or KiB",
     {},
     false,
     {.least = 1024, .pattern = "^(unlimited|[0-9]{4,})$"}},
    {"profile/limits/nproc",
     profile::kString | profile::kInteger,
     "Processes and threads of a user: \"unlimited\" or a number",
     {},
     false,
     {.least = 1024, .pattern = "^(unlimited|[0-9]{4,})$"}},
    {"profile/limits/services", profile::kStrings,
     "systemd services that get the limits too, if they are installed"},
});

Result<> collect_limits(profile::ItemCollector& out, const profile::Section&,
                        const toml::Node& table) {
  for (const auto& [key, value] : table.entries) {
    if (key == "services")
      TRY(out.add_services(value, "service:", "limits", "profile/limits/services"));
    else
      TRY(out.add(cat("limits:", key), "limits", key, cat("profile/limits/", key), value));
  }
  return {};
}

}  // namespace

constinit const profile::Section kLimits = {.name = "limits",
                                            .rules = kLimitsRules,
                                            .collect = intents::collect_limits,
                                            .compose = intents::compose_limits};

}  // namespace nettune::intents
