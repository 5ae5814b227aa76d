// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/nccl_explain.hpp"

#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "tools/nccl/log/reader/input.hpp"
#include "tools/nccl/program/annotations.hpp"
#include "tools/nccl/program/nccl_causes.hpp"
#include "tools/nccl/program/print_nccl_explain.hpp"

namespace nettune::tools::nccl::program {

namespace {

using log::Answer;
using log::Cause;
using log::Log;
using log::judge::Expectation;

/// A line of NCCL, of nccl-tests, or of somebody who says what went wrong.
bool says_something(const Log& log) {
  return log.messages != 0 || !log.versions.empty() || !log.events.empty() || !log.waits.empty() ||
         !log.dumps.empty() || !log.tests.results.empty() || log.tests.ranks.ranks != 0;
}

/// Where the log says too little, or is against an expectation: the latter first.
node::Exit judged(const Log& log, const std::vector<log::judge::Outcome>& outcomes) {
  node::Exit exit = says_something(log) ? node::Exit::done : node::Exit::unknown;
  for (const log::judge::Outcome& outcome : outcomes) {
    if (outcome.met == Answer::unknown) exit = node::worse(exit, node::Exit::unknown);
    if (outcome.met == Answer::no) exit = node::worse(exit, node::Exit::drift);
  }
  return exit;
}

/// What is against an expectation is an error, as its exit code is; what failed first is one where
/// the job failed.
std::vector<Annotation> annotations_of(const Explained& explained) {
  using nettune::nccl::Level;
  std::vector<Annotation> all;
  const auto add_told = [&](const log::judge::Told& told) {
    if (told.event >= explained.log.events.size()) return;
    const log::Event& event = explained.log.events[told.event];
    all.push_back({Level::error, told.cause.empty() ? "first-error" : told.cause,
                   explained.log.files[event.file], event.line,
                   cat(printable(told.quote), told.why.empty() ? "" : cat(": ", told.why),
                       told.checks.empty() ? "" : cat(" Check: ", join(told.checks, "; ")))});
  };
  if (explained.report.first) add_told(*explained.report.first);
  for (const log::judge::Told& rival : explained.report.rivals) add_told(rival);
  for (const log::judge::Outcome& outcome : explained.outcomes)
    if (outcome.met != Answer::yes)
      all.push_back({outcome.met == Answer::no ? Level::error : Level::warning,
                     cat("expect-", outcome.expectation.word), explained.log.files.front(), 0,
                     cat("expected ", outcome.expectation.word, ": ",
                         outcome.met == Answer::no ? "not met: " : "unknown: ", outcome.why)});
  return all;
}

}  // namespace

Result<node::Exit> nccl_explain(node::Context&, const NcclOptions& options, cli::Output& output) {
  if (options.files.empty())
    return fail(Errc::invalid,
                "nettune nccl explain needs the logs of a job (files, or - for standard input)");
  std::vector<Expectation> expectations;
  if (!options.expect.empty()) {
    TRY_ASSIGN(expectations, log::judge::parse_expectations(options.expect));
  }
  TRY_ASSIGN(const std::vector<Cause> causes, built_in_causes());
  log::reader::Reader reader(causes);
  std::vector<std::string> open;
  node::Exit unread = node::Exit::done;
  std::size_t read = 0;
  for (const std::string& file : options.files) {
    bool cut = false;
    const auto done = read_log(file, reader, cut);
    if (!done && options.files.size() == 1) return fail(done.error());
    if (cut) open.push_back(cat("the end of ", file, ": the gzip file is truncated"));
    read += done ? 1U : 0U;
    if (done) continue;
    // The others are explained all the same.
    output.complain(cli::text::error(done.error(), cli::Style{}));
    open.push_back(cat("what could not be read: ", done.error().text));
    unread = node::worse(unread, node::exit_for(done.error().code));
  }
  if (read == 0) return unread;
  const Log log = reader.finish();
  log::judge::Verdict verdict = log::judge::judge(log, causes);
  verdict.open.insert(verdict.open.begin(), open.begin(), open.end());
  std::vector<log::judge::Outcome> outcomes;
  for (const Expectation& expectation : expectations)
    outcomes.push_back(compare(expectation, log, verdict));
  const Explained explained{causes, log, verdict, outcomes, report(log, causes, verdict)};
  if (!options.format.empty())
    output.print(annotations_text(options.format, annotations_of(explained)));
  else
    output.print(options.json ? json::nccl_explain(explained)
                              : text::nccl_explain(explained, output.style(), options.verbose > 0));
  return node::worse(unread, judged(log, outcomes));
}

}  // namespace nettune::tools::nccl::program
