// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/arm_measurer.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "conf/environment.hpp"
#include "node/signals.hpp"
#include "tools/measure/program/child.hpp"
#include "tools/measure/program/guard_reading.hpp"

namespace nettune::tools::measure::program {
namespace {

using node::Exit;

constexpr double kWindowSlack_s = 60;  // for the switch itself, and the way back

bool stopped() { return node::DeferredSignals::arrived(); }

}  // namespace

Result<Ended> ArmMeasurer::begin() {
  TRY_ASSIGN(first_.jobs, read_jobs(context_));
  std::vector<std::string> jobs = nodes_.jobs();
  if (!request_.share) jobs.insert(jobs.begin(), first_.jobs.begin(), first_.jobs.end());
  if (jobs.empty()) return Ended{};
  return Ended{Exit::refused,
               cat("the node is busy: ", join(jobs, "; "),
                   "; wait until that has finished, or compare anyway with --share")};
}

Result<Ended> ArmMeasurer::measure(const Arm& arm, const std::map<std::string, std::string>& env,
                                   bool is_b, std::vector<Reading>& out) {
  if (stopped()) return Ended{Exit::failed, "it was stopped"};
  if (!request_.share) {
    GuardReading now;
    TRY_ASSIGN(now.jobs, read_jobs(context_));
    if (const auto jobs = foreign_jobs(first_, now); !jobs.empty())
      return Ended{Exit::rolled_back, join(jobs, "; ")};
  }
  Runs& runs = runs_[{is_b, arm.name()}];
  const std::size_t most =
      request_.repeats + request_.failures - std::min(runs.failed, request_.failures);
  const double longest = static_cast<double>(most) * request_.run_s + kWindowSlack_s;
  TRY_ASSIGN(const Switched there, nodes_.to(arm, is_b, std::lround(longest)));
  if (there.exit != Exit::done) return Ended{there.exit, there.why};
  const Ended measured = run(arm, env, runs, out);
  TRY_ASSIGN(const Switched home, nodes_.back());
  if (home.exit != Exit::done) return Ended{home.exit, home.why};
  if (const auto found = nodes_.findings(); !found.empty() && !measured.any())
    return Ended{Exit::rolled_back, cat("while ", printable(arm.name()), " was measured: ",
                                        join(found, "; "), ": the comparison would not be valid")};
  return measured;
}

Runs ArmMeasurer::runs(const Arm& arm, bool is_b) const {
  const auto found = runs_.find({is_b, arm.name()});
  return found == runs_.end() ? Runs() : found->second;
}

Ended ArmMeasurer::run(const Arm& arm, const std::map<std::string, std::string>& env, Runs& runs,
                       std::vector<Reading>& out) {
  const GuardReading before = read_guards();
  std::map<std::string, std::string> compared = env;
  std::erase_if(compared, [&](const auto& one) {
    return !request_.uses_variables || !compared_.contains(one.first);
  });
  while (out.size() < request_.repeats) {
    ProcessWatch watch(compared);
    ChildSpec spec{request_.file, request_.words, env, request_.run_s};
    spec.watch = [&](pid_t pid) { watch.look(pid); };
    spec.keep = conf::kArmReceipt;
    spec.place = nodes_.benchmark();
    auto end = run_child(spec, stopped);
    if (!end) return {Exit::failed, end.error().text};
    if (stopped()) return {Exit::failed, "it was stopped"};
    const Receipts receipts =
        take_receipts(end->output, request_.uses_variables ? wanted_of(env, compared_) : Wanted());
    ++runs.all;
    if (end->how != ChildEnd::How::exited || !request_.measured.contains(end->status)) {
      ++runs.failed;
      if (runs.failed <= request_.failures) continue;
      const std::string last = last_line(end->output);
      return {Exit::failed,
              cat("the command failed with ", printable(arm.name()),
                  runs.failed > 1 ? cat(" in ", runs.failed, " of ", runs.all, " runs") : "", ": ",
                  end->text(), ": ", last.empty() ? "it printed nothing" : last,
                  end->how == ChildEnd::How::too_late ? " (--run-time sets the limit)" : ""),
              true};
    }
    if (!receipts.lost.empty())
      return {Exit::rolled_back,
              cat("a variable of ", printable(arm.name()),
                  " did not arrive in the job: ", join(receipts.lost, "; "),
                  ": the comparison would not be valid; look for what "
                  "sets it in between: the command, files of its shell, a scheduler")};
    arrivals_.add(arm.name(), compared, receipts, watch);
    const auto reading = request_.metric ? request_.metric->read(end->output)
                                         : Result<Reading>(Reading{end->seconds, {}});
    if (!reading) return {Exit::usage, reading.error().text};
    out.push_back(*reading);
  }
  if (const auto found = guard_findings(before, read_guards()); !found.empty())
    return {Exit::rolled_back, cat("while ", printable(arm.name()), " was measured, ",
                                   join(found, "; "), ": the comparison would not be valid")};
  return {};
}

}  // namespace nettune::tools::measure::program
