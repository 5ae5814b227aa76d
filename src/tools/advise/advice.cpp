// SPDX-License-Identifier: Apache-2.0
#include "tools/advise/advice.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/advise/buckets.hpp"

namespace nettune::tools::advise {

namespace {

constexpr double kHidden = 0.03;
constexpr double kIdle = 0.10;
constexpr double kSpread = 0.05;
constexpr std::size_t kMostLevers = 3;

constexpr std::array kCapsMiB = {1,  2,   4,   8,   12,  16,  25,  37,  50,
                                 75, 100, 125, 150, 200, 300, 400, 1000};

std::string tenths(double value) { return decimals(value, 1); }
std::string in_ms(double seconds) { return cat(tenths(seconds * 1e3), " ms"); }

Shown shown(const std::optional<Known>& measured, double predicted) {
  return measured ? Shown{measured->value, true} : Shown{predicted, false};
}

Regime regime_of(const Job& job, const Advice& advice) {
  const Step& step = advice.step;
  const double all = advice.step_s.value;
  const double exposed = advice.exposed_s.value;
  // These need no model where they were measured.
  if (step.rest_s > kIdle * all && step.rest_s > exposed) return Regime::input;
  if (job.sigma && job.sigma->value > kSpread && step.jitter_s > exposed) return Regime::jitter;
  const bool is_known = advice.held_back.empty();
  if (exposed < kHidden * all && (is_known || advice.exposed_s.is_measured)) return Regime::hidden;
  if (!is_known) return Regime::unknown;
  const double latencies = job.table.latency() * static_cast<double>(step.buckets);
  if (latencies > step.total_s / 2) return Regime::latency;
  return advice.rho > 1 ? Regime::bandwidth : Regime::tail;
}

/// How far the model is off, if it is too far.
std::string why_held_back(const Job& job, const Advice& advice) {
  const auto differs = [&](const char* what, const Known& measured, double predicted) {
    const double off = predicted - measured.value;
    if (std::abs(off) <= kMostOff * advice.step_s.value) return std::string();
    return cat(what, " takes ", in_ms(measured.value), " as measured (", measured.from, ") and ",
               in_ms(predicted), " by the model, which is off by ",
               whole(100 * std::abs(off) / advice.step_s.value),
               " % of a step: it does not describe this job");
  };
  std::string why;
  if (job.exposed_s) why = differs("exposed communication", *job.exposed_s, advice.step.exposed_s);
  if (why.empty() && job.step_s) why = differs("a step", *job.step_s, advice.step.step_s());
  return why;
}

class Adviser {
 public:
  Adviser(const Job& job, const std::string& profile) : job_(job), profile_(profile) {}

  Advice run() {
    weigh();
    if (advice_.held_back.empty()) find_levers();
    communication_rule();
    speed_up_rule();
    spread_rule();
    return std::move(advice_);
  }

 private:
  /// What was measured counts more than what the model says.
  void weigh() {
    advice_.step = predict(job_);
    const Step& step = advice_.step;
    advice_.exposed_s = shown(job_.exposed_s, step.exposed_s);
    advice_.communication_s = shown(job_.communication_s, step.total_s);
    advice_.step_s = shown(job_.step_s, step.step_s() - step.exposed_s + advice_.exposed_s.value);
    advice_.rho =
        step.last_backward_s > 0 ? advice_.communication_s.value / step.last_backward_s : 0;
    advice_.held_back = why_held_back(job_, advice_);
    advice_.regime = regime_of(job_, advice_);
  }

  void find_levers() {
    buckets();
    compression();
    accumulation();
    transport();
    backend();
    flags();
    jitter();
    input();
    checkpointing();
    network_knobs();
    std::ranges::stable_sort(advice_.levers, [](const Lever& left, const Lever& right) {
      return left.saves_s > right.saves_s;
    });
    if (advice_.levers.size() > kMostLevers) advice_.levers.resize(kMostLevers);
    more_ranks();
  }

