// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/version.hpp"
#include "tools/advise/program/advise_command.hpp"

namespace nettune::tools::advise::program {

namespace {

using Json = nlohmann::ordered_json;

Json known_json(const std::optional<advise::Known>& one) {
  if (!one) return nullptr;
  return {{"value", one->value}, {"from", one->from}, {"estimated", one->is_estimated}};
}

Json step_json(const Step& step) {
  return {{"step_s", step.step_s()},        {"forward_s", step.forward_s},
          {"backward_s", step.backward_s},  {"communication_s", step.total_s},
          {"exposed_s", step.exposed_s},    {"overhead_s", step.overhead_s},
          {"jitter_s", step.jitter_s},      {"idle_s", step.rest_s},
          {"buckets", step.buckets},        {"rho", step.rho()},
          {"efficiency", step.efficiency()}};
}

Json inputs_json(const advise::Job& job) {
  Json ranks = Json::array();
  for (const RankCompute& one : job.by_rank)
    ranks.push_back({{"rank", one.rank}, {"compute_s", one.compute_s}});
  Json collectives = Json::array();
  for (const CollectiveSize& one : job.collectives)
    collectives.push_back({{"name", one.name},
                           {"bytes", one.bytes > 0 ? Json(one.bytes) : Json(nullptr)},
                           {"count", one.count},
                           {"shortest_s", one.least_s},
                           {"median_s", one.median_s}});
  Json table = Json::array();
  for (const TimeTable::Point& point : job.table.points())
    table.push_back({{"bytes", point.bytes}, {"seconds", point.seconds}});
  return {{"gradient_bytes", advise::gradient_bytes(job)},
          {"parameters_estimated", job.parameters_are_estimated},
          {"buckets", job.buckets},
          {"forward_s", known_json(job.forward_s)},
          {"backward_s", known_json(job.backward_s)},
          {"step_s", known_json(job.step_s)},
          {"compute_s", known_json(job.compute_s)},
          {"communication_s", known_json(job.communication_s)},
          {"exposed_s", known_json(job.exposed_s)},
          {"idle_s", known_json(job.idle_s)},
          {"ranks", known_json(job.ranks)},
          {"sigma", known_json(job.sigma)},
          {"gamma_s", known_json(job.gamma_s)},
          {"iota", known_json(job.iota)},
          {"kappa", known_json(job.kappa)},
          {"all_reduce", std::move(table)},
          {"all_reduce_estimated", job.table_is_estimated || job.table_scaled_from > 0 ||
                                       (!job.table.empty() && !job.table.has_slope())},
          {"all_reduce_ranks", job.table_ranks},
          {"backend", job.backend.empty() ? Json(nullptr) : Json(job.backend)},
          {"by_rank", std::move(ranks)},
          {"collectives", std::move(collectives)}};
}

Json advice_json(const advise::Advice& advice) {
  Json levers = Json::array();
  for (const Lever& one : advice.levers)
    levers.push_back({{"name", one.name},
                      {"how", one.how},
                      {"saves_s", one.saves_s},
                      {"of_a_sample", one.is_of_a_sample},
                      {"caveat", one.caveat.empty() ? Json(nullptr) : Json(one.caveat)},
                      {"ab", one.ab.empty() ? Json(nullptr) : Json(one.ab)}});
  Json rules = Json::array();
  for (const RuleOfThumb& one : advice.rules)
    rules.push_back({{"name", one.name},
                     {"value", one.value ? Json(*one.value) : Json(nullptr)},
                     {"alarms", one.alarms},
                     {"text", one.text}});
  Json ranks = Json::array();
  for (const AtRanks& one : advice.at_ranks)
    ranks.push_back({{"ranks", one.ranks},
                     {"step_s", one.step.step_s()},
                     {"efficiency", one.step.efficiency()},
                     {"speed_up", one.step.efficiency() * one.ranks},
                     {"estimated", one.is_estimated}});
  return {{"regime", advise::regime_word(advice.regime)},
          {"rho", advice.rho},
          {"step", step_json(advice.step)},
          {"levers", std::move(levers)},
          {"leave_alone", advice.leave},
          {"rules_of_thumb", std::move(rules)},
          {"at_ranks", std::move(ranks)}};
}

}  // namespace

std::string json::advice(const advise::Job& job, const advise::Advice* advice,
                         const Missing* missing, const std::string& not_ddp) {
  const std::string& held_back = advice ? advice->held_back : not_ddp;
  const Json document = {
      {"schema", 1},
      {"kind", "advise"},
      {"nettune", NETTUNE_VERSION},
      {"build", build_info()},
      {"held_back", held_back.empty() ? Json(nullptr) : Json(held_back)},
      {"advice", advice ? advice_json(*advice) : Json(nullptr)},
      {"missing",
       missing ? Json({{"what", missing->what}, {"command", missing->command}}) : Json(nullptr)},
      {"notes", job.notes},
      {"inputs", inputs_json(job)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::advise::program
