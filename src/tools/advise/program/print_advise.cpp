// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"
#include "tools/advise/parallelism.hpp"
#include "tools/advise/program/advise_command.hpp"

namespace nettune::tools::advise::program {

namespace {

using advise::Advice;
using advise::Job;
using advise::Known;

std::string ms(double seconds) {
  return cat(decimals(seconds * 1e3, seconds < 0.01 ? 2 : 1), " ms");
}
std::string percent(double share) { return cat(decimals(share * 100, share < 0.1 ? 1 : 0), " %"); }
std::string megabytes(double bytes) {
  return cat(decimals(bytes / 1e6, bytes < 1e7 ? 2 : 0), " MB");
}

std::string known(const char* name, const Known& one, const std::string& value) {
  return cat(name, " ", value, one.is_estimated ? ", estimated" : "", " (", node::safe(one.from),
             ")");
}

std::string on_ranks(const Job& job) {
  if (job.table_scaled_from > 0)
    return cat(" on ", job.table_scaled_from, " ranks, scaled to ", job.table_ranks, ", estimated");
  return job.table_ranks > 0 ? cat(" on ", job.table_ranks, " ranks") : std::string();
}

std::string table_text(const Job& job) {
  if (job.table_is_estimated) return "all-reduce as a ring over the slowest path, estimated";
  const std::size_t sizes = job.table.points().size();
  std::string at = cat("all-reduce at ", sizes, sizes == 1 ? " size" : " sizes");
  if (job.table.has_slope()) return at;
  return cat(at, sizes == 1 ? "" : " close together",
             ", through the origin without a latency, estimated");
}

/// What the files measured of a step; "" for nothing.
std::string measured(const Job& job, const cli::Style& style) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::optional<Known>& one) {
    if (one) parts.push_back(known(name, *one, ms(one->value)));
  };
  add("step", job.step_s);
  add("compute", job.compute_s);
  add("communication", job.communication_s);
  add("exposed communication", job.exposed_s);
  add("idle", job.idle_s);
  if (parts.empty()) return {};
  return cli::wrap(cat("measured: ", join(parts, "; ")), "  ", style.width);
}

std::string notes(const Job& job, const cli::Style& style) {
  std::string out;
  for (const std::string& one : job.notes)
    out += cli::wrap(cat("note: ", node::safe(one)), "  ", style.width);
  return out;
}

/// Every input of the model, with its origin.
std::string inputs(const Job& job, const cli::Style& style) {
  std::vector<std::string> parts;
  const double bytes = advise::gradient_bytes(job);
  const bool of_ddp = !job.buckets.empty();
  parts.push_back(
      cat("gradients ", megabytes(bytes),
          job.parameters_are_estimated ? ", as equal tensors, estimated" : "", " (",
          node::safe(job.parameters_from.empty() ? job.buckets_from : job.parameters_from), ")"));
  if (of_ddp)
    parts.push_back(cat(job.buckets.size(), " buckets (", node::safe(job.buckets_from), ")"));
  if (job.forward_s) parts.push_back(known("forward", *job.forward_s, ms(job.forward_s->value)));
  if (job.backward_s)
    parts.push_back(known("backward", *job.backward_s, ms(job.backward_s->value)));
  if (!job.table.empty())
    parts.push_back(cat(table_text(job), on_ranks(job), " (", node::safe(job.table_from), ")"));
  if (job.sigma) parts.push_back(known("ranks spread", *job.sigma, percent(job.sigma->value)));
  parts.push_back(
      known("gamma", job.gamma_s, cat(decimals(job.gamma_s.value * 1e6, 0), " us per bucket")));
  if (!job.measured_in_job) {
    parts.push_back(known("iota", job.iota, percent(job.iota.value)));
    parts.push_back(known("kappa", job.kappa, percent(job.kappa.value)));
  }
  return cli::wrap(cat("from: ", join(parts, "; ")), "  ", style.width);
}

