// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/print_ab.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tools/measure/ceiling.hpp"

namespace nettune::tools::measure::program {
namespace {

std::string signed_number(double ln) {
  const double value = std::expm1(ln) * 100;
  const std::string text = decimals(value, std::abs(value) < 9.995 ? 2 : 1);
  return cat(text.starts_with('-') ? "" : "+", text);
}

std::string signed_per_cent(double ln) { return cat(signed_number(ln), " %"); }

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
  return cat("A: ", printable(evidence.a.name()), "\nB: ", printable(evidence.b.name()), "\n");
}

std::string text_of_rule(const Evidence& evidence) {
  return cat("seed ", evidence.seed, "; a difference below ", short_number(evidence.delta * 100),
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
             chances.plan.looks.size() > 1 ? cat("; verdict after ", looks) : "",
             "\nchances: ", short_number(evidence.delta * 150), " % better is detected in ",
             share_text(chances.at_effect.better), " of such runs, exactly ",
             short_number(evidence.delta * 100), " % in ", share_text(chances.at_delta.better),
             "; no difference is called equivalent in ", share_text(chances.at_nothing.equivalent),
             "\n");
}

std::string drawn(const Interval& interval, std::size_t width) {
  const double low = std::expm1(interval.low);
  const double high = std::expm1(interval.high);
  const double left = std::min(low, 0.0);
  const double right = std::max(high, 0.0);
  const auto last = static_cast<double>(std::max<std::size_t>(width, 8) - 1);
  const auto column = [&](double value) {
    const double share = right > left ? (value - left) / (right - left) : 0.5;
    return std::isfinite(share) ? std::lround(share * last) : 0L;
  };
  const long zero = column(0);
  // The estimate has room between the ends, and what does not include 0 does not touch it.
  const long begin =
      std::min(std::max(column(low), low > 0 ? zero + 1 : 0L), std::lround(last) - 2);
  const long end =
      std::max(std::min(column(high), high < 0 ? zero - 1 : std::lround(last)), begin + 2);
  const long middle = std::clamp(column(std::expm1(interval.estimate)), begin + 1, end - 1);
  std::string out(static_cast<std::size_t>(std::max({end, zero, middle}) + 1), ' ');
  const auto put = [&](long at, char c) { out[static_cast<std::size_t>(at)] = c; };
  for (long at = begin; at <= end; ++at) put(at, '-');
  put(begin, '[');
  put(end, ']');
  if (zero < begin || zero > end || (zero > begin && zero < end)) put(zero, '|');
  put(middle, '*');
  return out;
}

std::string text_of_notes(const std::vector<std::string>& notes,
                          const std::vector<std::string>& said) {
  std::string out;
  for (const std::string& note : notes)
    if (std::ranges::find(said, note) == said.end()) out += cat("note: ", printable(note), "\n");
  return out;
}

std::string text_of_failures(const Evidence& evidence) {
  const Runs& a = evidence.runs_a;
  const Runs& b = evidence.runs_b;
  if (evidence.failures_allowed == 0 || a.failed + b.failed == 0) return "";
  return cat("runs that failed: A ", a.failed, " of ", a.all, ", B ", b.failed, " of ", b.all,
             " (Fisher's exact test: p ", short_number(judge(evidence).failures_p),
             "; no verdict)\nthe metric is that of the runs that did not fail\n");
}

std::string text_of_verdict(const Evidence& evidence, const cli::Style& style) {
  const Judged judged = judge(evidence);
  const Judgement& one = judged.judgement;
  std::string word;
  std::size_t paint = 0;  // bytes without a column
  const auto say = [&](auto colour, std::string_view text, std::string_view after) {
    const std::string painted = (style.*colour)(text);
    word = cat(painted, after);
    paint = painted.size() - text.size();
  };
  switch (one.verdict) {
    case Verdict::better:
      say(&cli::Style::green, "B is better", " by ");
      break;
    case Verdict::worse:
      say(&cli::Style::red, "B is worse", one.ended_early ? ", ended early: " : " by ");
      break;
    case Verdict::equivalent:
      say(&cli::Style::bold, "A and B are equivalent", ": ");
      break;
    case Verdict::undecided:
      say(&cli::Style::yellow, "not decided", ": ");
      break;
    case Verdict::constant:
      return cat(style.yellow("the metric is constant"), ": it was ",
                 short_number(*evidence.constant()),
                 " in all runs of A and of B, so it did not measure; check --metric ",
                 shell_word(evidence.metric), "\n");
  }
  if (!one.interval) return cat(word, "no interval before ", one.missing, " more blocks\n");
  const std::string estimate = signed_per_cent(one.interval->estimate);
  const std::string numbers =
      cat(short_number(100 * (1 - one.alpha)), " %: ", signed_number(one.interval->low), " to ",
          signed_per_cent(one.interval->high), ", ", one.blocks, " blocks");
  constexpr std::size_t kLine = 80;
  const std::size_t taken = word.size() - paint + estimate.size() + numbers.size() + 4;
  const std::size_t room = taken + 8 < kLine ? kLine - taken : 8;
  std::string out = cat(word, estimate, "  ", drawn(*one.interval, std::min<std::size_t>(room, 24)),
                        "  ", numbers, "\n");
  if (one.missing > 0) out += cat("  about ", one.missing, " more blocks would decide\n");
  if (judged.strata.size() > 1)
    for (const auto& [name, stratum] : judged.strata)
      if (stratum.interval) out += cat("  ", printable(name), ": ", interval_text(stratum), "\n");
  return out;
}

}  // namespace nettune::tools::measure::program
