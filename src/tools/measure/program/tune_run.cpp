// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/tune_run.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "tools/measure/net/socket.hpp"

namespace nettune::tools::measure::program {
namespace {

using Variables = std::map<std::string, std::string>;

class Tune {
 public:
  Tune(node::Context& context, Nodes& nodes, const AbRequest& request, TuneEvidence& evidence,
       const TuneListener& listener)
      : context_(context),
        nodes_(nodes),
        request_(request),
        evidence_(evidence),
        listener_(listener),
        measurer_(context, nodes, request) {}

  Result<AbEnd> run() {
    TRY(nodes_.prepare(evidence_.proof.a, today_));
    for (TuneCandidate& one : evidence_.candidates)
      TRY(nodes_.prepare(one.arm, variables_.emplace_back()));
    std::vector<Variables> all = variables_;
    all.push_back(today_);
    const std::set<std::string> compared = differing(all);
    std::vector<ArmVariables> arms{{&today_, !evidence_.proof.a.profile.empty()}};
    for (Variables& one : variables_) arms.push_back({&one, true});
    mark_compared(arms, compared);
    measurer_.compare(compared);
    TRY_ASSIGN(const Ended refused, measurer_.begin());
    if (refused.any()) return finish(refused);
    const auto begin = net::Clock::now();
    TRY_ASSIGN(const Ended first, first_half());
    if (first.any()) return finish(first);
    TRY_ASSIGN(const Ended planned, plan(net::seconds_since(begin)));
    if (planned.any()) return finish(planned);
    TRY_ASSIGN(const Ended searched, search());
    if (searched.any()) return finish(searched);
    return prove(net::seconds_since(begin));
  }

 private:
  AbEnd finish(const Ended& ended) {
    evidence_.ended = ended.why;
    return {ended.exit, ended.why};
  }

  Result<Ended> first_half() {
    listener_.proof.doing("one half of today's settings");
    std::vector<Reading> readings;
    return measurer_.measure(evidence_.proof.a, today_, false, readings);
  }

  Result<Ended> plan(double half_s) {
    const std::size_t search = halves_of_halving(evidence_.candidates.size());
    const std::size_t proof = 2 * (kNoiseBlocks + std::max(request_.blocks, kSmallest));
    const double needed_s = half_s * static_cast<double>(1 + search + proof);
    listener_.planned(search, proof, needed_s);
    if (needed_s <= request_.most_s) return Ended{};
    return Ended{node::Exit::drift,
                 cat(evidence_.candidates.size(), " combinations take about ",
                     std::lround(needed_s / 60 + 0.5), " minutes; allow it with --max-time ",
                     std::lround(needed_s / 60 + 1), "m, or vary fewer values")};
  }

  Result<Ended> search() {
    Halving& halving = evidence_.search.emplace(evidence_.candidates.size(), evidence_.proof.seed,
                                                evidence_.proof.lower_is_better);
    std::string last_failure;
    while (!halving.is_over()) {
      HalvingBlock block;
      const std::vector<std::size_t> order = halving.order();
      for (std::size_t i = 0; i < order.size(); ++i) {
        TuneCandidate& one = evidence_.candidates[order[i]];
        listener_.proof.doing(
            cat("search, block ", halving.blocks().size() + 1, ", ", i + 1, " of ", order.size()));
        std::vector<Reading> readings;
        TRY_ASSIGN(const Ended ended,
                   measurer_.measure(one.arm, variables_[order[i]], false, readings));
        if (ended.command_failed) {
          one.failed = last_failure = ended.why;
          listener_.lost(ended.why);
          continue;
        }
        if (ended.any()) return ended;
        for (const Reading& reading : readings) block[order[i]].push_back(reading.value);
      }
      for (TuneCandidate& one : evidence_.candidates) one.runs = measurer_.runs(one.arm, false);
      evidence_.notes = measurer_.notes();
      if (halving.add(std::move(block))) listener_.round(halving);
      TRY(listener_.proof.saved(evidence_.proof));
    }
    if (halving.left().empty())
      return Ended{node::Exit::failed, cat("no candidate is left: ", last_failure)};
    return Ended{};
  }

  Result<AbEnd> prove(double spent_s) {
    for (const std::string& note : evidence_.notes) listener_.proof.noted(note);
    evidence_.winner = evidence_.search->best();
    evidence_.proof.b = evidence_.candidates[*evidence_.winner].arm;
    listener_.proving(evidence_.proof);
    AbRequest request = request_;
    request.spent_s = spent_s;
    TRY_ASSIGN(AbEnd end, run_ab(context_, nodes_, request, evidence_.proof, listener_.proof));
    evidence_.ended = end.why;
    return end;
  }

  node::Context& context_;
  Nodes& nodes_;
  const AbRequest& request_;
  TuneEvidence& evidence_;
  const TuneListener& listener_;
  ArmMeasurer measurer_;
  Variables today_;
  std::vector<Variables> variables_;  ///< of the candidates
};

}  // namespace

Result<AbEnd> run_tune(node::Context& context, Nodes& nodes, const AbRequest& request,
                       TuneEvidence& evidence, const TuneListener& listener) {
  return Tune(context, nodes, request, evidence, listener).run();
}

}  // namespace nettune::tools::measure::program
