// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "measure/evidence.hpp"

namespace nettune::measure {
namespace {

using OrderedJson = nlohmann::ordered_json;

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
          {"profile", arm.profile.empty() ? OrderedJson(nullptr) : OrderedJson(arm.profile)},
          {"set", arm.set},
          {"env", arm.env},
          {"settings_digest", arm.digest.empty() ? OrderedJson(nullptr) : OrderedJson(arm.digest)}};
}

double per_cent(double ln) { return std::round(std::expm1(ln) * 1e6) / 1e4; }

OrderedJson judgement_json(const Judgement& one) {
  OrderedJson out = {{"verdict", name_of(one.verdict)},
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
  return fail(Errc::invalid, cat("this is not evidence of nettune ab: ", what));
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

std::string text_of(const OrderedJson& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
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
  return {text_of(*found, "profile"), texts_of(*found, "set"), texts_of(*found, "env"),
          text_of(*found, "settings_digest")};
}

}  // namespace

std::string to_json(const Evidence& evidence) {
  const Judged judged = judge(evidence);
  OrderedJson verdict = judgement_json(judged.judgement);
  verdict["p"] = judged.p;
  verdict["strata"] = OrderedJson::object();
  for (const auto& [name, one] : judged.strata) verdict["strata"][name] = judgement_json(one);
  const OrderedJson json = {
      {"schema", 1},
      {"kind", "ab"},
      {"nettune", NETTUNE_VERSION},
      {"time", evidence.time},
      {"host", evidence.host},
      {"kernel", evidence.kernel},
      {"facts_digest", evidence.facts_digest},
      {"command", evidence.command},
      {"metric", evidence.metric.empty() ? OrderedJson(nullptr) : OrderedJson(evidence.metric)},
      {"lower_is_better", evidence.lower_is_better},
      {"delta", evidence.delta},
      {"seed", evidence.seed},
      {"a", arm_json(evidence.a)},
      {"b", arm_json(evidence.b)},
      {"noise", blocks_json(evidence.noise)},
      {"planned_blocks", evidence.planned},
      {"blocks", blocks_json(evidence.blocks)},
      {"ended", evidence.ended.empty() ? OrderedJson(nullptr) : OrderedJson(evidence.ended)},
      {"verdict", verdict}};
  return json.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Result<Evidence> evidence_from(const std::string& text) {
  const OrderedJson json = OrderedJson::parse(text, nullptr, false);
  if (!json.is_object() || text_of(json, "kind") != "ab") return wrong("its kind is not \"ab\"");
  if (!json.contains("schema") || json["schema"] != 1) return wrong("its schema is not 1");
  Evidence out;
  out.time = text_of(json, "time");
  out.host = text_of(json, "host");
  out.kernel = text_of(json, "kernel");
  out.facts_digest = text_of(json, "facts_digest");
  out.metric = text_of(json, "metric");
  out.ended = text_of(json, "ended");
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
  TRY_ASSIGN(out.noise, blocks_from(json, "noise"));
  TRY_ASSIGN(out.blocks, blocks_from(json, "blocks"));
  for (std::size_t i = 0; i < out.blocks.size(); ++i)
    if (out.blocks[i].block.b_first != b_comes_first(out.seed, i))
      return wrong(
          cat("block ", i + 1, " has not the order that its seed draws; the blocks were changed"));
  return out;
}

}  // namespace nettune::measure
