// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/tune_command.hpp"

#include <algorithm>
#include <unistd.h>

#include "base/text.hpp"
#include "node/output_file.hpp"
#include "node/signals.hpp"
#include "profile/profile.hpp"
#include "profile/source.hpp"
#include "tools/measure/ceiling.hpp"
#include "tools/measure/program/ab_command.hpp"
#include "tools/measure/program/print_ab.hpp"
#include "tools/measure/program/print_measurement.hpp"
#include "tools/measure/program/tune_run.hpp"
#include "tools/measure/program/tuned_profile.hpp"

namespace nettune::tools::measure::program {
namespace {

using node::Exit;

constexpr std::size_t kMostCandidates = 256;

Failure wrong_line(std::string text) { return cli::usage(std::move(text), "tune"); }

std::string evidence_names(const TuneEvidence& evidence) {
  std::vector<std::string> names;
  for (const Variation& one : evidence.vary)
    names.push_back(cat(printable(one.name), " (", one.values.size(), ")"));
  return join(names, ", ");
}

/// The path of the new profile, where nothing is yet.
Result<std::string> output_path(node::Context& context, const TuneOptions& options) {
  const std::string path = node::absolute_path(
      options.output_file.empty() ? options.profile + "-tuned.toml" : options.output_file);
  const auto name = profile::name_of_file(path);
  if (!name) return wrong_line(cat("--output: ", name.error().text));
  TRY_ASSIGN(const auto info, context.disk().info(path));
  if (info)
    return wrong_line(cat(printable(path),
                          " already exists; remove it, or name another file "
                          "with --output"));
  for (const auto& found : profile::find_profiles(context.disk(), context.profile_sources()))
    if (found.name == *name)
      return wrong_line(cat("there is already a profile ", *name, " (", printable(found.file),
                            "); name another file with --output"));
  if (auto good = node::check_output_file(path); !good)
    return fail(good.error().code, cat(good.error().text, "; name another file with --output"),
                good.error().sys);
  return path;
}

class Candidates {
 public:
  Candidates(node::Context& context, const TuneOptions& options, TunedProfile tuned)
      : context_(context), options_(options), tuned_(std::move(tuned)) {}

  /// Of every combination that is not today's. A value that the written profile could not have is
  /// an error.
  Result<std::vector<TuneCandidate>> make(const std::vector<Variation>& vary,
                                          const AbRequest& request) {
    const std::size_t count = combinations_of(vary);
    if (count > kMostCandidates) return too_many(count, request);
    TRY_ASSIGN(parent_,
               profile::load_merged(context_.disk(), context_.profile_sources(), options_.profile));
    TRY(parent_.mistakes.result());
    Arm today;
    today.profile = options_.profile;
    TRY_ASSIGN(const Given now, given_by(context_, today));
    std::vector<std::vector<bool>> is_today;
    for (const Variation& one : vary) {
      std::vector<bool>& row = is_today.emplace_back();
      for (const std::string& value : one.values) {
        TRY_ASSIGN(const Arm arm, arm_with(options_.profile, one.name, value));
        const auto given = check(arm);
        if (!given)
          return wrong_line(
              cat("--vary ", printable(one.name), "=", printable(value), ": ", given.error().text));
        row.push_back(*given == now);
      }
    }
    std::vector<TuneCandidate> out;
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<std::size_t> chosen = combination(vary, i);
      Arm arm = today;
      for (std::size_t k = 0; k < vary.size(); ++k) {
        if (is_today[k][chosen[k]]) continue;
        TRY_ASSIGN(const Arm one,
                   arm_with(options_.profile, vary[k].name, vary[k].values[chosen[k]]));
        arm.set.insert(one.set.begin(), one.set.end());
        arm.env.insert(one.env.begin(), one.env.end());
      }
      const auto same = [&](const TuneCandidate& other) { return other.arm.name() == arm.name(); };
      if (arm.name() != today.name() && std::ranges::none_of(out, same))
        out.push_back({arm, "", {}});
    }
    if (out.size() < 2) return too_few(out);
    for (const TuneCandidate& one : out)
      if (const auto given = check(one.arm); !given)
        return wrong_line(cat(printable(one.arm.name()), ": ", given.error().text));
    return out;
  }

