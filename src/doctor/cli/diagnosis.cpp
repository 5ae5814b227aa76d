// SPDX-License-Identifier: Apache-2.0
#include "doctor/cli/diagnosis.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "doctor/fix.hpp"

namespace nettune::cli {

using doctor::Finding;

namespace {

/// The first cause in the chain of explanations.
const Finding& root_cause(const doctor::Judged& judged, const Finding& finding) {
  const Finding* at = &finding;
  while (at->explained_by) at = &judged.findings[*at->explained_by];
  return *at;
}

Group& group_of(std::vector<Group>& groups, const checks::Rule* rule) {
  const auto found = std::ranges::find(groups, rule, &Group::rule);
  return found == groups.end() ? groups.emplace_back(Group{rule, {}, {}}) : *found;
}

}  // namespace

std::vector<Group> groups_of(const doctor::Judged& judged) {
  std::vector<Group> groups;
  for (const Finding& finding : judged.findings) {
    if (!finding.is_bad()) continue;
    Group& group = group_of(groups, root_cause(judged, finding).rule);
    (finding.explained_by ? group.effects : group.findings).push_back(&finding);
  }
  return groups;
}

std::string remedy_of(const Diagnosis& diagnosis, const Group& group) {
  std::string text = group.rule->remedy.text(diagnosis.machine.release);
  const auto put = [&](std::string_view word, const std::string& name) {
    for (std::size_t at = text.find(word); at != std::string::npos && !name.empty();
         at = text.find(word, at + name.size()))
      text.replace(at, word.size(), name);
  };
  if (group.findings.size() == 1) {
    put("DEVICE", group.findings.front()->seen.device);
    if (const auto* const interface = interface_of(*group.findings.front(), diagnosis.machine))
      put("INTERFACE", interface->name);
  }
  put("PROFILE", diagnosis.profile);
  return text;
}

std::string device_and_text(const Finding& finding) {
  return finding.seen.device.empty() ? finding.text : cat(finding.seen.device, ": ", finding.text);
}

}  // namespace nettune::cli
