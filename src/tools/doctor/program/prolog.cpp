// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/prolog.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/version.hpp"
#include "tools/doctor/program/diagnosis.hpp"

namespace nettune::tools::doctor::program {

namespace {

using doctor::Finding;

bool may_drain(const Finding& finding, const std::vector<std::string>& drain) {
  return std::ranges::find(drain, finding.rule->id) != drain.end();
}

std::vector<const Finding*> candidates(const Judged& judged,
                                       const std::vector<std::string>& drain) {
  std::vector<const Finding*> found;
  for (const Finding& finding : judged.findings)
    if (finding.ignored.empty() && finding.opinion == checks::Opinion::fault &&
        may_drain(finding, drain))
      found.push_back(&finding);
  return found;
}

std::string text_of(const Finding& finding) {
  return cat(finding.rule->id, ": ", device_and_text(finding));
}

Drain drain_for(const Finding& finding) {
  return {text_of(finding), {}, finding.rule->id, finding.seen.device};
}

bool is_same(const Finding& left, const Finding& right) {
  return left.rule->id == right.rule->id && left.seen.device == right.seen.device;
}

}  // namespace

Drain drain_of(const Judged& first, const DoctorSite& site, std::optional<std::int64_t> uptime_s,
               const LookAgain& look_again) {
  Drain drain;
  std::vector<const Finding*> passing;
  for (const Finding* const one : candidates(first, site.drain)) {
    if (!one->rule->passing) return drain_for(*one);
    if (one->seen.sureness == facts::Sureness::inferred)
      drain.notes.push_back(cat(text_of(*one),
                                "; only others like it suggest that: name it in "
                                "[doctor.owes] of the site file to drain for it"));
    else
      passing.push_back(one);
  }
  if (passing.empty()) return drain;
  const auto wait = [&](std::string_view why) {
    for (const Finding* const one : passing) drain.notes.push_back(cat(text_of(*one), "; ", why));
    return drain;
  };
  if (!look_again) return wait("one look does not decide, and there is no second one");
  if (!uptime_s) return wait("it may pass, and it is not known how long the node is up");
  if (*uptime_s < site.settle_s)
    return wait(cat("it may pass: the node is up for ", *uptime_s, " s, and has ", site.settle_s,
                    " s to settle"));
  const auto second = look_again();
  if (!second) return wait(cat("a second look failed: ", second.error().text));
  for (const Finding* const again : candidates(*second, site.drain))
    if (!again->rule->passing || std::ranges::any_of(passing, [&](const Finding* before) {
          return is_same(*before, *again);
        }))
      return drain_for(*again);
  return wait(cat("after ", site.look_again_s, " s it was gone"));
}

std::vector<LookedAt> looked_at(const Judged& judged, const std::vector<std::string>& drain) {
  std::vector<LookedAt> all;
  for (const Finding& finding : judged.findings) {
    if (!may_drain(finding, drain)) continue;
    std::string verdict(opinion_text(finding.opinion));
    std::ranges::replace(verdict, ' ', '_');
    all.push_back({finding.rule->id, finding.seen.device,
                   finding.ignored.empty() ? verdict : std::string("ignored")});
  }
  return all;
}

std::string prolog_json(const Drain& drain, const std::vector<LookedAt>& rules,
                        const std::string& error) {
  using Json = nlohmann::ordered_json;
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
  };
  Json seen = Json::array();
  for (const LookedAt& one : rules)
    seen.push_back(
        {{"rule", one.rule}, {"device", text_or_null(one.device)}, {"verdict", one.verdict}});
  Json finding = nullptr;
  if (!drain.reason.empty())
    finding = {
        {"rule", drain.rule}, {"device", text_or_null(drain.device)}, {"seen", drain.reason}};
  const Json document = {{"schema", 1},
                         {"kind", "doctor-prolog"},
                         {"nettune", NETTUNE_VERSION},
                         {"build", build_info()},
                         {"drain", !drain.reason.empty()},
                         {"finding", finding},
                         {"notes", drain.notes},
                         {"rules", seen},
                         {"error", text_or_null(error)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::doctor::program