  /// As measured, otherwise as predicted.
  double step_s() const { return advice_.step_s.value; }
  double exposed_s() const { return advice_.exposed_s.value; }
  double saved_by(const Change& change) const {
    return advice_.step.step_s() - predict(job_, change).step_s();
  }
  /// No change of communication saves more than is exposed and, as the model has it, what it costs
  /// beside kernels.
  double most_of_communication() const {
    return exposed_s() + (advice_.exposed_s.is_measured ? 0 : advice_.step.overhead_s);
  }
  double saved_of_communication(const Change& change) const {
    return std::min(saved_by(change), most_of_communication());
  }

  void add(Lever lever, const std::string& leave) {
    if (lever.saves_s >= kWorthIt * step_s()) {
      advice_.levers.push_back(std::move(lever));
    } else if (!leave.empty()) {
      advice_.leave.push_back(leave);
    }
  }

  void buckets() {
    if (job_.parameters.empty()) return;
    if (!job_.table.has_slope()) {
      advice_.leave.push_back(
          "bucket_cap_mb: the all-reduce was measured at one size, so the cost of a bucket is not "
          "known; nettune test --nccl measures several");
      return;
    }
    const double bytes = gradient_bytes(job_);
    int best = 0;
    double saves = 0;
    for (const int mib : kCapsMiB) {
      Change change;
      change.bucket_cap = mib * kMiB;
      const double saved = saved_of_communication(change);
      if (saved > saves + 1e-9) {
        best = mib;
        saves = saved;
      }
      if (change.bucket_cap > bytes) break;
    }
    advice_.best_cap = best * kMiB;
    advice_.best_cap_saves_s = saves;
    add({cat("bucket_cap_mb = ", best),
         cat("DistributedDataParallel(..., bucket_cap_mb=", best, ")"), saves,
         job_.parameters_are_estimated ? "with --params the buckets are exact" : "",
         cat("env.BUCKET_CAP_MB=", whole(job_.bucket_cap / kMiB), " env.BUCKET_CAP_MB=", best),
         false},
        "bucket_cap_mb: no size changes a step by 0.5 %");
  }

  void compression() {
    if (job_.bytes_per_element < 4) return;
    Change change;
    change.bytes_factor = 0.5;
    add({"send gradients as bf16",
         "model.register_comm_hook(None, "
         "torch.distributed.algorithms.ddp_comm_hooks.default_hooks.bf16_compress_hook)",
         saved_of_communication(change),
         "autocast alone does not do this: its gradients stay fp32; watch the loss",
         "env.GRADIENT_HOOK=none env.GRADIENT_HOOK=bf16", false},
        "gradient compression: communication is already hidden");
  }

  /// The savings are per sample, because the step has more samples.
  void accumulation() {
    if (exposed_s() < kHidden * step_s()) return;
    Change change;
    change.accumulate = job_.accumulate * 4;
    const double predicted = advice_.step.step_s();
    const double a_sample = predict(job_, change).step_s() / 4;
    const double most = most_of_communication();
    const auto bounded = [&](double saves) {
      return saves > most ? ", no more than what is exposed" : "";
    };
    std::string how =
        cat("with model.no_sync(): for all but the last one", bounded(predicted - a_sample));
    if (advice_.rho > 1) {
      Change larger;
      larger.batch_factor = std::ceil(advice_.rho);
      const double saves = predicted - predict(job_, larger).step_s() / larger.batch_factor;
      how += cat("; or ", whole(larger.batch_factor), " x the batch per GPU if its memory allows (",
                 whole(std::min(saves, most) * 1e3), " ms a sample", bounded(saves),
                 "): from then on backward can hide all communication");
    }
    add({cat("accumulate ", change.accumulate, " micro-batches"), how,
         std::min(predicted - a_sample, most),
         "the batch grows by the same factor: the learning rate and the result change",
         cat("env.ACCUMULATE=", job_.accumulate, " env.ACCUMULATE=", change.accumulate), true},
        "");
  }

