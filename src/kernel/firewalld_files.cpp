// SPDX-License-Identifier: Apache-2.0
#include "kernel/firewalld_files.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::kernel {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
constexpr std::string_view kEnding = ".xml";

/// Debian's unit is wanted by multi-user.target (systemctl enable). A mask is a link to /dev/null.
bool starts_at_boot(const Directory& root) {
  if (!root.exists("usr/sbin/firewalld")) return false;
  for (const char* const unit :
       {"etc/systemd/system/firewalld.service", "run/systemd/system/firewalld.service"})
    if (root.link(unit) == "/dev/null") return false;
  return root.exists("etc/systemd/system/multi-user.target.wants/firewalld.service");
}

/// DefaultZone= of firewalld.conf, otherwise firewalld's own default (firewalld.conf(5)).
std::string default_zone(const Directory& root) {
  constexpr std::string_view kKey = "DefaultZone=";
  std::string zone = "public";
  const auto text = root.read("etc/firewalld/firewalld.conf", kMaxBytes);
  if (!text) return zone;
  for (const std::string_view line : split(*text, '\n')) {
    const std::string_view setting = trim(line);
    if (setting.starts_with(kKey)) zone = trim(setting.substr(kKey.size()));
  }
  return zone;
}

/// The next tag without its brackets, "" after the last. Comments are skipped.
std::string_view next_tag(std::string_view& xml) {
  while (true) {
    const std::size_t begin = xml.find('<');
    if (begin == xml.npos) return {};
    xml.remove_prefix(begin);
    const bool comment = xml.starts_with("<!--");
    const std::size_t end = xml.find(comment ? "-->" : ">");
    if (end == xml.npos) return {};
    const std::string_view tag = xml.substr(1, end - 1);
    xml.remove_prefix(end + 1);
    if (!comment && !tag.empty()) return tag;
  }
}

/// The quoted text after ` key=`; "" if it is not there.
std::string attribute(std::string_view tag, std::string_view key) {
  for (const char quote : {'"', '\''}) {
    const std::string begin = cat(' ', key, '=', quote);
    const std::size_t at = tag.find(begin);
    if (at == tag.npos) continue;
    tag.remove_prefix(at + begin.size());
    return std::string(tag.substr(0, tag.find(quote)));
  }
  return {};
}

void add(std::string text, std::vector<std::string>& list) {
  if (!text.empty()) list.push_back(std::move(text));
}

}  // namespace

FirewalldZone parse_firewalld_zone(std::string_view name, std::string_view xml) {
  FirewalldZone zone{std::string(name), "default", {}, {}};
  bool in_rule = false;  // a rule has a source of its own
  for (std::string_view tag = next_tag(xml); !tag.empty(); tag = next_tag(xml)) {
    std::string line(tag);
    std::ranges::replace_if(
        line, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    const std::string element = line.substr(0, line.find_first_of(" /", 1));
    if (element == "rule") in_rule = !line.ends_with('/');
    if (element == "/rule") in_rule = false;
    if (element == "zone" && !attribute(line, "target").empty())
      zone.target = attribute(line, "target");
    if (element == "interface") add(attribute(line, "name"), zone.interfaces);
    if (element != "source" || in_rule) continue;
    add(attribute(line, "address"), zone.sources);
    add(attribute(line, "mac"), zone.sources);
    if (const std::string set = attribute(line, "ipset"); !set.empty())
      zone.sources.push_back(cat("ipset:", set));
  }
  return zone;
}

std::optional<FirewalldState> firewalld_of_files(const Directory& root) {
  if (!starts_at_boot(root)) return std::nullopt;
  FirewalldState state;
  state.default_zone = default_zone(root);
  for (const char* const directory : {"etc/firewalld/zones", "usr/lib/firewalld/zones"}) {
    for (const std::string& file : root.list(directory)) {
      if (!file.ends_with(kEnding)) continue;
      const std::string name = file.substr(0, file.size() - kEnding.size());
      // The first of two with the same name counts.
      if (std::ranges::find(state.zones, name, &FirewalldZone::name) != state.zones.end()) continue;
      const auto xml = root.read(cat(directory, '/', file), kMaxBytes);
      if (xml) state.zones.push_back(parse_firewalld_zone(name, *xml));
    }
  }
  return state;
}

}  // namespace nettune::kernel
