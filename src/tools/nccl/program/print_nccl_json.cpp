// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/version.hpp"
#include "tools/nccl/log/judge/event_details.hpp"
#include "tools/nccl/log/judge/leavers.hpp"
#include "tools/nccl/log/judge/peers.hpp"
#include "tools/nccl/log/judge/rules.hpp"
#include "tools/nccl/log/judge/suggestions.hpp"
#include "tools/nccl/log/judge/tests_remarks.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"

namespace nettune::tools::nccl::program::json {

namespace {
using log::Answer;
using log::Cause;
using log::Communicator;
using log::Event;
using log::kNone;
using log::Log;
using log::Membership;
using log::Process;
using log::judge::Link;

using Json = nlohmann::ordered_json;

Json names(const Log& log, const std::vector<std::uint32_t>& ids) {
  Json list = Json::array();
  for (const std::uint32_t id : ids) list.push_back(log.names.text(id));
  return list;
}

Json answer(Answer given) {
  if (given == Answer::unknown) return nullptr;
  return given == Answer::yes;
}

Json process(const Explained& explained, std::uint32_t index) {
  const Log& log = explained.log;
  const Process& one = log.processes[index];
  Json ranks = Json::array();
  for (const Membership& membership : one.memberships)
    ranks.push_back({{"communicator", membership.communicator},
                     {"rank", membership.rank},
                     {"complete", membership.complete}});
  return {{"host", one.host.empty() ? Json(nullptr) : Json(one.host)},
          {"pid", one.host.empty() ? Json(nullptr) : Json(one.pid)},
          {"ranks", ranks},
          {"versions", names(log, one.versions)},
          {"networks", names(log, one.networks)},
          {"rdma_devices", names(log, one.ib)},
          {"oob", names(log, one.oob)},
          {"sockets", names(log, one.sockets)},
          {"bootstrap", names(log, one.bootstrap)},
          {"gids", one.gids},
          {"gpudirect", names(log, one.gdr)},
          {"reasons", names(log, one.reasons)},
          {"cuda_driver", one.cuda_driver == 0 ? Json(nullptr) : Json(one.cuda_driver)},
          {"nvls", answer(one.nvls)},
          {"ring_gdr", answer(one.ring_gdr)},
          {"environment", one.environment},
          {"damaged", one.damaged}};
}

Json connection(const Log& log, const Link& link) {
  static constexpr const char* kTransports[] = {"p2p", "shm", "net", "collnet"};
  static constexpr const char* kSides[] = {"sender", "send", "receive"};
  return {{"from", link.from},
          {"to", link.to},
          {"process", link.process},
          {"side", kSides[static_cast<std::size_t>(link.side)]},
          {"transport", kTransports[static_cast<std::size_t>(link.transport)]},
          {"detail", log.names.text(link.detail)},
          {"gdr", link.gdr},
          {"channels", link.channels},
          {"devices", link.devices}};
}

Json error(const Explained& explained, std::uint32_t index) {
  const Event& event = explained.log.events[index];
  Json json = {
      {"process", event.process},
      {"rank", event.rank == kNone ? Json(nullptr) : Json(event.rank)},
      {"cause", nullptr},
      {"role", nullptr},
      {"text", event.text},
      {"time", event.time.empty() ? Json(nullptr) : Json(event.time)},
      {"file", event.file < explained.log.files.size() ? Json(explained.log.files[event.file])
                                                       : Json(nullptr)},
      {"line", event.line},
      {"count", event.count},
      {"why", nullptr},
      {"check", Json::array()},
      {"details", log::judge::event_details(explained.log, explained.causes, event)},
      {"group_ranks", event.group_ranks},
      {"peers", log::judge::peers_named(explained.log, event)}};
  if (event.cause == kNone) return json;
  const Cause& cause = explained.causes[event.cause];
  json["cause"] = cause.id;
  const bool follows = cause.tier == Cause::Tier::symptom || cause.tier == Cause::Tier::echo;
  if (cause.tier != Cause::Tier::note) json["role"] = follows ? "symptom" : "cause";
  json["why"] = why_of(explained.log, explained.verdict, cause, event);
  json["check"] = checks_of(explained.log, explained.verdict, cause, event);
  return json;
}

/// What became of it. `follows_from` is its place in the list.
Json statement(const Explained& explained, std::uint32_t index) {
  static constexpr const char* kFates[] = {"chosen", "as likely", "not chosen", "set aside",
                                           "follows"};
  const Event& event = explained.log.events[index];
  const log::judge::Fate& fate = explained.verdict.fates[index];
  return {
      {"cause", event.cause == kNone ? Json(nullptr) : Json(explained.causes[event.cause].id)},
      {"file", explained.log.files.at(event.file)},
      {"line", event.line},
      {"count", event.count},
      {"text", event.text},
      {"fate", kFates[static_cast<std::size_t>(fate.kind)]},
      {"rule", fate.rule.empty() ? Json(nullptr) : Json(fate.rule)},
      {"because", fate.rule.empty() ? Json(nullptr) : Json(log::judge::rule_text(fate.rule))},
      {"shown_by", fate.shown.second == 0 ? Json(nullptr)
                                          : Json(log::judge::place_of(explained.log, fate.shown))},
      {"follows_from", fate.from == kNone ? Json(nullptr) : Json(fate.from)}};
}

Json wait(const log::Wait& one) {
  return {{"rank", one.rank},
          {"rank_of_job", one.of_job},
          {"sequence", one.sequence},
          {"operation", one.operation.empty() ? Json(nullptr) : Json(one.operation)},
          {"failed", one.failed},
          {"timeout_ms", one.timeout_ms == 0 ? Json(nullptr) : Json(one.timeout_ms)},
          {"ran_ms", one.ran_ms == 0 ? Json(nullptr) : Json(one.ran_ms)},
          {"called_from", nullptr},
          {"process_group", one.group.empty() ? Json(nullptr) : Json(one.group)},
          {"last_enqueued", one.enqueued ? Json(*one.enqueued) : Json(nullptr)}};
}

Json difference(const log::judge::Difference& one) {
  Json groups = Json::array();
  for (const auto& group : one.groups)
    groups.push_back({{"value", group.value}, {"processes", group.processes}});
  return {{"what", one.what}, {"groups", groups}};
}

Json expectation(const log::judge::Outcome& outcome) {
  static constexpr const char* kWords[] = {"unknown", "no", "yes"};
  return {{"expected", outcome.expectation.word},
          {"met", kWords[static_cast<std::size_t>(outcome.met)]},
          {"why", outcome.why},
          {"processes", outcome.processes}};
}

}  // namespace

std::string nccl_explain(const Explained& explained) {
  const Log& log = explained.log;
  const log::judge::Verdict& verdict = explained.verdict;
  Json document = {{"schema", 1},
                   {"kind", "nccl-explain"},
                   {"nettune", NETTUNE_VERSION},
                   {"build", build_info()}};
  document["verdict"] = explained.report.verdict;
  document["check"] = explained.report.checks;
  document["network"] = explained.report.network;
  document["versions"] = verdict.versions;
  document["ranks"] = verdict.ranks == 0 ? Json(nullptr) : Json(verdict.ranks);
  const std::uint32_t listed = log::judge::lists_all_ranks(log) ? log.tests.ranks.ranks : 0;
  const std::uint32_t said =
      verdict.said_ranks != 0 || verdict.ranks != 0 ? verdict.said_ranks : listed;
  document["ranks_said"] = said == 0 ? Json(nullptr) : Json(said);
  document["unseen"] = verdict.unseen;
  document["networks"] = verdict.networks;
  document["why"] = verdict.why;
  document["remarks"] = verdict.remarks;
  document["communicator"] = verdict.main == kNone ? Json(nullptr) : Json(verdict.main);
  document["communicators"] = Json::array();
  for (const Communicator& one : log.communicators)
    document["communicators"].push_back(
        {{"id", one.id},
         {"ranks", one.ranks},
         {"seen", one.members.size()},
         {"nodes", one.nodes == 0 ? Json(nullptr) : Json(one.nodes)}});
  document["processes"] = Json::array();
  for (std::uint32_t i = 0; i < log.processes.size(); ++i)
    document["processes"].push_back(process(explained, i));
  document["connections"] = Json::array();
  for (const Link& link : verdict.links) document["connections"].push_back(connection(log, link));
  document["connections_elsewhere"] = {{"other", verdict.other_links},
                                       {"open", verdict.open_links}};
  document["differences"] = Json::array();
  for (const log::judge::Difference& one : verdict.differences)
    document["differences"].push_back(difference(one));
  document["first_error"] = verdict.first ? error(explained, *verdict.first) : Json(nullptr);
  document["as_likely"] = Json::array();
  for (const std::uint32_t i : verdict.rivals) document["as_likely"].push_back(error(explained, i));
  document["statements"] = Json::array();
  for (std::uint32_t i = 0; i < log.events.size(); ++i)
    document["statements"].push_back(statement(explained, i));
  document["errors"] = Json::array();
  for (const std::uint32_t i : verdict.events) document["errors"].push_back(error(explained, i));
  document["warnings"] = Json::array();
  for (const std::uint32_t i : verdict.went_on) document["warnings"].push_back(error(explained, i));
  document["hints"] = Json::array();
  for (const std::uint32_t i : verdict.notes) document["hints"].push_back(error(explained, i));
  document["watchdog"] = Json::array();
  for (const auto& [key, one] : log.waits) document["watchdog"].push_back(wait(one));
  document["last_lines"] = Json::array();
  for (const log::Ending& one : log.endings)
    document["last_lines"].push_back(
        {{"file", log.files[one.file]}, {"line", one.line}, {"text", one.text}});
  document["world_sizes"] = log.world_sizes;
  document["not_in_the_log"] = verdict.open;
  document["lines"] = {{"messages", log.messages},       {"unnamed", log.unnamed},
                       {"damaged", log.damaged},         {"repeated", log.repeated},
                       {"more_errors", log.more_events}, {"p2p", log.connections[0]},
                       {"shm", log.connections[1]},      {"net", log.connections[2]},
                       {"collnet", log.connections[3]},  {"gdr", log.gdr_connections}};
  document["expectations"] = Json::array();
  for (const log::judge::Outcome& outcome : explained.outcomes)
    document["expectations"].push_back(expectation(outcome));
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::nccl::program::json
