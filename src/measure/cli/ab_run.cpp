// SPDX-License-Identifier: Apache-2.0
#include "measure/cli/ab_run.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "measure/cli/child.hpp"
#include "measure/cli/guard_reading.hpp"
#include "measure/net/socket.hpp"
#include "node/signals.hpp"

namespace nettune::measure {
namespace {

using cli::Exit;

constexpr std::size_t kNoiseBlocks = 4;
constexpr double kWindowSlack_s = 60;  // for the switch itself, and the way back

bool stopped() { return cli::DeferredSignals::arrived(); }

/// Why a half has no result, or is not to be followed by another.
struct Ended {
  Exit exit = Exit::done;
  std::string why;
  bool any() const { return exit != Exit::done; }
};

void put(EvidenceBlock& block, bool is_b, const Reading& reading) {
  (is_b ? block.block.b : block.block.a).push_back(reading.value);
  for (const auto& [name, value] : reading.strata) {
    Block& one = block.strata[name];
    (is_b ? one.b : one.a).push_back(value);
  }
}

class Ab {
 public:
  Ab(cli::Context& context, Nodes& nodes, const AbRequest& request, Evidence& evidence,
     const AbListener& listener)
      : context_(context),
        nodes_(nodes),
        request_(request),
        evidence_(evidence),
        listener_(listener) {}

  Result<AbEnd> run() {
    TRY(nodes_.prepare(evidence_.a, env_a_));
    TRY(nodes_.prepare(evidence_.b, env_b_));
    TRY(nodes_.connect(request_.also, request_.share, evidence_));
    TRY_ASSIGN(first_.jobs, read_jobs(context_));
    std::vector<std::string> jobs = nodes_.jobs();
    if (!request_.share) jobs.insert(jobs.begin(), first_.jobs.begin(), first_.jobs.end());
    if (!jobs.empty())
      return AbEnd{Exit::refused,
                   cat("the node is busy: ", join(jobs, "; "),
                       "; wait until that has finished, or compare anyway with --share")};
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < kNoiseBlocks; ++i) {
      TRY_ASSIGN(const Ended ended,
                 block(evidence_.noise, cat("noise ", i + 1, " of ", kNoiseBlocks),
                       b_comes_first(evidence_.seed + 1, i), evidence_.a, env_a_));
      if (ended.any()) return finish(ended);
    }
    const double half_s = seconds_since(begin) / (2 * kNoiseBlocks);
    TRY_ASSIGN(const Ended planned, plan(half_s, seconds_since(begin)));
    if (planned.any()) return finish(planned);
    const Plan looks = plan_looks(evidence_.planned);
    for (std::size_t i = 0; i < evidence_.planned; ++i) {
      TRY_ASSIGN(const Ended ended,
                 block(evidence_.blocks, cat("block ", i + 1, " of at most ", evidence_.planned),
                       b_comes_first(evidence_.seed, i), evidence_.b, env_b_));
      if (ended.any()) return finish(ended);
      const std::vector<double> all = differences_of(evidence_.blocks, evidence_.lower_is_better);
      if (harms(all))
        return finish({Exit::rolled_back, "B was more than 30 % worse in two consecutive blocks"});
      if (judge(all, looks, evidence_.delta).verdict != Verdict::undecided) break;
    }
    return AbEnd{};
  }

 private:
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
      TRY_ASSIGN(const Ended ended,
                 half(is_b ? other : evidence_.a, is_b ? other_env : env_a_, is_b, out));
      if (ended.any()) return ended;
    }
    blocks.push_back(std::move(out));
    TRY(listener_.saved(evidence_));
    return Ended{};
  }

  Result<Ended> half(const Arm& arm, const std::map<std::string, std::string>& env, bool is_b,
                     EvidenceBlock& out) {
    if (stopped()) return Ended{Exit::failed, "it was stopped"};
    if (!request_.share) {
      GuardReading now;
      TRY_ASSIGN(now.jobs, read_jobs(context_));
      if (const auto jobs = foreign_jobs(first_, now); !jobs.empty())
        return Ended{Exit::rolled_back, join(jobs, "; ")};
    }
    const double longest = static_cast<double>(request_.repeats) * request_.run_s + kWindowSlack_s;
    TRY_ASSIGN(const Switched there, nodes_.to(arm, &arm == &evidence_.b, std::lround(longest)));
    if (there.exit != Exit::done) return Ended{there.exit, there.why};
    const Ended measured = measure(arm, env, is_b, out);
    TRY_ASSIGN(const Switched home, nodes_.back());
    if (home.exit != Exit::done) return Ended{home.exit, home.why};
    if (const auto found = nodes_.findings(); !found.empty() && !measured.any())
      return Ended{Exit::rolled_back,
                   cat("while ", printable(arm.name()), " was measured: ", join(found, "; "),
                       ": the comparison would not be valid")};
    return measured;
  }

  Ended measure(const Arm& arm, const std::map<std::string, std::string>& env, bool is_b,
                EvidenceBlock& out) {
    const GuardReading before = read_guards();
    for (std::size_t i = 0; i < request_.repeats; ++i) {
      const auto end = run_child({request_.file, request_.words, env, request_.run_s}, stopped);
      if (!end) return {Exit::failed, end.error().text};
      if (stopped()) return {Exit::failed, "it was stopped"};
      if (!end->succeeded())
        return {Exit::failed, cat("the command failed with ", printable(arm.name()), ": ",
                                  end->text(), ": ", last_line(end->output))};
      const auto reading = request_.metric ? request_.metric->read(end->output)
                                           : Result<Reading>(Reading{end->seconds, {}});
      if (!reading) return {Exit::usage, reading.error().text};
      put(out, is_b, *reading);
    }
    if (const auto found = guard_findings(before, read_guards()); !found.empty())
      return {Exit::rolled_back, cat("while ", printable(arm.name()), " was measured, ",
                                     join(found, "; "), ": the comparison would not be valid")};
    return {};
  }

  cli::Context& context_;
  Nodes& nodes_;
  const AbRequest& request_;
  Evidence& evidence_;
  const AbListener& listener_;
  std::map<std::string, std::string> env_a_;
  std::map<std::string, std::string> env_b_;
  GuardReading first_;
};

}  // namespace

Result<AbEnd> run_ab(cli::Context& context, Nodes& nodes, const AbRequest& request,
                     Evidence& evidence, const AbListener& listener) {
  return Ab(context, nodes, request, evidence, listener).run();
}

}  // namespace nettune::measure
