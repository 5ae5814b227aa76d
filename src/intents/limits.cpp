// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "conf/unit_files.hpp"
#include "intents/intents.hpp"
#include "profile/section.hpp"

namespace nettune::profile {
namespace {

Result<> compose_limits(Composer& composer) {
  const auto services = composer.merged().with_prefix("service:");
  const Item* const memlock = composer.merged().find("limits:memlock");
  if (memlock == nullptr) {
    if (services.empty()) return {};
    return fail_at(services.front()->value.origin,
                   "[limits] services has no effect without memlock; also set memlock");
  }
  TRY_ASSIGN(const Expanded expanded, composer.value_of(*memlock));
  if (!composer.is_whole(*memlock, expanded, false)) return {};
  composer.boot().memlock =
      expanded.node.is(Node::Kind::string) ? expanded.node.text : shown(expanded.node);
  if (const auto text = formats::pam_memlock(composer.boot().memlock, ""); !text) {
    return fail_at(memlock->value.origin, cat(label(*memlock), ": ", text.error().text));
  }
  std::vector<std::string> absent;
  for (const Item* const item : services) {
    const std::string name = item->id.substr(item->id.find(':') + 1);
    const auto& installed = composer.facts().services;
    const bool here = std::ranges::find(installed, name) != installed.end() ||
                      std::ranges::find(installed, cat(name, ".service")) != installed.end();
    composer.show(*item, name);
    (here ? composer.boot().services : absent).push_back(name);
  }
  if (!absent.empty()) {
    composer.note(cat("[limits] services: not installed, no drop-in made: ", join(absent, ", ")));
  }
  return {};
}

constexpr auto kLimitsRules = std::to_array<Rule>({
    {"profile/limits", kTable, "Resource limits"},
    {"profile/limits/memlock", kString | kInteger,
     "Memory that login sessions may lock (pam_limits): \"unlimited\" or KiB"},
    {"profile/limits/services", kStrings,
     "systemd services that get the limit too, if they are installed"},
});

Result<> collect_limits(ItemCollector& out, const Section&, const Node& table) {
  for (const auto& [key, value] : table.entries) {
    if (key == "services")
      TRY(out.add_services(value, "service:", "limits", "profile/limits/services"));
    else
      TRY(out.add("limits:memlock", "limits", key, "profile/limits/memlock", value));
  }
  return {};
}

}  // namespace
}  // namespace nettune::profile

namespace nettune::intents {

constinit const profile::Section kLimits = {.name = "limits",
                                            .rules = profile::kLimitsRules,
                                            .collect = profile::collect_limits,
                                            .compose = profile::compose_limits};

}  // namespace nettune::intents