std::string headline(const Job& job, const Advice& advice, const cli::Style& style) {
  const Step& step = advice.step;
  std::string out;
  if (!advice.held_back.empty())
    out += cat(style.bold(cat("no levers: ", node::safe(advice.held_back))), "\n");
  const std::string line =
      cat(advise::regime_word(advice.regime), ": communication takes ",
          ms(advice.communication_s.value), advice.communication_s.is_measured ? " (measured)" : "",
          ", backward ", ms(step.last_backward_s), " (rho ", decimals(advice.rho, 2), ")");
  out += cat(advice.held_back.empty() ? style.bold(line) : line, "\n");
  out += measured(job, style);
  out += cat("  predicted step ", ms(step.step_s()), ": forward ", ms(step.forward_s),
             ", backward ", ms(step.backward_s), ", exposed communication ", ms(step.exposed_s));
  if (step.overhead_s > 0)
    out += cat(", DDP and NCCL overhead ", ms(step.overhead_s), " (estimated)");
  if (step.jitter_s > 0) out += cat(", waiting for the slowest rank ", ms(step.jitter_s));
  if (step.rest_s > 0) out += cat(", idle ", ms(step.rest_s));
  out += "\n";
  if (job.step_s && job.step_s->value > 0)
    out += cat("  the model is ", percent(std::abs(step.step_s() / job.step_s->value - 1)),
               step.step_s() < job.step_s->value ? " below" : " above", " the measured step\n");
  return out + notes(job, style);
}

std::string scaling(const Job& job, const Advice& advice, const cli::Style& style) {
  if (advice.at_ranks.empty()) return {};
  cli::Table table({{"GPUS"}, {"STEP"}, {"EFFICIENCY"}, {"SPEED-UP"}, {""}});
  for (const AtRanks& one : advice.at_ranks)
    table.add({cat(one.ranks), ms(one.step.step_s()), percent(one.step.efficiency()),
               decimals(one.step.efficiency() * one.ranks, 1),
               one.is_estimated ? "estimated" : ""});
  std::string out = cat("\n", table.text(style));
  if (job.table_is_one_node)
    out += "  The all-reduce was measured within one node, and says nothing about several.\n";
  return out;
}

std::string rules(const Advice& advice, const cli::Style& style) {
  if (advice.rules.empty()) return {};
  std::string out = "\nRules of thumb, on these numbers:\n";
  for (const RuleOfThumb& rule : advice.rules)
    out += cli::wrap(rule.text, rule.alarms ? "  ! " : "  - ", style.width);
  return out;
}

/// The command line that proves it. `command` starts the job.
std::string proof(const Lever& lever, const std::vector<std::string>& command) {
  std::string line = cat("prove it: nettune ab ", lever.ab, " --");
  for (const std::string& word : command) line += cat(" ", shell_word(word));
  std::string out =
      cat("     ", node::safe(command.empty() ? line + " torchrun ... train.py" : line), "\n");
  if (lever.ab.starts_with("env."))
    out += lever.is_of_a_sample ? "     (the script must read that variable, and run the same "
                                  "number of samples with both)\n"
                                : "     (the script must read that variable)\n";
  return out;
}

std::string levers(const Advice& advice, const std::vector<std::string>& command,
                   const cli::Style& style) {
  const double step = advice.step_s.value;
  if (!advice.held_back.empty())
    return cat(
        "\n", cli::wrap("What would help is not predicted. Measure the all-reduce on the job's own "
                        "nodes (nettune test --nccl --json), and forward and backward in this "
                        "job; then the model and the job may agree.",
                        "  ", style.width));
  if (advice.levers.empty()) return "\nNothing in the model changes a step by 0.5 %.\n";
  std::string out = "\nWhat would help (predicted):\n";
  int number = 0;
  bool has_proof = false;  // of the best that can be compared
  for (const Lever& lever : advice.levers) {
    out += cat("  ", ++number, "  ", style.bold(lever.name), "  -", ms(lever.saves_s), " (",
               percent(lever.saves_s / step), lever.is_of_a_sample ? " a sample)\n" : ")\n");
    out += cli::wrap(lever.how, "     ", style.width);
    if (!lever.caveat.empty()) out += cli::wrap(lever.caveat, "     ", style.width);
    if (!lever.ab.empty() && !has_proof) {
      out += proof(lever, command);
      has_proof = true;
    }
  }
  return out;
}

