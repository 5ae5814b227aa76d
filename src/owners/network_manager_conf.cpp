// SPDX-License-Identifier: Apache-2.0
#include "owners/network_manager_conf.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "owners/network_files.hpp"

namespace nettune::owners {
namespace {

/// This follows match_device_eval() in src/core/nm-core-utils.c; `fuzzy` is for a spec without a
/// tag.
bool spec_fits(std::string_view spec, bool fuzzy, const Link& link) {
  const LinkFacts& facts = link.facts;
  const std::string& mac = facts.permanent_mac.empty() ? facts.mac : facts.permanent_mac;
  const auto tagged = [&](std::string_view tag) {
    if (!spec.starts_with(tag)) return false;
    spec.remove_prefix(tag.size());
    return true;
  };
  if (spec == "*") return true;
  if (tagged("interface-name:")) {
    if (tagged("=")) return spec == facts.name;
    tagged("~");
    return glob_match(spec, facts.name);
  }
  if (tagged("mac:")) return same_mac(spec, mac);
  if (tagged("driver:")) return spec.substr(0, spec.rfind('/')) == facts.driver;
  if (tagged("type:")) {
    if (!facts.kind.empty()) return spec == facts.kind;
    return spec == (facts.link_layer == "InfiniBand" ? "infiniband" : "ethernet");
  }
  return fuzzy && (spec == facts.name || same_mac(spec, mac));
}

}  // namespace

/// _match_result(): "except:" wins, and a list of exceptions only matches all others.
bool in_device_list(std::string_view list, const Link& link) {
  std::string text(list);
  std::ranges::replace(text, ';', ',');
  bool found = false;
  bool only_exceptions = true;
  bool any = false;
  for (const std::string_view part : split(text, ',')) {
    std::string_view spec = trim(part);
    if (spec.empty()) continue;
    any = true;
    constexpr std::string_view kExcept = "except:";
    const bool except = spec.starts_with(kExcept);
    if (except) spec.remove_prefix(kExcept.size());
    if (!except) only_exceptions = false;
    if (!spec_fits(spec, !except, link)) continue;
    if (except) return false;
    found = true;
  }
  return any && (found || only_exceptions);
}

/// read_entire_config() in src/core/nm-config.c: /usr/lib, /run, the main file, /etc. Of conf.d
/// files with the same name, the one in /etc counts, then the one in /run.
NetworkManagerConf::NetworkManagerConf(const conf::Files& files) {
  constexpr std::string_view kDirectories[] = {
      "/usr/lib/NetworkManager/conf.d", "/run/NetworkManager/conf.d", "/etc/NetworkManager/conf.d"};
  std::map<std::string, std::string_view> directory_of;
  for (const std::string_view directory : kDirectories) {
    for (const std::string& name : files.names(std::string(directory), ".conf")) {
      directory_of[name] = directory;
    }
  }
  for (const std::string_view directory : kDirectories) {
    if (directory.starts_with("/etc")) {
      if (const auto main = files.read("/etc/NetworkManager/NetworkManager.conf")) add(*main);
    }
    for (const auto& [name, where] : directory_of) {
      if (where != directory) continue;
      if (const auto file = files.read(cat(directory, "/", name))) add(*file);
    }
  }
}

void NetworkManagerConf::add(const conf::FoundFile& file) {
  std::vector<Section> sections;
  for (conf::IniLine& line : conf::read_ini(file.text)) {
    auto section = std::ranges::find(sections, line.section, &Section::name);
    if (section == sections.end()) section = sections.insert(section, Section{line.section, {}});
    section->lines.push_back({std::move(line), file.path});
  }
  files_.push_back(std::move(sections));
}

const NetworkManagerConf::Line* NetworkManagerConf::last(std::string_view section,
                                                         std::string_view key) const {
  const Line* found = nullptr;
  for (const auto& file : files_) {
    for (const Section& one : file) {
      if (one.name != section) continue;
      for (const Line& line : one.lines) {
        if (line.key == key) found = &line;
      }
    }
  }
  return found;
}

/// NetworkManager.conf(5): later files come first, within a file the order is from the top, and the
/// section without a name of its own is last. match-device selects devices; stop-match ends the
/// search.
const NetworkManagerConf::Line* NetworkManagerConf::for_link(std::string_view prefix,
                                                             std::string_view key,
                                                             const Link& link) const {
  std::vector<const Section*> sections;
  for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
    for (const Section& section : *file) {
      if (section.name.starts_with(prefix) && section.name != prefix) sections.push_back(&section);
    }
  }
  for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
    for (const Section& section : *file) {
      if (section.name == prefix) sections.push_back(&section);
    }
  }
  const auto value = [](const Section& section, std::string_view name) {
    const Line* found = nullptr;
    for (const Line& line : section.lines) {
      if (line.key == name) found = &line;
    }
    return found;
  };
  for (const Section* section : sections) {
    const Line* device = value(*section, "match-device");
    if (device && !in_device_list(device->value, link)) continue;
    if (const Line* found = value(*section, key)) return found;
    const Line* stop = value(*section, "stop-match");
    if (stop && parse_boolean(stop->value) == true) return nullptr;
  }
  return nullptr;
}

bool NetworkManagerConf::manages(const Link& link) const {
  // "key+=" adds to the list instead of replacing it.
  for (const char* key : {"unmanaged-devices", "unmanaged-devices+"}) {
    const Line* unmanaged = last("keyfile", key);
    if (unmanaged && in_device_list(unmanaged->value, link)) return false;
  }
  const Line* managed = for_link("device", "managed", link);
  return !managed || parse_boolean(managed->value) != false;
}

bool NetworkManagerConf::has_plugin(std::string_view name) const {
  const Line* plugins = last("main", "plugins");
  if (!plugins) return false;
  return std::ranges::any_of(split(plugins->value, ','),
                             [&](std::string_view one) { return trim(one) == name; });
}

}  // namespace nettune::owners
