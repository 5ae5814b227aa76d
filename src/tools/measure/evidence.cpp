// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"

namespace nettune::tools::measure {

std::string Arm::name() const {
  std::string out = profile.empty() ? "current" : profile;
  for (const auto& [name, value] : set) out += cat(" ", name, "=", value);
  for (const auto& [name, value] : env) out += cat(" env.", name, "=", value);
  return out;
}

std::optional<double> Evidence::constant() const {
  std::optional<double> first;
  std::size_t runs = 0;
  for (const auto* const part : {&noise, &blocks})
    for (const EvidenceBlock& one : *part)
      for (const auto* const half : {&one.block.a, &one.block.b})
        for (const double value : *half) {
          if (value != first.value_or(value)) return {};
          first = value;
          ++runs;
        }
  return runs > 1 ? first : std::nullopt;
}

std::vector<double> differences_of(const std::vector<EvidenceBlock>& blocks, bool lower_is_better) {
  std::vector<double> out;
  for (const EvidenceBlock& one : blocks)
    if (const auto d = difference(one.block, lower_is_better)) out.push_back(*d);
  return out;
}

Judged judge(const Evidence& evidence) {
  Judged out;
  const Plan plan = plan_looks(std::clamp(evidence.planned, kSmallest, kLargest));
  const std::vector<double> all = differences_of(evidence.blocks, evidence.lower_is_better);
  const auto early = far_worse(differences_of(evidence.noise, evidence.lower_is_better), all);
  out.judgement = early ? *early : judge(all, plan, evidence.delta);
  if (out.judgement.interval && evidence.constant()) {
    out.judgement.verdict = Verdict::constant;
    out.judgement.missing = 0;
  }
  out.p = signed_rank_p(std::span(all).first(out.judgement.blocks));
  out.failures_p = fisher_p(evidence.runs_a.failed, evidence.runs_a.all, evidence.runs_b.failed,
                            evidence.runs_b.all);
  std::set<std::string> names;
  for (const EvidenceBlock& one : evidence.blocks)
    for (const auto& [name, block] : one.strata) names.insert(name);
  for (const std::string& name : names) {
    std::vector<double> differences;
    for (const EvidenceBlock& one : evidence.blocks)
      if (const auto found = one.strata.find(name); found != one.strata.end())
        if (const auto d = difference(found->second, evidence.lower_is_better))
          differences.push_back(*d);
    out.strata[name] = judge(differences, plan, evidence.delta);
  }
  return out;
}

}  // namespace nettune::tools::measure
