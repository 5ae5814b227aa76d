// SPDX-License-Identifier: Apache-2.0
#include "owners/tuned_net.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "owners/tuned.hpp"

namespace nettune::owners {
namespace {

/// tuned/hardware/device_matcher.py: "!" wins, and a list of negated words only matches all others.
bool devices_fit(std::string_view devices, const std::string& name) {
  std::string rules(devices);
  std::ranges::replace(rules, ',', ' ');
  bool asks = false;
  bool fits = false;
  for (const std::string_view rule : words(rules)) {
    if (rule.starts_with('!')) {
      if (glob_match(rule.substr(1), name)) return false;
    } else {
      asks = true;
      fits = fits || glob_match(rule, name);
    }
  }
  return fits || !asks;
}

/// The effective line among the sections that match the interface. The last one counts: a profile
/// overrides what it includes.
struct Found {
  std::string file;
  const conf::IniLine* line = nullptr;
};
Found last_line(const Tuned& tuned, std::string_view key, const std::string& name) {
  Found found;
  for (const TunedFile& file : tuned.files) {
    for (const conf::IniLine& line : file.net) {
      if (line.key != key) continue;
      const bool other = std::ranges::any_of(file.net, [&](const conf::IniLine& one) {
        if (one.section != line.section) return false;
        return one.key == "devices_udev_regex" ||
               (one.key == "devices" && !devices_fit(one.value, name));
      });
      if (!other) found = {file.path, &line};
    }
  }
  return found;
}

}  // namespace

/// plugin_net.py takes hardware only. The effect of devices_udev_regex is not known here.
void find_tuned_net(const conf::Files& files, std::span<const Link> links, Rivals& rivals) {
  const auto tuned = active_tuned(files);
  if (!tuned) return;
  for (const Link& link : links) {
    if (!link.facts.physical) continue;
    for (const std::string_view key : {"mtu", "txqueuelen"}) {
      const Found found = last_line(*tuned, key, link.facts.name);
      if (!found.line || !is_integer(found.line->value)) continue;
      rivals.say({{cat("link:", link.facts.name, ":", key)},
                  cat("TuneD profile ", tuned->profile),
                  found.file,
                  found.line->line,
                  sets(key, found.line->value),
                  found.line->value,
                  true,
                  "TuneD sets it whenever it starts"});
    }
  }
}

}  // namespace nettune::owners
