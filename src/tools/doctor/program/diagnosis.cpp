// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/diagnosis.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.hpp"
#include "facts/parts.hpp"
#include "tools/doctor/fix.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor::program {

using doctor::Finding;

namespace {

/// The first cause in the chain of explanations.
const Finding& root_cause(const Judged& judged, const Finding& finding) {
  const Finding* at = &finding;
  while (at->explained_by) at = &judged.findings[*at->explained_by];
  return *at;
}

Group& group_of(std::vector<Group>& groups, const checks::Rule* rule) {
  const auto found = std::ranges::find(groups, rule, &Group::rule);
  return found == groups.end() ? groups.emplace_back(Group{rule, {}, {}}) : *found;
}

std::string remedy_text(const Diagnosis& diagnosis, const Finding& finding) {
  return finding.rule->remedy.text(diagnosis.machine.release, finding.seen.value.value_or(""));
}

std::string quoted(const std::string& name) { return name.empty() ? "" : shell_word(name); }

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Replaces the word wherever it is a whole word; not by "".
void put(std::string& text, std::string_view word, const std::string& name) {
  if (name.empty()) return;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    const std::size_t end = at + word.size();
    const bool whole =
        (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (whole) text.replace(at, word.size(), name);
    at += whole ? name.size() : word.size();
  }
}

/// The PCI address of the device that a finding is about; "" if it is not known.
std::string address_of(const Finding& finding, const doctor::Machine& machine) {
  std::vector<std::string> names = {finding.seen.device};
  names.insert(names.end(), finding.seen.concerns.begin(), finding.seen.concerns.end());
  for (const std::string& name : names) {
    const std::string_view last = std::string_view(name).substr(name.rfind(' ') + 1);
    if (facts::is_pci_address(last)) return std::string(last);
    for (const facts::RdmaDevice& device : machine.facts.rdma)
      if (device.name == name && facts::is_pci_address(device.pci_address))
        return device.pci_address;
  }
  return "";
}

}  // namespace

std::vector<Group> groups_of(const Judged& judged) {
  std::vector<Group> groups;
  for (const Finding& finding : judged.findings) {
    if (!finding.is_bad()) continue;
    Group& group = group_of(groups, root_cause(judged, finding).rule);
    (finding.explained_by ? group.effects : group.findings).push_back(&finding);
  }
  return groups;
}

std::string remedy_of(const Diagnosis& diagnosis, const Finding& finding) {
  std::string text = remedy_text(diagnosis, finding);
  const auto* const interface = interface_of(finding, diagnosis.machine);
  put(text, "INTERFACE", interface ? shell_word(interface->name) : "");
  const std::string address = address_of(finding, diagnosis.machine);
  put(text, "ADDRESS", address);
  const std::string& device = finding.seen.device;
  put(text, "DEVICE", device == doctor::gpu_name(address) ? device : quoted(device));
  put(text, "PROFILE", quoted(diagnosis.profile));
  return text;
}

std::vector<Action> actions_of(const Diagnosis& diagnosis, const Group& group) {
  std::vector<std::pair<std::string, std::vector<const Finding*>>> by_text;
  for (const Finding* const finding : group.findings) {
    const std::string text = remedy_text(diagnosis, *finding);
    const auto found = std::ranges::find(by_text, text, [](const auto& one) { return one.first; });
    if (found == by_text.end())
      by_text.push_back({text, {finding}});
    else
      found->second.push_back(finding);
  }
  std::vector<Action> actions;
  for (const auto& [text, findings] : by_text) {
    std::string who = findings.front()->seen.device;
    const std::size_t more = findings.size() - 1;
    if (!who.empty() && more > 0) who += cat(" and ", more, more == 1 ? " other" : " others");
    actions.push_back({std::move(who), remedy_of(diagnosis, *findings.front())});
  }
  return actions;
}

std::string first_action(const Diagnosis& diagnosis, const Group& group) {
  const Action action = actions_of(diagnosis, group).front();
  return action.who.empty() ? action.text : cat(action.who, ": ", action.text);
}

std::string device_and_text(const Finding& finding) {
  return finding.seen.device.empty() ? finding.text : cat(finding.seen.device, ": ", finding.text);
}

}  // namespace nettune::tools::doctor::program