  void transport() {
    Change change;
    change.time_factor = 0.5;
    add({"a network twice as fast",
         "first check that the present one performs as it should: nettune doctor, and nettune nccl "
         "explain on a log of the job (GPUDirect RDMA, sockets, the rate of each port)",
         saved_of_communication(change),
         "an upper bound on what fixing the transport can bring, not a promise",
         profile_.empty() ? "" : cat("current ", shell_word(profile_)), false},
        "the network: twice the bandwidth changes a step by less than 0.5 %");
  }

  /// Compares NCCL, Gloo and MPI by their measured tables, otherwise by their purpose.
  void backend() {
    bool has_other = false;
    for (const MeasuredTable& other : job_.tables) {
      if (other.backend.empty() || other.backend == job_.backend || job_.backend.empty()) continue;
      has_other = true;
      Change change;
      change.table = &other.table;
      const double saved = saved_of_communication(change);
      const std::string figures = cat("a step takes ", in_ms(step_s() - saved), " by ",
                                      other.backend, ", ", in_ms(step_s()), " by ", job_.backend);
      add({cat("backend ", other.backend, " instead of ", job_.backend),
           cat("init_process_group(\"", other.backend, "\"): ", figures), saved,
           other.ranks == job_.table_ranks ? ""
                                           : "it was measured with a different number of ranks",
           cat("env.BACKEND=", job_.backend, " env.BACKEND=", other.backend), false},
          cat("backend ", job_.backend, ": ", figures));
    }
    if (has_other || job_.backend.empty()) return;
    const bool is_nccl = job_.backend == "nccl";
    advice_.rules.push_back(
        {"backend",
         {},
         !is_nccl,
         is_nccl ? "backend nccl: right for tensors on NVIDIA GPUs; Gloo is for CPU tensors, and "
                   "MPI needs a PyTorch that was built with it"
                 : cat("backend ", job_.backend,
                       ": for tensors on NVIDIA GPUs, measure nccl against it. The loop of nettune "
                       "advise --snippet under init_process_group(\"nccl\") writes its table; give "
                       "both with --from")});
  }

  /// "Above 30 % it is too much": applies to communication that is not hidden.
  void communication_rule() {
    constexpr double kGuides = 0.30;
    // Where the model is off, only what was measured counts.
    if (!advice_.held_back.empty() && !advice_.exposed_s.is_measured) return;
    const double share = step_s() > 0 ? exposed_s() / step_s() : 0;
    const double all = step_s() > 0 ? advice_.communication_s.value / step_s() : 0;
    advice_.rules.push_back(
        {"communication", share, share > kGuides,
         cat("communication above 30 % of a step: ", whole(share * 100),
             " % of a step is exposed, ", share > kGuides ? "too much" : "which is less",
             "; all of it, hidden or not, is as long as ", whole(all * 100), " % of a step")});
  }

  /// "8 GPUs are 5 to 7 times as fast as one."
  void speed_up_rule() {
    constexpr double kGuides = 0.62;  // 5 of 8
    const int ranks = job_.table_ranks;
    if (ranks < 2 || !advice_.held_back.empty()) return;
    const double efficiency = advice_.step.efficiency();
    advice_.rules.push_back({"speed-up", efficiency * ranks, efficiency < kGuides,
                             cat("8 GPUs give 5 to 7 times one (62 to 88 %): ", ranks, " give ",
                                 tenths(efficiency * ranks), " (", whole(efficiency * 100),
                                 " %); PyTorch's own table has 7.4 of 8 (93 %) within one node")});
  }

  /// "GPU use that varies by 15 to 20 %."
  void spread_rule() {
    constexpr double kGuides = 0.15;
    if (job_.by_rank.size() < 2) return;
    const auto [least, most] =
        std::ranges::minmax(job_.by_rank, {}, [](const RankCompute& one) { return one.compute_s; });
    if (most.compute_s <= 0) return;
    const double spread = 1 - least.compute_s / most.compute_s;
    advice_.rules.push_back(
        {"spread", spread, spread > kGuides,
         cat("GPU use that varies by 15 to 20 %: rank ", least.rank, " computes for ",
             whole(spread * 100), " % less than rank ", most.rank,
             ", and all wait for it: ", in_ms(advice_.step.jitter_s), " of a step")});
  }

