// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/text.hpp"
#include "base/version.hpp"
#include "tools/measure/evidence.hpp"
#include "tools/measure/json_fields.hpp"

namespace nettune::tools::measure {
namespace {

using OrderedJson = fields::Json;

constexpr std::uint64_t kMostRuns = 100'000;

OrderedJson block_json(const Block& block) { return {{"a", block.a}, {"b", block.b}}; }

OrderedJson blocks_json(const std::vector<EvidenceBlock>& blocks) {
  OrderedJson out = OrderedJson::array();
  for (const EvidenceBlock& one : blocks) {
    OrderedJson json = block_json(one.block);
    json["b_first"] = one.block.b_first;
    if (!one.strata.empty()) {
      json["strata"] = OrderedJson::object();
      for (const auto& [name, block] : one.strata) json["strata"][name] = block_json(block);
    }
    out.push_back(std::move(json));
  }
  return out;
}

OrderedJson arm_json(const Arm& arm) {
  return {{"name", arm.name()},
          {"profile", fields::or_null(arm.profile)},
          {"set", arm.set},
          {"env", arm.env},
          {"settings_digest", fields::or_null(arm.digest)}};
}

OrderedJson also_json(const std::vector<AlsoNode>& nodes) {
  OrderedJson out = OrderedJson::array();
  for (const AlsoNode& one : nodes)
    out.push_back({{"host", one.host},
                   {"a_settings_digest", fields::or_null(one.a)},
                   {"b_settings_digest", fields::or_null(one.b)}});
  return out;
}

OrderedJson runs_json(const Runs& runs) { return {{"runs", runs.all}, {"failed", runs.failed}}; }

Runs runs_from(const OrderedJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_object()) return {};
  const Runs out{fields::count(*found, "runs"), fields::count(*found, "failed")};
  return out.all <= kMostRuns && out.failed <= out.all ? out : Runs();
}

OrderedJson variables_json(const std::vector<ArmVariable>& variables) {
  OrderedJson out = OrderedJson::array();
  for (const ArmVariable& one : variables)
    out.push_back({{"arm", one.arm},
                   {"variable", one.variable},
                   {"arrived", one.arrived ? OrderedJson(*one.arrived) : OrderedJson(nullptr)}});
  return out;
}

std::vector<ArmVariable> variables_from(const OrderedJson& json) {
  std::vector<ArmVariable> out;
  const auto found = json.find("variables");
  if (found == json.end() || !found->is_array()) return out;
  for (const OrderedJson& one : *found) {
    if (!one.is_object()) continue;
    ArmVariable& added =
        out.emplace_back(ArmVariable{fields::text(one, "arm"), fields::text(one, "variable"), {}});
    if (const auto arrived = one.find("arrived"); arrived != one.end() && arrived->is_boolean())
      added.arrived = arrived->get<bool>();
  }
  return out;
}

double per_cent(double ln) { return std::round(std::expm1(ln) * 1e6) / 1e4; }

OrderedJson judgement_json(const Judgement& one) {
  OrderedJson out = {{"verdict", name_of(one.verdict)},
                     {"ended_early", one.ended_early},
                     {"blocks", one.blocks},
                     {"confidence", 1 - one.alpha},
                     {"blocks_missing", one.missing}};
  out["estimate_percent"] = nullptr;
  out["interval_percent"] = nullptr;
  if (one.interval) {
    out["estimate_percent"] = per_cent(one.interval->estimate);
    out["interval_percent"] = {per_cent(one.interval->low), per_cent(one.interval->high)};
  }
  return out;
}

Failure wrong(const std::string& what) {
  return fail(Errc::invalid, cat("this is not nettune ab evidence: ", what));
}

constexpr std::size_t kMostRepeats = 1000;

Result<std::vector<double>> numbers(const OrderedJson& json, const std::string& what) {
  if (!json.is_array() || json.size() > kMostRepeats)
    return wrong(cat(what, " is not a list of numbers"));
  std::vector<double> out;
  for (const OrderedJson& one : json) {
    if (!one.is_number()) return wrong(cat(what, " has a value that is not a number"));
    out.push_back(one.get<double>());
    if (!std::isfinite(out.back()) || out.back() <= 0)
      return wrong(cat(what, " has a value that is not above 0"));
  }
  return out;
}

Result<Block> block_from(const OrderedJson& json, const std::string& what) {
  if (!json.is_object() || !json.contains("a") || !json.contains("b"))
    return wrong(cat(what, " has no a and b"));
  Block out;
  TRY_ASSIGN(out.a, numbers(json["a"], what + ".a"));
  TRY_ASSIGN(out.b, numbers(json["b"], what + ".b"));
  return out;
}

Result<std::vector<EvidenceBlock>> blocks_from(const OrderedJson& json, const std::string& key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return wrong(cat(key, " is missing"));
  if (found->size() > kLargest) return wrong(cat(key, " has more than ", kLargest, " blocks"));
  std::vector<EvidenceBlock> out;
  for (const OrderedJson& one : *found) {
    const std::string what = cat(key, "[", out.size(), "]");
    EvidenceBlock block;
    TRY_ASSIGN(block.block, block_from(one, what));
    if (!one.contains("b_first") || !one["b_first"].is_boolean())
      return wrong(what + " has no b_first");
    block.block.b_first = one["b_first"].get<bool>();
    if (const auto strata = one.find("strata"); strata != one.end() && strata->is_object())
      for (const auto& [name, value] : strata->items()) {
        TRY_ASSIGN(block.strata[name], block_from(value, cat(what, ".strata")));
      }
    out.push_back(std::move(block));
  }
  return out;
}

std::map<std::string, std::string> texts_of(const OrderedJson& json, const char* key) {
  std::map<std::string, std::string> out;
  if (const auto found = json.find(key); found != json.end() && found->is_object())
    for (const auto& [name, value] : found->items())
      if (value.is_string()) out[name] = value.get<std::string>();
  return out;
}

Arm arm_from(const OrderedJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_object()) return {};
  return {fields::text(*found, "profile"), texts_of(*found, "set"), texts_of(*found, "env"),
          fields::text(*found, "settings_digest")};
}

}  // namespace

