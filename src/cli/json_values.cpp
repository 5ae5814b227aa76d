// SPDX-License-Identifier: Apache-2.0
#include "cli/json_values.hpp"

#include <array>

#include "base/text.hpp"
#include "base/utc.hpp"
#include "base/version.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::json {

Json envelope(std::string_view kind) {
  return Json{{"schema", 1}, {"kind", kind}, {"nettune", NETTUNE_VERSION}, {"build", build_info()}};
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

namespace {

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

}  // namespace

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
  json["now"] = {{"presence", kPresences.word(item.now.presence)},
                 {"text", item.now.text.empty() && item.now.presence != Presence::present
                              ? Json(nullptr)
                              : Json(item.now.text)},
                 {"why", text_or_null(item.now.why)}};
  json["verdict"] = node::schema_word(verdict_text(item.verdict));
  json["writes"] = item.to_write();
  json["after"] = item.to_write() ? value(item.after) : Json(nullptr);
  json["impact"] = node::schema_word(impact_text(item.effects.impact));
  json["undo"] = undo_text(item.effects.undo);
  json["residue"] = text_or_null(item.effects.residue);
  json["lifetime"] = lifetime_text(item.lifetime);
  json["takes_effect"] =
      text_or_null(item.effects.note.empty() ? item.takes_effect : item.effects.note);
  json["disturbs"] = text_or_null(item.effects.disturbs);
  json["no_effect"] = text_or_null(item.no_effect);
  json["touches"] = std::move(touches);
  json["unit"] = item.unit;
  json["refused"] = text_or_null(item.refused);
  return json;
}

namespace {

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

}  // namespace

Json passages_json(const std::vector<firewall::RequiredTraffic>& passages) {
  Json json = Json::array();
  for (const firewall::RequiredTraffic& passage : passages)
    json.push_back({{"name", passage.name},
                    {"traffic", passage.traffic},
                    {"verdict", node::schema_word(firewall::passage_text(passage.verdict.passage))},
                    {"where", text_or_null(passage.verdict.where)},
                    {"why", text_or_null(passage.verdict.why)},
                    {"owner", text_or_null(passage.verdict.owner)},
                    {"packet", text_or_null(passage.verdict.packet)},
                    {"remedy", text_or_null(firewall::remedy_of(passage.verdict))},
                    {"origin", origin_json(passage.origin)}});
  return json;
}

namespace {

Json counts_json(const Plan& plan) {
  Json counts = Json::object();
  for (const Verdict verdict : {Verdict::in_sync, Verdict::different, Verdict::missing,
                                Verdict::not_yet, Verdict::not_applicable, Verdict::not_permitted,
                                Verdict::left, Verdict::unknown, Verdict::refused})
    counts[node::schema_word(verdict_text(verdict))] = plan.count(verdict);
  return counts;
}

}  // namespace

Json warnings_json(const Plan& plan, const std::vector<node::Warning>& others) {
  Json json = Json::array();
  const auto add = [&](const Address& address, const std::string& why, const Origin& origin) {
    json.push_back({{"address", address.text}, {"why", why}, {"origin", origin_json(origin)}});
  };
  for (const PlanItem& item : plan.items)
    if (item.warns()) add(item.setting.address, item.now.why, item.setting.origin);
  for (const node::Warning& other : others) add(other.address, other.why, other.origin);
  return json;
}

Json plan_json(const node::Planned& planned, const std::map<std::string, std::string>& set) {
  Json taken_over = Json::array();
  for (const Address& address : planned.taken_over) taken_over.push_back(address.text);
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
              {"taken_over", std::move(taken_over)},
              {"notes", planned.plan.notes}};
}

namespace {

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

}  // namespace

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
  Json refused = Json::array();
  for (const auto& [address, refusal] : transaction.refused)
    refused.push_back(
        {{"address", address.text}, {"want", value(refusal.want)}, {"why", refusal.why}});
  const char* const result = transaction.damaged     ? "damaged"
                             : transaction.aborted   ? "aborted"
                             : transaction.committed ? "committed"
                                                     : "unfinished";
  return Json{{"number", transaction.number},
              {"id", transaction.id},
              {"written_by", text_or_null(transaction.writer)},
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
              {"refused_by_the_kernel", std::move(refused)},
              {"changes", std::move(records)}};
}

Json hold_json(const std::optional<Hold>& hold) {
  if (!hold) return nullptr;
  return Json{{"who", hold->who},
              {"since", time_json(hold->since_s)},
              {"why", text_or_null(hold->why)},
              {"until", hold->until_s > 0 ? time_json(hold->until_s) : Json(nullptr)}};
}

namespace {

Json damaged_json(const std::vector<Unreadable>& damaged) {
  Json reasons = Json::array();
  for (const Unreadable& one : damaged) reasons.push_back(one.why);
  return reasons;
}

Json unrecorded_json(const std::vector<node::Marked>& unrecorded) {
  Json json = Json::array();
  for (const node::Marked& marked : unrecorded)
    json.push_back({{"address", marked.address.text}, {"profile", text_or_null(marked.profile)}});
  return json;
}

}  // namespace

Json state_json(const node::StateView& state) {
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
      {"lost_contents", state.lost_contents},
      {"debts", debts_json(state.debts)},
      {"debts_unreadable", text_or_null(state.debts_unreadable)},
      {"unrecorded", unrecorded_json(state.unrecorded)},
      {"signs", state.signs},
      {"hold", hold_json(state.hold)}};
}

}  // namespace nettune::cli::json
