// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "base/metrics.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "tools/doctor/program/print_doctor.hpp"

namespace nettune::tools::doctor::program {

namespace json {

namespace {

using checks::Opinion;
using doctor::Finding;
using Json = nlohmann::ordered_json;

constexpr std::array kSurenessWords = {"measured", "read", "inferred"};
constexpr std::array kOpinions = {Opinion::fault,         Opinion::advice,
                                  Opinion::good,          Opinion::unknown,
                                  Opinion::not_permitted, Opinion::not_applicable};

std::string word(std::string_view text) {
  std::string name(text);
  std::ranges::replace(name, ' ', '_');
  return name;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json finding_json(const Diagnosis& diagnosis, const Finding& finding) {
  Json cause = nullptr;
  if (finding.explained_by) {
    const Finding& by = diagnosis.judged.findings[*finding.explained_by];
    cause = {{"rule", by.rule->id}, {"device", text_or_null(by.seen.device)}};
  }
  return {{"rule", finding.rule->id},
          {"verdict", word(opinion_text(finding.opinion))},
          {"device", text_or_null(finding.seen.device)},
          {"looks_at", finding.rule->looks_at},
          {"value", finding.seen.value ? Json(*finding.seen.value) : Json(nullptr)},
          {"seen", finding.text},
          {"sureness", kSurenessWords.at(static_cast<std::size_t>(finding.seen.sureness))},
          {"costs", checks::kCosts.word(finding.rule->cost)},
          {"why", finding.rule->why},
          {"remedy", remedy_of(diagnosis, finding)},
          {"undo", text_or_null(finding.rule->undo)},
          {"source", finding.rule->source},
          {"explained_by", cause},
          {"ignored", text_or_null(finding.ignored)}};
}

std::string dumped(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string doctor(const Diagnosis& diagnosis) {
  Json counts = Json::object();
  for (const Opinion opinion : kOpinions)
    counts[word(opinion_text(opinion))] = diagnosis.judged.count(opinion);
  counts["ignored"] = diagnosis.judged.ignored();
  Json findings = Json::array();
  for (const Finding& finding : diagnosis.judged.findings)
    findings.push_back(finding_json(diagnosis, finding));
  Json order = Json::array();
  Json first = nullptr;
  for (const Group& group : groups_of(diagnosis.judged)) {
    if (order.empty())
      first = {{"rule", group.rule->id},
               {"device", text_or_null(group.findings.front()->seen.device)},
               {"action", first_action(diagnosis, group)}};
    order.push_back(group.rule->id);
  }
  Json open = Json::array();
  for (const std::size_t index : diagnosis.decision.open) {
    const Finding& finding = diagnosis.judged.findings[index];
    open.push_back({{"rule", finding.rule->id},
                    {"device", text_or_null(finding.seen.device)},
                    {"why", finding.text}});
  }
  Json notes = diagnosis.judged.notes;
  for (const std::string& note : diagnosis.machine.notes) notes.push_back(note);
  return dumped({{"schema", 1},
                 {"kind", "doctor"},
                 {"nettune", NETTUNE_VERSION},
                 {"build", build_info()},
                 {"node", text_or_null(diagnosis.machine.facts.node.hostname)},
                 {"release", text_or_null(diagnosis.machine.release)},
                 {"ready", diagnosis.decision.verdict == Verdict::ready},
                 {"verdict", word(verdict_text(diagnosis.decision.verdict))},
                 {"undecided", open},
                 {"demand", text_or_null(diagnosis.demand)},
                 {"first", first},
                 {"order", order},
                 {"counts", counts},
                 {"findings", findings},
                 {"notes", notes},
                 {"took_ms", diagnosis.took_ms}});
}

std::string doctor_rules(const std::vector<checks::Rule>& rules) {
  Json list = Json::array();
  for (const checks::Rule& rule : rules)
    list.push_back({{"rule", rule.id},
                    {"looks_at", rule.looks_at},
                    {"severity", rule.is_fault ? "fault" : "advice"},
                    {"costs", checks::kCosts.word(rule.cost)},
                    {"needs", rule.needs},
                    {"why", rule.why},
                    {"remedy", rule.remedy.text("", "")},
                    {"undo", text_or_null(rule.undo)},
                    {"explains", rule.explains},
                    {"demanded_by", rule.demanded_by},
                    {"setting", rule.setting},
                    {"source", rule.source}});
  return dumped({{"schema", 1},
                 {"kind", "doctor-rules"},
                 {"nettune", NETTUNE_VERSION},
                 {"build", build_info()},
                 {"rules", list}});
}

}  // namespace json

std::string doctor_metrics(const Diagnosis& diagnosis, std::int64_t time_s) {
  using checks::Opinion;
  Metrics metrics("doctor");
  metrics.add("nettune_doctor_timestamp_seconds", "When nettune doctor ran.", time_s);
  constexpr std::string_view kFindings = "nettune_doctor_findings";
  constexpr std::string_view kByVerdict = "Findings of nettune doctor by verdict.";
  for (const Opinion opinion : {Opinion::good, Opinion::advice, Opinion::fault, Opinion::unknown,
                                Opinion::not_permitted, Opinion::not_applicable})
    metrics.add(kFindings, kByVerdict, diagnosis.judged.count(opinion),
                {{"verdict", opinion_text(opinion)}});
  metrics.add(kFindings, kByVerdict, diagnosis.judged.ignored(), {{"verdict", "ignored"}});
  for (const doctor::Finding& finding : diagnosis.judged.findings)
    if (finding.is_bad())
      metrics.add("nettune_doctor_finding", "A fault or advice; 1 while it is present.", 1,
                  {{"rule", finding.rule->id},
                   {"device", finding.seen.device},
                   {"verdict", opinion_text(finding.opinion)}});
  metrics.add_seconds("nettune_doctor_seconds", "How long the check took.", diagnosis.took_ms);
  return metrics.text();
}

}  // namespace nettune::tools::doctor::program
