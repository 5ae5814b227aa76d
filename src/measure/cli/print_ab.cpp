// SPDX-License-Identifier: Apache-2.0
#include "measure/cli/print_ab.hpp"

#include <cmath>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "measure/ceiling.hpp"

namespace nettune::measure {
namespace {

std::string signed_per_cent(double ln) {
  const std::string text = decimals(std::expm1(ln) * 100, 2);
  return cat(text.starts_with('-') ? "" : "+", text, " %");
}

std::string share_text(double chance) { return cat(std::lround(chance * 100), " %"); }

std::string interval_text(const Judgement& one) {
  if (!one.interval) return "no interval yet";
  return cat(signed_per_cent(one.interval->estimate), ", ", short_number(100 * (1 - one.alpha)),
             " % interval ", signed_per_cent(one.interval->low), " to ",
             signed_per_cent(one.interval->high));
}

}  // namespace

std::string minutes_text(double seconds) {
  if (seconds < 90) return cat(std::lround(std::ceil(seconds)), " s");
  if (seconds < 7200) return cat(std::lround(std::ceil(seconds / 60)), " min");
  return cat(std::lround(std::ceil(seconds / 3600)), " h");
}

std::string text_of_estimate(const Judged& judged) {
  const Judgement& one = judged.judgement;
  if (!one.interval) return interval_text(one);
  return cat(interval_text(one), " (", one.blocks, " blocks, p ", short_number(judged.p), ")");
}

std::string text_of_arms(const Evidence& evidence) {
  return cat("A: ", printable(evidence.a.name()), "\nB: ", printable(evidence.b.name()), "\nseed ",
             evidence.seed, "; a difference below ", short_number(evidence.delta * 100),
             " % does not matter; + means that B is better\n");
}

std::string text_of_plan(const Evidence& evidence, const Forecast& chances, double seconds) {
  const Noise noise = noise_of(differences_of(evidence.noise, evidence.lower_is_better));
  std::string looks;
  for (const Plan::Look& look : chances.plan.looks)
    looks += cat(looks.empty() ? "" : ", ", look.blocks);
  return cat("noise: a block of A against A differs by ",
             short_number(std::expm1(noise.sigma) * 100), " % (", evidence.noise.size(),
             " blocks)\nplan: at most ", evidence.planned, " blocks, about ", minutes_text(seconds),
             "; verdict after ", looks, "\n", "chances: ", short_number(evidence.delta * 150),
             " % better is detected in ", share_text(chances.at_effect.better),
             " of such runs, exactly ", short_number(evidence.delta * 100), " % in ",
             share_text(chances.at_delta.better), "; no difference is called equivalent in ",
             share_text(chances.at_nothing.equivalent), "\n");
}

namespace {

std::string text_of_notes(const Evidence& evidence) {
  std::string out;
  for (const std::string& note : evidence.notes) out += cat("note: ", printable(note), "\n");
  return out;
}

}  // namespace

std::string text_of_verdict(const Evidence& evidence, const cli::Style& style) {
  const Judged judged = judge(evidence);
  const Judgement& one = judged.judgement;
  std::string out;
  switch (one.verdict) {
    case Verdict::better:
      out = cat(style.green("B is better"), ": ");
      break;
    case Verdict::worse:
      out = cat(style.red("B is worse"), ": ");
      break;
    case Verdict::equivalent:
      out = cat(style.bold("A and B are equivalent"), " within ",
                short_number(evidence.delta * 100), " %: ");
      break;
    case Verdict::undecided:
      out = cat(style.yellow("not decided"), ": ");
      break;
    case Verdict::constant:
      return cat(style.yellow("the metric is constant"), ": it was ",
                 short_number(*evidence.constant()),
                 " in all runs of A and of B, so it did not measure; check --metric ",
                 shell_word(evidence.metric), "\n", text_of_notes(evidence));
  }
  out += text_of_estimate(judged);
  if (one.verdict == Verdict::undecided && one.missing > 0)
    out += cat("; about ", one.missing, " more blocks would decide");
  out += "\n";
  if (judged.strata.size() > 1)
    for (const auto& [name, stratum] : judged.strata)
      out += cat("  ", printable(name), ": ", interval_text(stratum), "\n");
  return out + text_of_notes(evidence);
}

}  // namespace nettune::measure
