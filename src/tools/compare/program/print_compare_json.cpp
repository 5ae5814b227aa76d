// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/node_set.hpp"
#include "base/version.hpp"
#include "tools/compare/program/compare_command.hpp"

namespace nettune::tools::compare::program {

namespace {

using compare::Fleet;
using Json = nlohmann::ordered_json;

Json names_json(const Fleet& fleet, const std::vector<std::uint32_t>& nodes) {
  Json names = Json::array();
  for (const std::uint32_t node : nodes) names.push_back(fleet.nodes()[node].name);
  return names;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json finding_json(const Fleet& fleet, const Finding& finding) {
  Json others = Json::array();
  for (const compare::Holders& one : finding.others)
    others.push_back({{"value", one.value}, {"nodes", names_json(fleet, one.nodes)}});
  return {{"kind", compare::kind_word(finding.kind)},
          {"cost", compare::cost_word(finding.cost)},
          {"paths", finding.paths},
          {"why", text_or_null(finding.why)},
          {"group", finding.group < 0 ? Json(nullptr) : Json(finding.group)},
          {"majority", finding.majority_count == 0 ? Json(nullptr)
                                                   : Json({{"value", finding.majority},
                                                           {"count", finding.majority_count}})},
          {"others", std::move(others)},
          {"consequences", finding.consequences}};
}

Json files_json(const std::vector<Unread>& files) {
  Json out = Json::array();
  for (const Unread& one : files) {
    Json file = {{"file", one.file}, {"why", one.why}};
    if (!one.node.empty()) file["node"] = one.node;
    out.push_back(std::move(file));
  }
  return out;
}

Json explained_json(const Explained& explained) {
  Json found = Json::array();
  for (const Correlation& one : explained.found)
    found.push_back({{"values", one.values},
                     {"slow_with", one.slow_with},
                     {"slow", one.slow},
                     {"others_with", one.others_with},
                     {"others", one.others},
                     {"p", one.p},
                     {"p_adjusted", one.p_adjusted}});
  return {{"slow", explained.slow},
          {"nodes", explained.nodes},
          {"tested", explained.tested},
          {"without_facts", explained.unknown},
          {"correlations", std::move(found)}};
}

}  // namespace

std::string json::comparison(const Fleet& fleet, const compare::Comparison& comparison,
                             const Explained* explained) {
  Json groups = Json::array();
  for (const Group& group : comparison.groups)
    groups.push_back({{"what", group.what},
                      {"nodes", names_json(fleet, group.nodes)},
                      {"identifying_paths", group.identifying}});
  Json findings = Json::array();
  for (const Finding& finding : comparison.findings)
    findings.push_back(finding_json(fleet, finding));
  const Json document = {{"schema", 1},
                         {"kind", "compare"},
                         {"nettune", NETTUNE_VERSION},
                         {"build", build_info()},
                         {"nodes", fleet.nodes().size()},
                         {"deviating", comparison.deviating},
                         {"alone", names_json(fleet, comparison.alone)},
                         {"groups", std::move(groups)},
                         {"findings", std::move(findings)},
                         {"explained", explained ? explained_json(*explained) : Json(nullptr)},
                         {"twice", files_json(fleet.twice())},
                         {"unread", files_json(fleet.unread())}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::compare::program
