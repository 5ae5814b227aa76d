// SPDX-License-Identifier: Apache-2.0
#include "nccl/lint.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "nccl/values.hpp"

namespace nettune::nccl {
namespace {

/// From here a carriage return at the end of a line of nccl.conf is cut off (src/misc/param.cc).
constexpr Version kCutsCarriageReturn{2, 30, 3};
/// NCCL cuts a value of nccl.conf there.
constexpr std::size_t kMaxConfValue = 1023;

bool holds(const std::optional<Version>& since, const std::optional<Version>& until,
           const Version& version) {
  return (!since || *since <= version) && (!until || version <= *until);
}

void judge_advice(const Job& job, const Assignment& set, Judgements& out) {
  const std::string value = lower(set.value);
  const auto fits = [&](const std::string& pattern) { return glob_match(pattern, value); };
  for (const Advice& advice : job.catalog->advice)
    if (advice.name == set.name && holds(advice.since, advice.until, job.version) &&
        fits(advice.value) && std::ranges::none_of(advice.unless, fits))
      out.push_back({Verdict::advice, kLevels.value(advice.level).value_or(Level::warning),
                     advice.text, advice.instead, advice.source});
}

/// What a traffic class says.
void judge_class(const Assignment& set, Judgements& out) {
  if (set.name != "NCCL_IB_TC" && set.name != "NCCL_IB_FIFO_TC") return;
  const std::int64_t value = read_number(set.value).value;
  if (value < 0) return;
  out.push_back({Verdict::advice, Level::note,
                 cat("DSCP ", (value & 255) >> 2, ", ECN ", value & 3,
                     ", for RoCE only; it must be lossless in NIC and switch"),
                 "", "src/transport/net_ib"});
}

/// What is read before NCCL has opened its files cannot stand in them.
bool judge_too_late(const Variable& variable, const Assignment& set, Judgements& out) {
  if (set.kind != Kind::conf || !is_read_before_files(variable)) return false;
  const bool own = variable.reader.empty();
  out.push_back({Verdict::defeated, Level::error,
                 own ? "NCCL looks it up in the environment before it reads any file"
                     : "PyTorch reads it before NCCL reads this file",
                 cat("export ", set.name, "=... in the job's environment"),
                 "src/misc/param.cc initEnvFunc"});
  return true;
}

/// Quotes in an env-file: its readers differ.
bool judge_quotes(const Assignment& set, Judgements& out) {
  const std::string& value = set.value;
  if (set.kind != Kind::env_file || value.size() < 2 || (value[0] != '"' && value[0] != '\'') ||
      value.back() != value[0])
    return false;
  out.push_back({Verdict::unsettled, Level::warning,
                 "docker and podman keep the quotes as part of the value, systemd strips them",
                 cat(set.name, "=", printable(value.substr(1, value.size() - 2))), "docs/nccl.md"});
  return true;
}

/// A list with a blank behind a comma, where a shell ends the word.
bool judge_cut(const Assignment& set, Judgements& out) {
  if (!set.cut) return false;
  out.push_back(
      {Verdict::misread, Level::error,
       cat("the blank after the comma ends the value: only ", printable(set.value), " is set"),
       cat(set.name, "=a,b without a blank"), ""});
  return true;
}

/// What a shell would replace.
bool judge_dollar(const Assignment& set, Judgements& out) {
  if (set.kind != Kind::conf || set.value.find_first_of("$`") == std::string::npos) return false;
  out.push_back({Verdict::misread, Level::error, "$ and ` are taken literally in nccl.conf",
                 "the value itself", "src/misc/param.cc setEnvFile"});
  return true;
}

/// A variable that is not exported.
Judgement judge_shell_only(const Assignment& set) {
  if (set.file.ends_with(".py"))
    return {Verdict::unsettled, Level::note, "in a text of Python: who gets it is not known", "",
            ""};
  if (set.handed_on)
    return {Verdict::defeated, Level::note,
            cat("a shell variable: only what $", set.name, " is written into gets it"), "", ""};
  // Launchers make this one from their own options.
  return {Verdict::defeated, set.name == "MASTER_PORT" ? Level::note : Level::warning,
          "only a shell variable: no program gets it", cat("export ", set.name, "=..."), ""};
}

void judge_text(const Job& job, const Variable& variable, const Assignment& set, Rivals& rivals,
                Judgements& out) {
  if (!set.assumed.empty()) {
    Judgement judgement = judge_value(variable, set.assumed, job.version);
    if (judgement.level >= Level::warning) {
      judgement.level = Level::note;
      judgement.why = cat("if it is still ", printable(set.assumed), " (", set.assumed_of,
                          "): ", judgement.why);
      out.push_back(std::move(judgement));
      return;
    }
  }
  if (set.computed) {
    const std::string why = "the value is known only when it runs";
    out.push_back({Verdict::unsettled, Level::note,
                   set.assumed.empty() ? why
                                       : cat(why, "; ", printable(set.assumed), " (",
                                             set.assumed_of, ") if nothing else sets it"),
                   "", ""});
    return;
  }
  if (judge_cut(set, out)) return;
  if (judge_dollar(set, out)) return;
  if (judge_quotes(set, out)) return;
  if (set.kind == Kind::conf && set.value.size() > kMaxConfValue)
    out.push_back({Verdict::misread, Level::error,
                   cat("the value has ", set.value.size(), " bytes, and NCCL truncates it at ",
                       kMaxConfValue),
                   "a shorter value", "src/misc/param.cc setEnvFile"});
  const Judgement judgement = judge_value(variable, set.value, job.version);
  if (judgement.level != Level::ok) out.push_back(judgement);
  if (judgement.level < Level::warning) {
    judge_advice(job, set, out);
    judge_class(set, out);
    judge_on_node(job, variable, set, rivals, out);
  }
}

/// What is said of names, of which files repeat some many times.
using Names = std::map<std::pair<std::string_view, Kind>, Judgements>;

Judgements judge(const Job& job, const std::vector<Assignment>& all, std::size_t index,
                 Rivals& rivals, Names& names) {
  const Assignment& set = all[index];
  const auto [judged, is_new] = names.try_emplace({set.name, set.kind});
  if (is_new) judge_name(job, set, judged->second);
  Judgements out = judged->second;
  const Variable* const variable = job.catalog->find(set.name);
  const bool is_read = std::ranges::none_of(out, [](const Judgement& one) {
    return one.verdict == Verdict::unknown_name || one.verdict == Verdict::not_in_version;
  });
  if (!variable || !is_read) return out;
  if (judge_too_late(*variable, set, out)) return out;
  if (!set.exported) {
    out.push_back(judge_shell_only(set));
    if (!set.handed_on) return out;
  }
  judge_rivals(job, all, index, rivals, out);
  judge_text(job, *variable, set, rivals, out);
  return out;
}

}  // namespace

bool is_read_before_files(const Variable& variable) {
  return variable.name == "NCCL_CONF_FILE" || variable.reader == "PyTorch";
}

std::vector<Finding> lint(const Job& job, const std::vector<Assignment>& assignments) {
  std::vector<Assignment> all;
  for (const Assignment& one : assignments)
    // A script may name its own variables as it likes.
    if (concerns_nccl(*job.catalog, one.name) && (one.exported || job.catalog->find(one.name))) {
      all.push_back(one);
      std::string& value = all.back().value;
      if (one.kind == Kind::conf && job.version >= kCutsCarriageReturn && value.ends_with('\r'))
        value.pop_back();
    }
  Rivals rivals(all, job.elsewhere);
  Names names;
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Judgements judgements = judge(job, all, i, rivals, names);
    if (judgements.empty()) judgements.emplace_back();
    for (Judgement& one : judgements) findings.push_back({all[i], std::move(one)});
  }
  return findings;
}

}  // namespace nettune::nccl