std::string ranks_table(const Job& job) {
  if (job.by_rank.size() < 2) return {};
  std::vector<RankCompute> ranks = job.by_rank;
  std::ranges::sort(ranks, std::ranges::greater{}, &RankCompute::compute_s);
  const double median = ranks[ranks.size() / 2].compute_s;
  if (median <= 0) return {};
  constexpr std::size_t kMost = 3;
  std::string out = "\nSlowest ranks by compute: ";
  for (std::size_t i = 0; i < std::min(kMost, ranks.size()); ++i)
    out += cat(i > 0 ? ", " : "", "rank ", ranks[i].rank, " ", ms(ranks[i].compute_s), " (",
               decimals(ranks[i].compute_s / median, 2), " x the median)");
  return out + "\n";
}

std::string collectives(const Job& job, const cli::Style& style) {
  if (job.collectives.empty()) return {};
  std::vector<CollectiveSize> all = job.collectives;
  std::ranges::sort(all, std::ranges::greater{}, [](const CollectiveSize& one) {
    return one.median_s * static_cast<double>(one.count);
  });
  constexpr std::size_t kMost = 6;
  if (all.size() > kMost) all.resize(kMost);
  cli::Table table({{"COLLECTIVE"}, {"SIZE"}, {"COUNT"}, {"SHORTEST"}, {"MEDIAN"}});
  for (const CollectiveSize& one : all)
    table.add({node::safe(one.name), one.bytes > 0 ? megabytes(one.bytes) : "unknown",
               cat(one.count), ms(one.least_s), ms(one.median_s)});
  return cat("\n", table.text(style));
}

}  // namespace

std::string text::missing(const Job& job, const Missing& missing, const cli::Style& style) {
  std::string out = cat(style.bold(cat("not enough data for advice; missing: ", missing.what)),
                        "\n", cli::wrap(missing.command, "  ", style.width));
  out += measured(job, style) + notes(job, style) + ranks_table(job);
  return out + collectives(job, style);
}

std::string text::not_ddp(const Job& job, const std::string& why, const cli::Style& style) {
  std::string out = cat(style.bold(node::safe(why)), "\n", measured(job, style), notes(job, style));
  if (job.exposed_s && job.step_s && job.step_s->value > 0) {
    out += cli::wrap(cat("No change of communication saves more than what is exposed: ",
                         ms(job.exposed_s->value), ", ",
                         percent(job.exposed_s->value / job.step_s->value), " of a step."),
                     "  ", style.width);
    if (advise::is_sharded(job))
      out +=
          cat("\nTo try for all_gather and reduce_scatter, not predicted (prove it with nettune "
              "ab):\n",
              cli::wrap("gather the next parameters earlier: FSDP's forward_prefetch=True and "
                        "backward_prefetch=BACKWARD_PRE, DeepSpeed's overlap_comm and "
                        "prefetch_bucket_size",
                        "  - ", style.width),
              cli::wrap("shard within a node only: ShardingStrategy.HYBRID_SHARD, or ZeRO++'s hpZ: "
                        "all_gather leaves the network, and parameters take more memory",
                        "  - ", style.width),
              cli::wrap("half the bytes: MixedPrecision(param_dtype=torch.bfloat16, "
                        "reduce_dtype=torch.bfloat16); watch the loss",
                        "  - ", style.width));
  }
  return out + ranks_table(job) + collectives(job, style);
}

std::string text::advice(const Job& job, const Advice& advice,
                         const std::vector<std::string>& command, const cli::Style& style) {
  std::string out = headline(job, advice, style) + levers(advice, command, style);
  if (!advice.leave.empty()) {
    out += "\nLeave alone:\n";
    for (const std::string& one : advice.leave) out += cli::wrap(one, "  - ", style.width);
  }
  out += rules(advice, style) + scaling(job, advice, style) + ranks_table(job) +
         collectives(job, style) + "\n";
  return out + inputs(job, style);
}

}  // namespace nettune::tools::advise::program