std::string to_json(const Evidence& evidence) {
  const Judged judged = judge(evidence);
  OrderedJson verdict = judgement_json(judged.judgement);
  verdict["p"] = judged.p;
  verdict["strata"] = OrderedJson::object();
  for (const auto& [name, one] : judged.strata) verdict["strata"][name] = judgement_json(one);
  const OrderedJson json = {{"schema", 1},
                            {"kind", "ab"},
                            {"nettune", NETTUNE_VERSION},
                            {"build", build_info()},
                            {"time", evidence.time},
                            {"host", evidence.host},
                            {"kernel", evidence.kernel},
                            {"facts_digest", evidence.facts_digest},
                            {"command", evidence.command},
                            {"metric", fields::or_null(evidence.metric)},
                            {"lower_is_better", evidence.lower_is_better},
                            {"delta", evidence.delta},
                            {"seed", evidence.seed},
                            {"a", arm_json(evidence.a)},
                            {"b", arm_json(evidence.b)},
                            {"also", also_json(evidence.also)},
                            {"noise", blocks_json(evidence.noise)},
                            {"planned_blocks", evidence.planned},
                            {"blocks", blocks_json(evidence.blocks)},
                            {"failures",
                             {{"allowed", evidence.failures_allowed},
                              {"a", runs_json(evidence.runs_a)},
                              {"b", runs_json(evidence.runs_b)},
                              {"p", judged.failures_p}}},
                            {"variables", variables_json(evidence.variables)},
                            {"ended", fields::or_null(evidence.ended)},
                            {"notes", evidence.notes},
                            {"verdict", verdict}};
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Result<Evidence> evidence_from(const std::string& text) {
  OrderedJson json = OrderedJson::parse(text, nullptr, false);
  if (json.is_object() && fields::text(json, "kind") == "tune") {  // it ends with a comparison
    if (!json.contains("proof") || !json["proof"].is_object())
      return wrong("it is from nettune tune, and ended before its comparison");
    const OrderedJson proof = json["proof"];
    json = proof;
  }
  if (!json.is_object() || fields::text(json, "kind") != "ab")
    return wrong("its kind is not \"ab\"");
  if (!json.contains("schema") || json["schema"] != 1) return wrong("its schema is not 1");
  Evidence out;
  out.time = fields::text(json, "time");
  out.host = fields::text(json, "host");
  out.kernel = fields::text(json, "kernel");
  out.facts_digest = fields::text(json, "facts_digest");
  out.metric = fields::text(json, "metric");
  out.ended = fields::text(json, "ended");
  const auto lower = json.find("lower_is_better");
  const auto delta = json.find("delta");
  const auto seed = json.find("seed");
  const auto planned = json.find("planned_blocks");
  if (lower == json.end() || !lower->is_boolean()) return wrong("lower_is_better is missing");
  if (delta == json.end() || !delta->is_number() || !(*delta > 0.0) || !(*delta < 1.0))
    return wrong("delta is not between 0 and 1");
  if (seed == json.end() || !seed->is_number_unsigned()) return wrong("seed is missing");
  if (planned == json.end() || !planned->is_number_unsigned() ||
      planned->get<std::size_t>() > kLargest)
    return wrong("planned_blocks is missing");
  out.lower_is_better = lower->get<bool>();
  out.delta = delta->get<double>();
  out.seed = seed->get<std::uint64_t>();
  out.planned = planned->get<std::size_t>();
  if (const auto command = json.find("command"); command != json.end() && command->is_array())
    for (const OrderedJson& word : *command)
      if (word.is_string()) out.command.push_back(word.get<std::string>());
  out.a = arm_from(json, "a");
  out.b = arm_from(json, "b");
  if (const auto also = json.find("also"); also != json.end() && also->is_array())
    for (const OrderedJson& one : *also)
      if (one.is_object())
        out.also.push_back({fields::text(one, "host"), fields::text(one, "a_settings_digest"),
                            fields::text(one, "b_settings_digest")});
  if (const auto notes = json.find("notes"); notes != json.end() && notes->is_array())
    for (const OrderedJson& one : *notes)
      if (one.is_string()) out.notes.push_back(one.get<std::string>());
  if (const auto failures = json.find("failures");
      failures != json.end() && failures->is_object()) {
    out.failures_allowed = fields::count(*failures, "allowed");
    out.runs_a = runs_from(*failures, "a");
    out.runs_b = runs_from(*failures, "b");
  }
  out.variables = variables_from(json);
  TRY_ASSIGN(out.noise, blocks_from(json, "noise"));
  TRY_ASSIGN(out.blocks, blocks_from(json, "blocks"));
  for (std::size_t i = 0; i < out.blocks.size(); ++i)
    if (out.blocks[i].block.b_first != b_comes_first(out.seed, i))
      return wrong(cat("block ", i + 1,
                       " does not have the order that its seed gives; the blocks were changed"));
  return out;
}

}  // namespace nettune::tools::measure
