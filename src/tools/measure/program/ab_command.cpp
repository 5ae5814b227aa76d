// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/ab_command.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "base/utc.hpp"
#include "cli/print_text.hpp"
#include "facts/json.hpp"
#include "node/output_file.hpp"
#include "node/signals.hpp"
#include "tools/measure/net/socket.hpp"
#include "tools/measure/net/token.hpp"
#include "tools/measure/program/print_ab.hpp"
#include "tools/measure/program/print_measurement.hpp"

namespace nettune::tools::measure::program {
namespace {

using node::Exit;

constexpr std::uint64_t kEvidenceLimit = 16U << 20U;

Result<std::uint64_t> seed_of(const AbOptions& options) {
  const std::string& text = options.seed;
  if (!text.empty()) {
    const auto value = parse_int(text);
    if (value && *value >= 0) return static_cast<std::uint64_t>(*value);
    return cli::usage(cat("--seed takes a number from 0, not '", printable(text), "'"),
                      options.program);
  }
  TRY_ASSIGN(const net::Tokens random, net::new_tokens());
  std::uint64_t seed = 0;
  std::memcpy(&seed, random.caller.data(), sizeof seed);
  return seed % 1'000'000'000;  // short enough to be typed again
}

Exit exit_of(const Evidence& evidence) {
  const Verdict verdict = judge(evidence).judgement.verdict;
  return verdict == Verdict::undecided || verdict == Verdict::constant ? Exit::drift : Exit::done;
}

}  // namespace

Result<Evidence> evidence_for(node::Context& context, const AbOptions& options, const Arms& arms,
                              const AbRequest& request) {
  TRY_ASSIGN(const facts::Facts* const facts, context.facts());
  Evidence out;
  out.time = utc_text(std::time(nullptr));
  out.host = facts->node.hostname;
  out.kernel = facts->node.kernel;
  out.facts_digest = sha256_hex(facts::to_json(*facts));
  out.command = request.words;
  out.metric = options.with.empty() ? options.metric : options.with;
  out.lower_is_better = options.lower_is_better || (options.metric.empty() && options.with.empty());
  TRY_ASSIGN(out.delta, delta_of(options.delta, options.program));
  TRY_ASSIGN(out.seed, seed_of(options));
  out.a = arms.a;
  out.b = arms.b;
  return out;
}

Result<> save_evidence(const std::string& path, const std::string& text) {
  if (path.empty()) return {};
  if (auto written = node::write_output_file(path, text, 0644); !written)
    return fail(written.error().code,
                cat(written.error().text, "; name another file with --evidence"),
                written.error().sys);
  return {};
}

AbRun with_nodes(node::Context& context, const AbOptions& options,
                 const std::function<Result<AbEnd>(Nodes&)>& work) {
  Watcher watcher(context.locations());
  Nodes nodes(context, options, watcher.watched());
  AbRun out{work(nodes), {}};
  if (const auto back = nodes.back(); !back)
    out.home = {Exit::unfinished, cat("the node is still switched: ", back.error().text,
                                      "; its own timer reverts it; see nettune status")};
  else
    out.home = *back;
  return out;
}

Result<Exit> compare(node::Context& context, const AbOptions& options, const Arms& arms,
                     const AbRequest& request, cli::Output& output) {
  const node::DeferredSignals signals;
  TRY_ASSIGN(Evidence evidence, evidence_for(context, options, arms, request));
  const std::string& path = options.evidence_file;
  TRY(save_evidence(path, measure::to_json(evidence)));  // before anything takes time
  const bool people = !options.json;
  if (people) output.print(text_of_arms(evidence) + text_of_rule(evidence));
  if (people && path.empty()) output.print(kNotSaved);
  output.flush();
  Progress progress(people && ::isatty(STDERR_FILENO) == 1);
  AbListener listener;
  listener.doing = [&](const std::string& what) { progress.show(what); };
  listener.planned = [&](const Evidence& now, const Forecast& chances, double seconds) {
    progress.clear();
    if (people) output.print(text_of_plan(now, chances, seconds));
    output.flush();
  };
  std::vector<std::string> said;
  listener.noted = [&](const std::string& note) {
    progress.clear();
    if (people) output.print(text_of_notes({note}));
    said.push_back(note);
    output.flush();
  };
  listener.saved = [&](const Evidence& now) { return save_evidence(path, measure::to_json(now)); };
  const auto [end, home] = with_nodes(context, options, [&](Nodes& nodes) {
    return run_ab(context, nodes, request, evidence, listener);
  });
  progress.clear();
  if (!end) evidence.ended = end.error().text;
  TRY(save_evidence(path, measure::to_json(evidence)));
  if (home.exit != Exit::done) output.complain(cat("error: ", home.why, "\n"));
  if (!end) return fail(end.error());
  if (!end->why.empty()) output.complain(cat("error: ", end->why, "\n"));
  if (people && end->why.empty()) output.print(text_of_verdict(evidence, output.style()));
  output.print(people ? text_of_failures(evidence) + text_of_notes(evidence.notes, said)
                      : measure::to_json(evidence));
  if (people && !path.empty()) output.print(cat("evidence: ", shell_word(path), "\n"));
  output.flush();
  const Exit exit = end->exit == Exit::done ? exit_of(evidence) : end->exit;
  return home.exit == Exit::done ? exit : home.exit;
}

Result<Exit> judge_file(node::Context& context, const AbOptions& options, cli::Output& output) {
  if (!options.arms.empty() || !options.command.empty())
    return cli::usage("--judge takes its A, B and command from the file", "ab");
  TRY_ASSIGN(const std::string text,
             node::read_named_file(context.disk(), options.judge_file, kEvidenceLimit));
  auto evidence = evidence_from(text);
  if (!evidence) return fail_in(printable(options.judge_file), std::move(evidence).error());
  output.print(options.json ? measure::to_json(*evidence)
                            : cat(text_of_arms(*evidence), text_of_rule(*evidence),
                                  text_of_verdict(*evidence, output.style()),
                                  text_of_failures(*evidence), text_of_notes(evidence->notes)));
  return exit_of(*evidence);
}

}  // namespace nettune::tools::measure::program
