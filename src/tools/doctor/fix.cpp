// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/fix.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {

const Observable kProfileMatches = observable("profile.matches");
const Observable kProfileSetting = observable("profile.setting");

namespace {

/// A name that is not a glob and needs no quotes.
bool is_plain(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

std::string replaced(std::string text, std::string_view word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
  return text;
}

void add_once(std::vector<std::string>& list, const std::string& one) {
  if (std::ranges::find(list, one) == list.end()) list.push_back(one);
}

/// The lines that resolve a finding; none if a person has to.
std::vector<std::string> lines_of(const Finding& finding, const Machine& machine) {
  std::vector<std::string> lines;
  for (const std::string& line : finding.rule->setting) {
    // [acs] takes isolation away; it is for a person to say that guests do not need it.
    if (line.starts_with("acs.") && !machine.facts.guests.empty()) return {};
    if (line.find("INTERFACE") == std::string::npos && line.find("SET") == std::string::npos) {
      lines.push_back(line);
      continue;
    }
    const facts::NetDevice* const interface = interface_of(finding, machine);
    if (!interface || !is_plain(interface->name)) return {};
    const std::string set = cat("if", interface->ifindex);
    lines.push_back(replaced(replaced(line, "INTERFACE", interface->name), "SET", set));
  }
  return lines;
}

}  // namespace

const facts::NetDevice* interface_of(const Finding& finding, const Machine& machine) {
  if (const facts::NetDevice* const own = machine.facts.find_net(finding.seen.device)) return own;
  for (const std::string& name : finding.seen.concerns)
    if (const facts::NetDevice* const found = machine.facts.find_net(name)) return found;
  return nullptr;
}

Fix fix_of(const Judged& judged, const Machine& machine, const std::string& name,
           const std::string& parent) {
  Fix fix;
  std::vector<std::string> lines;
  for (const Finding& finding : judged.findings) {
    // The parent profile resolves its own settings that do not hold.
    const bool by_parent = finding.rule->looks_at == kProfileSetting.name && !parent.empty();
    if (!finding.is_bad()) continue;
    const auto mending = lines_of(finding, machine);
    for (const std::string& line : mending) add_once(lines, line);
    add_once(mending.empty() && !by_parent ? fix.leaves : fix.mends, finding.rule->id);
  }
  std::erase_if(fix.leaves, [&](const std::string& rule) {
    return std::ranges::find(fix.mends, rule) != fix.mends.end();
  });
  if (fix.mends.empty()) return fix;
  fix.profile = cat("schema  = 1\nname    = \"", name, "\"\nsummary = \"What nettune doctor --fix ",
                    "found: ", join(fix.mends, ", "), "\"\n",
                    parent.empty() ? "" : cat("extends = [\"", parent, "\"]\n"), "\n");
  for (const std::string& line : lines) fix.profile += line + "\n";
  return fix;
}

}  // namespace nettune::tools::doctor
