// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/tune_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "tools/measure/json_fields.hpp"

namespace nettune::tools::measure {
namespace {

using TuneJson = fields::Json;

TuneJson vary_json(const std::vector<Variation>& vary) {
  TuneJson out = TuneJson::object();
  for (const Variation& one : vary) out[one.name] = one.values;
  return out;
}

TuneJson candidates_json(const TuneEvidence& evidence) {
  TuneJson out = TuneJson::array();
  for (std::size_t i = 0; i < evidence.candidates.size(); ++i) {
    const auto& [arm, failed, runs] = evidence.candidates[i];
    TuneJson score = nullptr;
    bool is_left = failed.empty();
    if (evidence.search && failed.empty() && !evidence.search->blocks().empty()) {
      score = std::round(std::expm1(evidence.search->score(i)) * 1e6) / 1e4;
      is_left = std::ranges::binary_search(evidence.search->left(), i);
    }
    out.push_back({{"name", arm.name()},
                   {"set", arm.set},
                   {"env", arm.env},
                   {"settings_digest", fields::or_null(arm.digest)},
                   {"left", is_left},
                   {"score_percent", score},
                   {"failed", fields::or_null(failed)},
                   {"runs", runs.all},
                   {"failed_runs", runs.failed}});
  }
  return out;
}

TuneJson search_json(const TuneEvidence& evidence) {
  TuneJson out = TuneJson::array();
  if (!evidence.search) return out;
  for (const HalvingBlock& block : evidence.search->blocks()) {
    TuneJson json = TuneJson::object();
    for (const auto& [candidate, repeats] : block) json[std::to_string(candidate)] = repeats;
    out.push_back(std::move(json));
  }
  return out;
}

}  // namespace

bool TuneEvidence::proven() const {
  return winner && judge(proof).judgement.verdict == Verdict::better;
}

std::string to_json(const TuneEvidence& evidence) {
  const TuneJson proof = TuneJson::parse(to_json(evidence.proof));
  TuneJson json = {{"schema", 1}, {"kind", "tune"}};
  for (const char* const key : {"nettune", "build", "time", "host", "kernel", "facts_digest",
                                "command", "metric", "lower_is_better", "delta", "seed"})
    json[key] = proof.at(key);
  json["today"] = proof.at("a");
  json["vary"] = vary_json(evidence.vary);
  json["candidates"] = candidates_json(evidence);
  json["search"] = search_json(evidence);
  json["notes"] = evidence.notes;
  json["winner"] = fields::or_null(evidence.winner);
  json["proof"] = evidence.winner ? proof : TuneJson(nullptr);
  json["proven"] = evidence.proven();
  json["written"] = fields::or_null(evidence.written);
  json["ended"] = fields::or_null(evidence.ended);
  return json.dump(1, ' ', false, TuneJson::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::measure
