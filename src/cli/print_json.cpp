// SPDX-License-Identifier: Apache-2.0
#include "cli/print_json.hpp"

#include <ctime>

#include "cli/json_values.hpp"
#include "facts/json.hpp"
#include "node/reboot_owed.hpp"

namespace nettune::cli::json {

namespace {

/// The format that parse_recorded_values() reads.
Json value_of(const Reading& reading) {
  if (reading.presence == Presence::present) return reading.text;
  if (reading.presence == Presence::absent) return nullptr;
  Json value = {{"presence", kPresences.word(reading.presence)}, {"why", reading.why}};
  if (!reading.text.empty()) value["text"] = reading.text;
  return value;
}

}  // namespace

std::string error(const Error& error, node::Exit exit) {
  Json document = envelope("error");
  document["error"] = error_json(error);
  document["exit"] = static_cast<int>(exit);
  return text(document);
}

std::string list(const std::vector<node::Match>& profiles, bool known) {
  Json document = envelope("list");
  document["profiles"] = Json::array();
  for (const node::Match& match : profiles) {
    const profile::Listed& listed = match.listed;
    const bool judged = known && listed.error.empty();
    document["profiles"].push_back({{"name", listed.name},
                                    {"summary", listed.summary},
                                    {"file", listed.file},
                                    {"shadows", text_or_null(listed.shadows)},
                                    {"error", text_or_null(listed.error)},
                                    {"matches", judged ? Json(match.matches) : Json(nullptr)}});
  }
  return text(document);
}

std::string recommend(const std::vector<node::Match>& matches) {
  Json document = envelope("recommend");
  document["recommended"] = nullptr;
  if (!matches.empty() && matches.front().matches && matches.front().cautions.empty())
    document["recommended"] = matches.front().listed.name;
  document["profiles"] = Json::array();
  for (const node::Match& match : matches)
    document["profiles"].push_back({{"name", match.listed.name},
                                    {"summary", match.listed.summary},
                                    {"file", match.listed.file},
                                    {"matches", match.matches},
                                    {"misfits", match.misfits},
                                    {"cautions", match.cautions},
                                    {"sets", Json(match.sets)},
                                    {"settings", match.settings}});
  return text(document);
}

std::string facts(const facts::Facts& facts, const node::RecordedValues& values) {
  Json document = envelope("facts");
  // The document that from_json() reads, in the envelope.
  const Json plain = Json::parse(facts::to_json(facts), nullptr, false);
  if (plain.is_object()) document.update(plain);
  for (const auto& [address, reading] : values)
    document["values"][address.text] = value_of(reading);
  return text(document);
}

std::string show(const profile::Resolved& resolved) {
  Json document = envelope("show");
  document["profile"] = resolved.desired.profile;
  document["sets"] = Json(resolved.sets);
  document["misfits"] = resolved.misfits;
  document["cautions"] = resolved.cautions;
  document["values"] = Json::array();
  for (const profile::Shown& shown : resolved.shown) {
    document["values"].push_back({{"section", shown.section},
                                  {"key", shown.key},
                                  {"value", shown.value},
                                  {"origin", origin_json(shown.origin)}});
    if (!shown.why.empty()) document["values"].back()["why"] = shown.why;
  }
  document["settings"] = Json::array();
  for (const Setting& setting : resolved.desired.settings)
    document["settings"].push_back(setting_json(setting));
  document["sources"] = Json::array();
  for (const Source& source : resolved.desired.sources)
    document["sources"].push_back({{"path", source.path}, {"sha256", source.digest}});
  document["notes"] = resolved.desired.notes;
  return text(document);
}

std::string env(const node::JobEnvironment& environment) {
  Json document = envelope("env");
  document["profile"] = environment.profile;
  document["variables"] = Json::array();
  for (const JobVariable& variable : environment.variables)
    document["variables"].push_back({{"name", variable.name},
                                     {"value", variable.value},
                                     {"of_this_node", variable.of_this_node},
                                     {"same_on_all_nodes", variable.same_on_all_nodes},
                                     {"origin", origin_json(variable.origin)}});
  document["notes"] = environment.notes;
  return text(document);
}

std::string plan(const node::Planned& planned, const std::map<std::string, std::string>& set,
                 const node::StateView& state, const std::string& refused) {
  Json document = envelope("plan");
  document.update(plan_json(planned, set));
  document["refused"] = text_or_null(refused);
  // A recorded node has no state here.
  document["state"] = state.directory.empty() ? Json(nullptr) : state_json(state);
  return text(document);
}

std::string changed(const std::string& command, const node::Changed& changed,
                    const std::map<std::string, std::string>& set) {
  Json document = envelope(command);
  document["refused"] = text_or_null(changed.refused);
  document["recovered"] = report_json(changed.recovered);
  document["report"] = report_json(changed.report);
  document["passages"] = passages_json(changed.passages);
  document["notes"] = changed.notes;
  document["plan"] = changed.planned ? plan_json(*changed.planned, set) : Json(nullptr);
  document["state"] = state_json(changed.state);
  return text(document);
}

std::string outcome(const std::string& command, const std::optional<Report>& report) {
  Json document = envelope(command);
  document["report"] = report_json(report);
  return text(document);
}

namespace {

/// The findings of a chain or a switch.
Json port_json(const auto& port) {
  Json findings = Json::array();
  for (const checks::Finding& finding : port.findings)
    findings.push_back(
        {{"where", finding.where}, {"problem", finding.problem}, {"remedy", finding.remedy}});
  return {{"interface", port.interface}, {"text", port.text}, {"findings", findings}};
}

void add_drift(const node::check::Checked& checked, Json& document) {
  Json drift = Json::array();
  if (checked.held)
    for (const PlanItem& item : node::not_in_sync(*checked.held)) drift.push_back(item_json(item));
  document["not_in_sync"] = std::move(drift);
  document["passages"] = passages_json(checked.passages);
  document["warnings"] = checked.held ? warnings_json(checked.held->plan) : Json::array();
}

Json awaited_json(const std::vector<node::Awaited>& awaited) {
  Json json = Json::array();
  for (const node::Awaited& one : awaited)
    json.push_back({{"setting", one.address.text},
                    {"written", value(one.written)},
                    {"state", node::kAwaitedStates.word(one.state)},
                    {"takes_effect", one.when},
                    {"shown_by", one.shown_by},
                    {"since_s", one.since_s > 0 ? Json(one.since_s) : Json(nullptr)},
                    {"origin", origin_json(one.origin)}});
  return json;
}

Json check_json(const node::check::Checked& checked) {
  Json document = envelope("check");
  document["settings"] =
      checked.held && checked.state.active ? checked.state.active->settings.size() : 0;
  add_drift(checked, document);
  document["not_in_effect"] = awaited_json(checked.awaited);
  document["chains"] = Json::array();
  for (const checks::Chain& chain : checked.chains) document["chains"].push_back(port_json(chain));
  document["switches"] = Json::array();
  for (const checks::SwitchHalf& half : checked.switches) {
    Json port = port_json(half);
    port["known"] = half.known;
    document["switches"].push_back(std::move(port));
  }
  document["advice"] = Json::array();
  for (const checks::Advice& advice : checked.advice)
    document["advice"].push_back({{"rule", advice.rule},
                                  {"device", advice.device},
                                  {"opinion", opinion_text(advice.opinion)},
                                  {"seen", advice.seen},
                                  {"why", advice.why},
                                  {"remedy", advice.remedy},
                                  {"source", advice.source}});
  document["notes"] = checked.notes;
  document["sources_moved"] = checked.sources_moved;
  document["skipped"] = text_or_null(checked.skipped);
  document["verdict"] = node::check::kStandings.word(checked.standing());
  document["state"] = state_json(checked.state);
  return document;
}

}  // namespace

namespace {

/// The file's document, and how far it may be believed.
Json summary_json(const node::Summary& summary, const std::string& stale) {
  Json document = Json::parse(node::summary_text(summary), nullptr, false);
  document["age_s"] = std::time(nullptr) - summary.time_s;
  document["stale"] = text_or_null(stale);
  return document;
}

}  // namespace

std::string check(const node::check::Checked& checked) { return text(check_json(checked)); }

std::string confirmed(const Report& report, const node::check::Checked& checked) {
  Json document = envelope("confirm");
  document["report"] = report_json(report);
  add_drift(checked, document);
  return text(document);
}

std::string boot_trial(const node::BootTrial& trial) {
  Json document = envelope("confirm-boot");
  document["state"] = node::kBootTrialStates.word(trial.state);
  document["text"] = trial.text;
  return text(document);
}

std::string check_line(const node::check::Checked& checked) { return line(check_json(checked)); }

std::string cached(const node::Summary& summary, const std::string& stale) {
  return text(summary_json(summary, stale));
}

std::string history(const std::vector<Transaction>& transactions, const node::StateView& state,
                    const node::Summary* summary, const std::string& stale) {
  Json document = envelope("history");
  document["transactions"] = Json::array();
  for (const Transaction& transaction : transactions)
    document["transactions"].push_back(transaction_json(transaction));
  document["state"] = state_json(state);
  document["summary"] = summary ? summary_json(*summary, stale) : Json(nullptr);
  return text(document);
}

namespace {

Json unit_json(const node::OwnUnit& unit) {
  return {{"enabled", unit.enabled}, {"state", text_or_null(unit.state)}};
}

}  // namespace

std::string status(const node::StateView& state, const std::vector<std::string>& sources_moved,
                   const std::vector<node::Awaited>& awaited, const node::OwnUnits& units,
                   const node::Summary* summary, const std::string& stale) {
  Json document = envelope("status");
  document["state"] = state_json(state);
  document["active"] = state.active ? transaction_json(*state.active) : Json(nullptr);
  document["unfinished"] = state.journal.kind == JournalStatus::Kind::none
                               ? Json(nullptr)
                               : transaction_json(state.journal.transaction);
  document["sources_moved"] = sources_moved;
  document["not_in_effect"] = awaited_json(awaited);
  document["reboot_owed"] = Json::array();
  for (const Address& address : node::owed_to_reboot(awaited))
    document["reboot_owed"].push_back(address.text);
  document["notes"] = state.notes();
  document["units"] = units.systemd ? Json{{"nettune-apply.service", unit_json(units.boot)},
                                           {"nettune-check.timer", unit_json(units.timer)},
                                           {"nettune-watch.service", unit_json(units.watch)}}
                                    : Json(nullptr);
  document["summary"] = summary ? summary_json(*summary, stale) : Json(nullptr);
  return text(document);
}

std::string hold(std::string_view kind, const std::optional<Hold>& hold) {
  Json document = envelope(kind);
  document["hold"] = hold_json(hold);
  return text(document);
}

std::string diff(const std::string& profile, const std::vector<Difference>& differences,
                 const std::vector<firewall::RequiredTraffic>& passages,
                 const std::optional<Between>& between) {
  Json document = envelope("diff");
  document["profile"] = profile;
  if (between) document["between"] = {{"from", between->from}, {"to", between->to}};
  document["differences"] = Json::array();
  for (const Difference& difference : differences)
    document["differences"].push_back({{"address", difference.address.text},
                                       {"now", value(difference.now)},
                                       {"wanted", value(difference.wanted)},
                                       {"text", text_or_null(difference.text)},
                                       {"origin", origin_json(difference.origin)}});
  document["passages"] = passages_json(passages);
  return text(document);
}

}  // namespace nettune::cli::json