  /// The text of the profile for this arm, which gives the node just what the arm does.
  Result<std::string> text(const Arm& arm, std::map<std::string, std::string> why) {
    tuned_.why = std::move(why);
    TRY(check(arm));
    return text_of(tuned_, parent_);
  }

 private:
  Result<Given> check(const Arm& arm) {
    tuned_.arm = arm;
    TRY_ASSIGN(Given given, given_by(context_, arm));
    TRY(check_tuned(context_, tuned_, text_of(tuned_, parent_), given));
    return given;
  }

  static Failure too_many(std::size_t count, const AbRequest& request) {
    const std::size_t shown = std::min<std::size_t>(count, 1'000'000'000);
    const auto runs = static_cast<double>(halves_of_halving(shown) * request.repeats);
    return wrong_line(cat("--vary makes ", count > shown ? "more than " : "", shown,
                          " combinations, and ", kMostCandidates,
                          " is the most: with runs of one second that would take ",
                          minutes_text(runs), "; vary fewer values at once"));
  }

  Failure too_few(const std::vector<TuneCandidate>& one) const {
    if (one.empty())
      return wrong_line(
          cat("every value is what ", options_.profile, " has today; there is nothing to try"));
    std::string line = cat("nettune ab ", options_.profile);
    for (const auto& [name, value] : one[0].arm.set)
      line += cat(" --set ", shell_word(cat(name, "=", value)));
    for (const auto& [name, value] : one[0].arm.env)
      line += cat(" --set ", shell_word(cat(kEnv, name, "=", value)));
    return wrong_line(cat(
        "there is only one candidate besides today's settings; compare it: ", line, " -- COMMAND"));
  }

  node::Context& context_;
  const TuneOptions& options_;
  TunedProfile tuned_;
  profile::Merged parent_;
};

/// The comment above each value that changed.
std::map<std::string, std::string> reasons_of(const TuneEvidence& evidence,
                                              const std::string& evidence_file) {
  const Evidence& proof = evidence.proof;
  std::vector<std::string> words;
  for (const std::string& word : proof.command) words.push_back(shell_word(word));
  std::map<std::string, std::string> out;
  for (const Variation& one : evidence.vary) {
    Arm others = proof.b;
    if (others.set.erase(one.name) == 0 &&
        (!one.name.starts_with(kEnv) || others.env.erase(one.name.substr(kEnv.size())) == 0))
      continue;
    const std::string together = others.name().substr(others.profile.size());
    out[one.name] = cat("Better than ", proof.a.name(), ": ", text_of_estimate(judge(proof)),
                        together.empty() ? "" : cat(", together with", printable(together)),
                        ". Tried: ", printable(join(one.values, ", ")), ". Measured by ",
                        join(words, " "), " on ", printable(proof.host), ", ", proof.time,
                        evidence_file.empty() ? "" : cat("; evidence: ", printable(evidence_file)),
                        ", seed ", proof.seed, ".");
  }
  return out;
}

}  // namespace

Result<Exit> tune(node::Context& context, const TuneOptions& options, cli::Output& output) {
  if (const auto good = profile::check_name(options.profile); !good)
    return wrong_line(good.error().text);
  TuneEvidence evidence;
  TRY_ASSIGN(evidence.vary, variations_of(options));
  TRY_ASSIGN(const AbRequest request, request_of(options));
  TRY_ASSIGN(const std::string profile_file, output_path(context, options));
  TunedProfile tuned;
  TRY_ASSIGN(tuned.name, profile::name_of_file(profile_file));
  tuned.summary = cat(options.profile, ", tuned by measurement");
  Candidates candidates(context, options, std::move(tuned));
  TRY_ASSIGN(evidence.candidates, candidates.make(evidence.vary, request));
  const node::DeferredSignals signals;
  Arms arms;
  arms.a.profile = arms.b.profile = options.profile;
  TRY_ASSIGN(evidence.proof, evidence_for(context, options, arms, request));
  const std::string& path = options.evidence_file;
  const auto save = [&] { return save_evidence(path, measure::to_json(evidence)); };
  TRY(save());  // before anything takes time
  const bool people = !options.json;
  const auto print = [&](const std::string& text) {
    if (people) output.print(text);
    output.flush();
  };
  print(cat("today: ", options.profile, "\n", evidence.candidates.size(),
            " combinations: ", evidence_names(evidence), "\n", text_of_rule(evidence.proof),
            path.empty() ? kNotSaved : std::string_view()));
  Progress progress(people && ::isatty(STDERR_FILENO) == 1);
  TuneListener listener;
  listener.proof.doing = [&](const std::string& what) { progress.show(what); };
  listener.proof.saved = [&](const Evidence&) { return save(); };
  listener.proof.planned = [&](const Evidence& now, const Forecast& chances, double seconds) {
    progress.clear();
    print(text_of_plan(now, chances, seconds));
  };
  std::vector<std::string> said;
  listener.proof.noted = [&](const std::string& note) {
    progress.clear();
    print(text_of_notes({note}, said));
    said.push_back(note);
  };
  listener.planned = [&](std::size_t search, std::size_t proof, double seconds) {
    progress.clear();
    print(cat("plan: ", search, " halves to choose one, ", proof, " or more to prove it, about ",
              minutes_text(seconds), "\n"));
  };
  listener.lost = [&](const std::string& why) {
    progress.clear();
    print(cat("out: ", why, "\n"));
  };
  listener.round = [&](const Halving& search) {
    progress.clear();
    print(cat(search.blocks().size(), " blocks: ", search.left().size(), " of ",
              evidence.candidates.size(), " are left, ",
              printable(evidence.candidates[search.best()].arm.name()), " leads\n"));
  };
  listener.proving = [&](const Evidence& proof) {
    progress.clear();
    print(text_of_arms(proof));
  };
  const auto [end, home] = with_nodes(context, options, [&](Nodes& nodes) {
    return run_tune(context, nodes, request, evidence, listener);
  });
  progress.clear();
  if (!end) evidence.ended = end.error().text;
  Result<> written;
  if (end && end->exit == Exit::done && evidence.proven()) {
    const auto text = candidates.text(evidence.proof.b, reasons_of(evidence, path));
    written =
        text ? write_new_file(context.disk(), profile_file, *text, 0644, ::geteuid(), ::getegid())
             : Result<>(fail(text.error()));
    if (written) evidence.written = profile_file;
  }
  TRY(save());
  if (home.exit != Exit::done) output.complain(cat("error: ", home.why, "\n"));
  if (!end) return fail(end.error());
  const bool ended = !end->why.empty();
  if (ended) output.complain(cat("error: ", end->why, "\n"));
  if (!people) output.print(measure::to_json(evidence));
  if (people && !ended) output.print(text_of_verdict(evidence.proof, output.style()));
  if (people)
    output.print(cat(text_of_failures(evidence.proof), text_of_notes(evidence.notes, said),
                     text_of_notes(evidence.proof.notes, said)));
  if (people && !evidence.proven())
    output.print(cat(ended ? "" : "no change is proven: ", options.profile,
                     " stays, and nothing is written\n"));
  if (people && !evidence.written.empty())
    output.print(cat("written: ", shell_word(profile_file), "\n"));
  if (people && !path.empty()) output.print(cat("evidence: ", shell_word(path), "\n"));
  output.flush();
  if (home.exit != Exit::done) return home.exit;
  if (end->exit != Exit::done) return end->exit;
  TRY(written);
  return evidence.proven() ? Exit::done : Exit::drift;
}

}  // namespace nettune::tools::measure::program
