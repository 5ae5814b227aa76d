// SPDX-License-Identifier: Apache-2.0
#include "cli/print_json.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/utc.hpp"
#include "facts/json.hpp"
#include "node/words.hpp"

namespace nettune::cli::json {

namespace {

using Json = nlohmann::ordered_json;

Json envelope(std::string_view kind) {
  return Json{{"schema", 1}, {"kind", kind}, {"nettune", NETTUNE_VERSION}};
}

std::string text(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string line(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json value(const Value& value) { return value ? Json(*value) : Json(nullptr); }

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json origin_json(const Origin& origin) {
  return Json{{"file", text_or_null(origin.file)}, {"line", origin.line}};
}

std::string_view presence_text(Presence presence) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "present", "absent", "missing", "not_yet", "not_applicable", "not_permitted", "unknown"};
  return kNames.at(static_cast<std::size_t>(presence));
}

std::string_view relation_word(Relation relation) {
  static constexpr std::array<std::string_view, 3> kNames = {"exact", "at_least", "at_most"};
  return kNames.at(static_cast<std::size_t>(relation));
}

std::string_view code_text(Errc code) {
  static constexpr std::array<std::string_view, 9> kNames = {"invalid",  "not_found", "unsupported",
                                                             "denied",   "busy",      "io",
                                                             "no_space", "conflict",  "corrupt"};
  return kNames.at(static_cast<std::size_t>(code));
}

std::string_view outcome_text(Outcome outcome) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "unchanged", "committed",   "waiting",    "refused",
      "failed",    "rolled_back", "incomplete", "abandoned"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

std::string_view journal_text(JournalStatus::Kind kind) {
  static constexpr std::array<std::string_view, 5> kNames = {"none", "open", "awaiting_confirm",
                                                             "committed", "corrupt"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Json time_json(std::int64_t seconds) { return text_or_null(utc_text(seconds)); }

Json setting_json(const Setting& setting) {
  return Json{{"address", setting.address.text},
              {"relation", relation_word(setting.relation)},
              {"want", value(setting.want)},
              {"optional", setting.optional},
              {"nearest", setting.nearest},
              {"same_on_all_nodes", setting.same_on_all_nodes},
              {"device", text_or_null(setting.device)},
              {"origin", origin_json(setting.origin)}};
}

Json item_json(const PlanItem& item) {
  Json touches = Json::array();
  for (const Witness& witness : item.effects.touches)
    touches.push_back({{"address", witness.address.text},
                       {"predicted", value(witness.predicted)},
                       {"why", witness.why}});
  Json json = setting_json(item.setting);
  json["role"] = item.role == PlanItem::Role::set ? "set" : "give_back";
  json["now"] = {{"presence", presence_text(item.now.presence)},
                 {"text", item.now.text.empty() && item.now.presence != Presence::present
                              ? Json(nullptr)
                              : Json(item.now.text)},
                 {"why", text_or_null(item.now.why)}};
  json["verdict"] = text::schema_word(verdict_text(item.verdict));
  json["writes"] = item.to_write();
  json["after"] = item.to_write() ? value(item.after) : Json(nullptr);
  json["impact"] = text::schema_word(impact_text(item.effects.impact));
  json["undo"] = undo_text(item.effects.undo);
  json["residue"] = text_or_null(item.effects.residue);
  json["lifetime"] = lifetime_text(item.lifetime);
  json["takes_effect"] = text_or_null(item.effects.note);
  json["touches"] = std::move(touches);
  json["unit"] = item.unit;
  json["refused"] = text_or_null(item.refused);
  return json;
}

Json claims_json(const std::vector<Claim>& claims) {
  Json json = Json::array();
  for (const Claim& claim : claims)
    json.push_back({{"address", claim.address.text},
                    {"owner", claim.owner},
                    {"file", text_or_null(claim.file)},
                    {"line", claim.line},
                    {"value", claim.value},
                    {"wins", claim.wins},
                    {"undoes", claim.undoes},
                    {"text", claim.text}});
  return json;
}

Json passages_json(const std::vector<checks::Passage>& passages) {
  Json json = Json::array();
  for (const checks::Passage& passage : passages)
    json.push_back({{"name", passage.name},
                    {"traffic", passage.traffic},
                    {"verdict", text::schema_word(checks::passage_text(passage.verdict.passage))},
                    {"where", text_or_null(passage.verdict.where)},
                    {"why", text_or_null(passage.verdict.why)},
                    {"owner", text_or_null(passage.verdict.owner)},
                    {"packet", text_or_null(passage.verdict.packet)},
                    {"remedy", text_or_null(checks::remedy_of(passage.verdict))},
                    {"origin", origin_json(passage.origin)}});
  return json;
}

Json counts_json(const Plan& plan) {
  Json counts = Json::object();
  for (const Verdict verdict :
       {Verdict::in_sync, Verdict::different, Verdict::missing, Verdict::not_yet,
        Verdict::not_applicable, Verdict::not_permitted, Verdict::left, Verdict::unknown})
    counts[text::schema_word(verdict_text(verdict))] = plan.count(verdict);
  return counts;
}

Json warnings_json(const Plan& plan, const std::vector<Warning>& others = {}) {
  Json json = Json::array();
  const auto add = [&](const Address& address, const std::string& why, const Origin& origin) {
    json.push_back({{"address", address.text}, {"why", why}, {"origin", origin_json(origin)}});
  };
  for (const PlanItem& item : plan.items)
    if (item.warns()) add(item.setting.address, item.now.why, item.setting.origin);
  for (const Warning& other : others) add(other.address, other.why, other.origin);
  return json;
}

Json plan_json(const Planned& planned, const std::map<std::string, std::string>& set) {
  Json items = Json::array();
  for (const PlanItem& item : planned.plan.items) items.push_back(item_json(item));
  return Json{{"profile", planned.plan.profile},
              {"set", Json(set)},
              {"digest", planned.plan.digest()},
              {"writes", planned.plan.writes()},
              {"record_only", planned.record_only},
              {"misfits", planned.resolved.misfits},
              {"cautions", planned.resolved.cautions},
              {"sets", Json(planned.resolved.sets)},
              {"counts", counts_json(planned.plan)},
              {"warnings", warnings_json(planned.plan, planned.of_variables)},
              {"items", std::move(items)},
              {"claims", claims_json(planned.plan.claims)},
              {"passages", passages_json(planned.passages)},
              {"notes", planned.plan.notes}};
}

Json steps_json(const std::vector<Step>& steps) {
  Json json = Json::array();
  for (const Step& step : steps)
    json.push_back({{"address", step.address.text},
                    {"before", value(step.before)},
                    {"wanted", value(step.wanted)},
                    {"now", value(step.now)},
                    {"text", text_or_null(step.text)}});
  return json;
}

Json debts_json(const Debts& debts) {
  Json json = Json::array();
  for (const Debt& debt : without_side_effects(debts))
    json.push_back({{"address", debt.owed.address.text},
                    {"device", debt.owed.device},
                    {"value", value(debt.value())},
                    {"left_at", value(debt.owed.committed)},
                    {"role", debt.to_set ? "set" : "give_back"},
                    {"reason", debt.reason}});
  return json;
}

Json error_json(const Error& error) {
  return Json{{"code", code_text(error.code)},
              {"text", error.text},
              {"errno", error.sys},
              {"file", text_or_null(error.file)},
              {"line", error.line}};
}

Json report_json(const std::optional<Report>& report) {
  if (!report) return nullptr;
  return Json{{"outcome", outcome_text(report->outcome)},
              {"generation", report->generation ? Json(report->generation) : Json(nullptr)},
              {"written", steps_json(report->written)},
              {"restored", steps_json(report->restored)},
              {"not_restored", steps_json(report->not_restored)},
              {"left", steps_json(report->left)},
              {"debts", debts_json(report->debts)},
              {"error", report->error ? error_json(*report->error) : Json(nullptr)},
              {"notes", report->notes}};
}

Json transaction_json(const Transaction& transaction) {
  Json records = Json::array();
  for (const Record& record : transaction.records)
    records.push_back({{"address", record.address.text},
                       {"before", value(record.before)},
                       {"after", value(record.after)},
                       {"moved_along_with", text_or_null(record.cause.text)}});
  const char* const result = transaction.damaged     ? "damaged"
                             : transaction.aborted   ? "aborted"
                             : transaction.committed ? "committed"
                                                     : "unfinished";
  return Json{{"number", transaction.number},
              {"id", transaction.id},
              {"action", transaction.action},
              {"profile", text_or_null(transaction.profile)},
              {"set", Json(transaction.vars)},
              {"time", time_json(transaction.identity.time_s)},
              {"who", transaction.identity.who},
              {"kernel", transaction.identity.kernel},
              {"boot_id", transaction.identity.boot_id},
              {"image", transaction.image},
              {"result", result},
              {"reason", text_or_null(transaction.reason)},
              {"settings", transaction.settings.size()},
              {"changes", std::move(records)}};
}

Json hold_json(const std::optional<Hold>& hold) {
  if (!hold) return nullptr;
  return Json{
      {"who", hold->who}, {"since", time_json(hold->since_s)}, {"why", text_or_null(hold->why)}};
}

Json damaged_json(const std::vector<Unreadable>& damaged) {
  Json reasons = Json::array();
  for (const Unreadable& one : damaged) reasons.push_back(one.why);
  return reasons;
}

Json state_json(const StateView& state) {
  return Json{
      {"directory", state.directory},
      {"unreadable", text_or_null(state.unreadable)},
      {"volatile", text_or_null(state.volatile_reason)},
      {"foreign_machine_id", value(state.foreign)},
      {"journal", journal_text(state.journal.kind)},
      {"at_work", value(state.at_work)},
      {"confirm_seconds_left", state.confirm_left_s ? Json(*state.confirm_left_s) : Json(nullptr)},
      {"temporary", state.confirm_left_s && state.journal.transaction.temporary},
      {"waiting_profile",
       state.confirm_left_s ? text_or_null(state.journal.transaction.profile) : Json(nullptr)},
      {"active_generation", state.active ? Json(state.active->number) : Json(nullptr)},
      {"active_profile", state.active ? text_or_null(state.active->profile) : Json(nullptr)},
      {"damaged", damaged_json(state.damaged)},
      {"debts", debts_json(state.debts)},
      {"debts_unreadable", text_or_null(state.debts_unreadable)},
      {"hold", hold_json(state.hold)}};
}

}  // namespace

namespace {

/// The format that parse_recorded_values() reads.
Json value_of(const Reading& reading) {
  if (reading.presence == Presence::present) return reading.text;
  if (reading.presence == Presence::absent) return nullptr;
  Json value = {{"presence", presence_text(reading.presence)}, {"why", reading.why}};
  if (!reading.text.empty()) value["text"] = reading.text;
  return value;
}

}  // namespace

std::string error(const Error& error, Exit exit) {
  Json document = envelope("error");
  document["error"] = error_json(error);
  document["exit"] = static_cast<int>(exit);
  return text(document);
}

std::string list(const std::vector<Match>& profiles, bool known) {
  Json document = envelope("list");
  document["profiles"] = Json::array();
  for (const Match& match : profiles) {
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

std::string recommend(const std::vector<Match>& matches) {
  Json document = envelope("recommend");
  document["recommended"] = nullptr;
  if (!matches.empty() && matches.front().matches && matches.front().cautions.empty())
    document["recommended"] = matches.front().listed.name;
  document["profiles"] = Json::array();
  for (const Match& match : matches)
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

std::string facts(const facts::Facts& facts, const RecordedValues& values) {
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

std::string env(const JobEnvironment& environment) {
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

std::string plan(const Planned& planned, const std::map<std::string, std::string>& set,
                 const StateView& state, const std::string& refused) {
  Json document = envelope("plan");
  document.update(plan_json(planned, set));
  document["refused"] = text_or_null(refused);
  // A recorded node has no state here.
  document["state"] = state.directory.empty() ? Json(nullptr) : state_json(state);
  return text(document);
}

std::string changed(const std::string& command, const Changed& changed,
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

void add_drift(const Checked& checked, Json& document) {
  Json drift = Json::array();
  if (checked.held)
    for (const PlanItem& item : not_in_sync(*checked.held)) drift.push_back(item_json(item));
  document["not_in_sync"] = std::move(drift);
  document["passages"] = passages_json(checked.passages);
  document["warnings"] = checked.held ? warnings_json(checked.held->plan) : Json::array();
}

Json check_json(const Checked& checked) {
  Json document = envelope("check");
  document["settings"] =
      checked.held && checked.state.active ? checked.state.active->settings.size() : 0;
  add_drift(checked, document);
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
  document["state"] = state_json(checked.state);
  return document;
}

}  // namespace

std::string check(const Checked& checked) { return text(check_json(checked)); }

std::string confirmed(const Report& report, const Checked& checked) {
  Json document = envelope("confirm");
  document["report"] = report_json(report);
  add_drift(checked, document);
  return text(document);
}

std::string check_line(const Checked& checked) { return line(check_json(checked)); }

std::string history(const std::vector<Transaction>& transactions, const StateView& state) {
  Json document = envelope("history");
  document["transactions"] = Json::array();
  for (const Transaction& transaction : transactions)
    document["transactions"].push_back(transaction_json(transaction));
  document["state"] = state_json(state);
  return text(document);
}

std::string status(const StateView& state, const std::vector<std::string>& sources_moved) {
  Json document = envelope("status");
  document["state"] = state_json(state);
  document["active"] = state.active ? transaction_json(*state.active) : Json(nullptr);
  document["unfinished"] = state.journal.kind == JournalStatus::Kind::none
                               ? Json(nullptr)
                               : transaction_json(state.journal.transaction);
  document["sources_moved"] = sources_moved;
  document["notes"] = state.notes();
  return text(document);
}

std::string hold(std::string_view kind, const std::optional<Hold>& hold) {
  Json document = envelope(kind);
  document["hold"] = hold_json(hold);
  return text(document);
}

std::string diff(const std::string& profile, const std::vector<Difference>& differences,
                 const std::vector<checks::Passage>& passages,
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