  void flags() {
    if (job_.find_unused)
      advice_.leave.push_back(
          "find_unused_parameters is on: it walks the graph in each step; turn it off unless DDP "
          "asks for it, or use static_graph=True if the graph never changes");
  }

  void jitter() {
    Change change;
    change.without_jitter = true;
    const double saved = saved_by(change);
    if (saved <= 0) return;
    add({"the slowest rank",
         "run nettune compare on the facts of its node and the others; check clocks, cooling, "
         "neighbours, the data loader",
         saved, "", "", false},
        "stragglers: the ranks differ too little to matter");
  }

  void input() {
    Change change;
    change.without_idle = true;
    const double saved = saved_by(change);
    if (saved <= 0) return;
    add({"keep the GPU fed",
         "DataLoader(num_workers=cores of a rank - 1, pin_memory=True, persistent_workers=True), "
         "prefetch to the GPU, faster storage; also avoid .item() and print(), which wait for the "
         "GPU",
         saved,
         "idle time is input, the optimizer on the CPU, or waiting in Python; a trace shows which",
         "env.NUM_WORKERS=0 env.NUM_WORKERS=4", false},
        "");
  }

  /// A longer backward hides more communication.
  void checkpointing() {
    if (exposed_s() < kHidden * step_s()) return;
    Change change;
    change.recompute = true;
    const double longer = -saved_by(change);
    advice_.leave.push_back(
        longer < kWorthIt * step_s()
            ? "activation checkpointing: it saves memory; it costs no time here, because it hides "
              "as much communication, and saves none"
            : cat("activation checkpointing: it saves memory, not time; a step would take up to ",
                  in_ms(longer), " longer, although more communication is hidden"));
  }

  void network_knobs() {
    if (advice_.regime != Regime::bandwidth && advice_.regime != Regime::latency)
      advice_.leave.push_back("NCCL_* variables: what they speed up is hidden or not the problem");
    if (advice_.rho > 1 && job_.table.has_slope() && advice_.best_cap_saves_s < kWorthIt * step_s())
      advice_.leave.push_back("overlap: all of backward is already used");
  }

  void more_ranks() {
    const int now = job_.table_ranks;
    if (now < 2) return;
    for (int factor : {1, 2, 4, 8}) {
      // A single size cannot separate latency and bandwidth.
      const bool is_enough = job_.table.has_slope() && !job_.table_is_one_node;
      if (factor > 1 && !is_enough) break;
      Change change;
      change.ranks = now * factor;
      advice_.at_ranks.push_back({change.ranks, predict(job_, change), factor > 1});
    }
  }

  const Job& job_;
  const std::string& profile_;
  Advice advice_;
};

}  // namespace

std::string_view regime_word(Regime regime) {
  constexpr std::array<std::string_view, 7> kWords = {
      "input-bound",   "jitter-bound", "hidden", "bandwidth-bound",
      "latency-bound", "tail-bound",   "unknown"};
  return kWords[static_cast<std::size_t>(regime)];
}

std::optional<Missing> what_is_missing(const Job& job) {
  if (job.parameters.empty() && job.buckets.empty())
    return Missing{"the sizes of the gradients",
                   "nettune advise --snippet prints the lines that write them"};
  if (!job.backward_s)
    return Missing{"the time of forward and backward",
                   "nettune advise --snippet prints the lines that write DDP's own, or give "
                   "--forward-ms and --backward-ms"};
  if (job.table.empty())
    return Missing{
        "the time of an all-reduce by size",
        "run this on one of the job's nodes, and give the file with --from: nettune test --nccl "
        "--json PEER... > nccl.json; the output of nccl-tests is as good: all_reduce_perf -b 64K "
        "-e 1G -f 2 -n 20"};
  return std::nullopt;
}

Advice advise(const Job& job, const std::string& profile) { return Adviser(job, profile).run(); }

}  // namespace nettune::tools::advise
