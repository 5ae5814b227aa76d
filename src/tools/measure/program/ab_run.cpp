// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/ab_run.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "tools/measure/net/socket.hpp"

namespace nettune::tools::measure::program {
namespace {

using node::Exit;

void put(EvidenceBlock& block, bool is_b, const Reading& reading) {
  (is_b ? block.block.b : block.block.a).push_back(reading.value);
  for (const auto& [name, value] : reading.strata) {
    Block& one = block.strata[name];
    (is_b ? one.b : one.a).push_back(value);
  }
}

class Ab {
 public:
  Ab(node::Context& context, Nodes& nodes, const AbRequest& request, Evidence& evidence,
     const AbListener& listener)
      : nodes_(nodes),
        request_(request),
        measurer_(context, nodes, request),
        evidence_(evidence),
        listener_(listener) {}

  Result<AbEnd> run() {
    evidence_.failures_allowed = request_.failures;
    before_ = evidence_.notes;
    TRY(nodes_.prepare(evidence_.a, env_a_));
    TRY(nodes_.prepare(evidence_.b, env_b_));
    TRY(nodes_.connect(request_.also, request_.share, evidence_));
    const std::set<std::string> compared = differing({env_a_, env_b_});
    mark_compared(
        {{&env_a_, !evidence_.a.profile.empty()}, {&env_b_, !evidence_.b.profile.empty()}},
        compared);
    measurer_.compare(compared);
    if (compared.empty() && are_same_settings()) note_same();
    TRY_ASSIGN(const Ended refused, measurer_.begin());
    if (refused.any()) return AbEnd{refused.exit, refused.why};
    const auto begin = net::Clock::now();
    for (std::size_t i = 0; i < kNoiseBlocks; ++i) {
      TRY_ASSIGN(const Ended ended,
                 block(evidence_.noise, cat("noise ", i + 1, " of ", kNoiseBlocks),
                       b_comes_first(evidence_.seed + 1, i), evidence_.a, env_a_));
      if (ended.any()) return finish(ended);
    }
    measurer_.forget_runs();
    const double half_s = net::seconds_since(begin) / (2 * kNoiseBlocks);
    TRY_ASSIGN(const Ended planned, plan(half_s, request_.spent_s + net::seconds_since(begin)));
    if (planned.any()) return finish(planned);
    for (std::size_t i = 0; i < evidence_.planned; ++i) {
      TRY_ASSIGN(const Ended ended,
                 block(evidence_.blocks, cat("block ", i + 1, " of at most ", evidence_.planned),
                       b_comes_first(evidence_.seed, i), evidence_.b, env_b_));
      if (ended.any()) return finish(ended);
      if (judge(evidence_).judgement.verdict != Verdict::undecided) break;
    }
    return AbEnd{};
  }

 private:
  bool are_same_settings() {
    if (!std::ranges::all_of(evidence_.also, [](const AlsoNode& one) { return one.a == one.b; }))
      return false;
    if (evidence_.a.digest == evidence_.b.digest) return true;
    const bool a_is_current = evidence_.a.profile.empty();
    return (a_is_current || evidence_.b.profile.empty()) &&
           nodes_.holds(a_is_current ? evidence_.b : evidence_.a);
  }

  /// Not refused: it is a test of the measurement itself.
  void note_same() {
    constexpr std::string_view kSame =
        "A and B are the same: neither the settings nor the variables of the command differ, so "
        "any difference is noise";
    before_.emplace_back(kSame);
    evidence_.notes = before_;
    listener_.noted(std::string(kSame));
  }

  AbEnd finish(const Ended& ended) {
    evidence_.ended = ended.why;
    return {ended.exit, ended.why};
  }

  Result<Ended> plan(double half_s, double spent_s) {
    const Noise noise = noise_of(differences_of(evidence_.noise, evidence_.lower_is_better));
    Forecast chances = forecast(noise, evidence_.delta, evidence_.seed);
    if (request_.blocks > 0) chances.plan = plan_looks(request_.blocks);
    evidence_.planned = chances.plan.blocks();
    const double needed_s = 2 * half_s * static_cast<double>(evidence_.planned);
    listener_.planned(evidence_, chances, needed_s);
    TRY(listener_.saved(evidence_));
    if (chances.too_noisy && request_.blocks == 0)
      return Ended{Exit::drift,
                   "this node is too noisy to see such a difference: check for other jobs, clock "
                   "changes and congestion, let the command run longer, or choose a larger "
                   "--delta; --blocks 64 compares anyway"};
    if (spent_s + needed_s > request_.most_s)
      return Ended{Exit::drift,
                   cat("that takes about ", std::lround((spent_s + needed_s) / 60 + 0.5),
                       " minutes; allow it with --max-time ",
                       std::lround((spent_s + needed_s) / 60 + 1), "m")};
    return Ended{};
  }

  /// Two halves: A, and `other` as B.
  Result<Ended> block(std::vector<EvidenceBlock>& blocks, const std::string& name, bool b_first,
                      const Arm& other, const std::map<std::string, std::string>& other_env) {
    EvidenceBlock out;
    out.block.b_first = b_first;
    for (const bool is_b : {b_first, !b_first}) {
      listener_.doing(cat(name, ", ", is_b && &other == &evidence_.b ? "B" : "A"));
      std::vector<Reading> readings;
      const auto measured = measurer_.measure(is_b ? other : evidence_.a, is_b ? other_env : env_a_,
                                              is_b && &other == &evidence_.b, readings);
      evidence_.runs_a = measurer_.runs(evidence_.a, false);
      evidence_.runs_b = measurer_.runs(evidence_.b, true);
      TRY_ASSIGN(const Ended ended, measured);
      if (ended.any()) return ended;
      for (const Reading& reading : readings) put(out, is_b, reading);
    }
    evidence_.notes = before_;
    for (std::string& one : measurer_.notes()) evidence_.notes.push_back(std::move(one));
    evidence_.variables = measurer_.variables();
    blocks.push_back(std::move(out));
    TRY(listener_.saved(evidence_));
    return Ended{};
  }

  Nodes& nodes_;
  const AbRequest& request_;
  ArmMeasurer measurer_;
  Evidence& evidence_;
  const AbListener& listener_;
  std::map<std::string, std::string> env_a_;
  std::map<std::string, std::string> env_b_;
  std::vector<std::string> before_;  ///< notes from before the first half
};

}  // namespace

Result<AbEnd> run_ab(node::Context& context, Nodes& nodes, const AbRequest& request,
                     Evidence& evidence, const AbListener& listener) {
  return Ab(context, nodes, request, evidence, listener).run();
}

}  // namespace nettune::tools::measure::program
