// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/env_explain.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <unistd.h>

#include "base/text.hpp"
#include "facts/collect.hpp"
#include "tools/nccl/program/surroundings.hpp"

namespace nettune::tools::nccl::program {

namespace {

/// The strongest first. In an nccl.conf the first line of a name wins, elsewhere the last.
std::vector<std::size_t> by_strength(const scripts::NodePlaces& places, const std::string& name) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < places.all.size(); ++i)
    if (places.all[i].set.name == name) found.push_back(i);
  const auto is_conf = [&](std::size_t i) {
    return places.all[i].source <= scripts::Source::user_conf;
  };
  std::ranges::sort(found, [&](std::size_t left, std::size_t right) {
    const scripts::Source of_left = places.all[left].source;
    const scripts::Source of_right = places.all[right].source;
    if (of_left != of_right) return of_left > of_right;
    return is_conf(left) ? left < right : left > right;
  });
  return found;
}

/// The lint findings for every winning value, each once.
Result<std::vector<nettune::nccl::Finding>> judge(const ExplainedVariable& explained,
                                                  const nettune::nccl::Catalog& catalog) {
  std::vector<nettune::nccl::Assignment> winners;
  std::set<std::pair<std::string, bool>> seen;
  for (const scripts::EffectiveValue& outcome : explained.outcomes) {
    if (!outcome.winner) continue;
    const nettune::nccl::Assignment& set = explained.all.all[*outcome.winner].set;
    if (seen.emplace(set.value, set.kind == nettune::nccl::Kind::conf).second)
      winners.push_back(set);
  }
  TRY_ASSIGN(const facts::Facts node, facts::collect(facts::live()));
  nettune::nccl::Job job{&catalog, explained.nccl.version, &node};
  job.exists = [](const std::string& path) -> std::optional<bool> {
    return ::access(path.c_str(), F_OK) == 0;
  };
  std::vector<nettune::nccl::Finding> findings;
  for (const nettune::nccl::Assignment& one : winners)
    for (nettune::nccl::Finding& finding : nettune::nccl::lint(job, {one})) {
      const nettune::nccl::Verdict verdict = finding.judgement.verdict;
      const bool of_the_name = verdict == nettune::nccl::Verdict::unknown_name ||
                               verdict == nettune::nccl::Verdict::not_in_version;
      if (!of_the_name && finding.judgement.level != nettune::nccl::Level::ok)
        findings.push_back(std::move(finding));
    }
  return findings;
}

/// For a variable that is read before NCCL reads its files.
void doubt_files(ExplainedVariable& explained) {
  for (scripts::EffectiveValue& outcome : explained.outcomes) {
    if (!outcome.winner) continue;
    const nettune::nccl::Assignment& set = explained.all.all[*outcome.winner].set;
    if (set.kind == nettune::nccl::Kind::conf)
      outcome.doubts.push_back(
          cat(set.file, " comes too late: NCCL reads the variable before that file"));
  }
}

}  // namespace

Result<ExplainedVariable> explain_variable(node::Context& context, const ExplainOptions& options) {
  const std::string& name = options.name;
  if (!nettune::nccl::is_variable_name(name))
    return cli::usage(cat("--explain takes the name of a variable, not \"", printable(name), "\""),
                      "env");
  TRY_ASSIGN(const nettune::nccl::Catalog catalog,
             node::read_catalog(context.disk(), options.catalog_file));
  ExplainedVariable explained;
  explained.name = name;
  TRY_ASSIGN(explained.nccl, node::choose_version(context, options.nccl, "", catalog));
  const nettune::nccl::Version& version = explained.nccl.version;
  explained.all = scripts::collect_variable_places(context.disk(), "", surroundings(version));
  explained.places = by_strength(explained.all, name);
  for (const scripts::Start start : scripts::kStarts)
    if (start != scripts::Start::slurm_task || explained.all.has_slurm)
      explained.outcomes.push_back(scripts::effective_value(explained.all, start, name));
  if (const nettune::nccl::Variable* const variable = catalog.find(name)) {
    explained.is_known = true;
    explained.default_text = variable->default_at(version);
    if (nettune::nccl::is_read_before_files(*variable)) doubt_files(explained);
  }
  nettune::nccl::judge_name({&catalog, version}, {name, "", "", 0}, explained.of_the_name);
  if (std::ranges::any_of(explained.outcomes, [](const scripts::EffectiveValue& one) {
        return one.winner.has_value();
      })) {
    TRY_ASSIGN(explained.findings, judge(explained, catalog));
  }
  return explained;
}

cli::Command explain_program(ExplainOptions& into) {
  return {"env",
          &into,
          {{"--explain", "VAR", "", &into.name, true},
           {"--nccl", "VERSION", "", &into.nccl},
           {"--catalog", "FILE", "", &into.catalog_file}},
          [&into](node::Context& context, cli::Output& output) -> Result<node::Exit> {
            TRY_ASSIGN(const ExplainedVariable explained, explain_variable(context, into));
            output.print(into.json ? json::explained(explained)
                                   : text::explained(explained, output.style()));
            return node::Exit::done;
          }};
}

std::string_view start_word(scripts::Start start) {
  constexpr std::array<std::string_view, scripts::kStarts.size()> kWords = {
      "here", "login", "ssh-command", "service", "user-service", "slurm-task", "container"};
  return kWords[static_cast<std::size_t>(start)];
}

std::string start_text(scripts::Start start) {
  constexpr std::array<std::string_view, scripts::kStarts.size()> kTexts = {
      "this shell",       "a new login shell", "ssh HOST COMMAND (bash)",
      "a system service", "a user's service",  "a Slurm task",
      "a container"};
  return std::string(kTexts[static_cast<std::size_t>(start)]);
}

std::vector<std::string> not_seen(const ExplainedVariable& explained) {
  std::vector<std::string> out = {
      "what a job's script, a scheduler, a container's image or its runtime sets",
      "what other users' homes set, and shells other than bash and sh",
      "files that another file reads by . or source"};
  if (explained.all.has_slurm)
    out.emplace_back("the environment that sbatch and srun pass along (--export)");
  if (::geteuid() == 0 && std::getenv("SUDO_USER"))
    out.emplace_back("your environment before sudo: sudo replaced it; run this again without sudo");
  return out;
}

}  // namespace nettune::tools::nccl::program
