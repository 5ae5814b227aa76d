// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/variable_warnings.hpp"

#include "base/text.hpp"
#include "nccl/lint.hpp"
#include "node/nccl_job.hpp"

namespace nettune::cli::commands {

namespace {

/// The libraries of this machine say nothing about an image.
Result<nccl::Version> release_of(const node::Context& context, const nccl::Catalog& catalog) {
  if (context.image()) return catalog.releases.back();
  TRY_ASSIGN(const node::ChosenVersion chosen, node::choose_version(context, "", "", catalog));
  return chosen.version;
}

}  // namespace

std::vector<node::Warning> judge_variables(const nccl::Catalog& catalog,
                                           const nccl::Version& version,
                                           const std::vector<JobVariable>& variables) {
  std::vector<nccl::Assignment> set;
  for (const JobVariable& one : variables)
    set.push_back({one.name, one.value, one.origin.file, one.origin.line, nccl::Kind::profile});
  std::vector<node::Warning> warnings;
  for (const nccl::Finding& finding : nccl::lint({&catalog, version}, set)) {
    const nccl::Judgement& judgement = finding.judgement;
    const bool is_unknown = judgement.verdict == nccl::Verdict::unknown_name;
    if (judgement.level < nccl::Level::warning && !is_unknown) continue;
    warnings.push_back(
        {{cat("env:", finding.set.name)},
         cat(judgement.why, judgement.instead.empty() ? "" : cat("; instead: ", judgement.instead),
             " [NCCL ", version.text(), "]"),
         {finding.set.file, finding.set.line}});
  }
  return warnings;
}

void add_variable_warnings(node::Context& context, node::Planned& planned) {
  const std::vector<JobVariable>& variables = planned.resolved.desired.variables;
  // The release on a recorded node is unknown.
  if (variables.empty() || !planned.resolved.misfits.empty() || context.recorded()) return;
  const auto judged = [&]() -> Result<std::vector<node::Warning>> {
    TRY_ASSIGN(const nccl::Catalog catalog, node::read_catalog(context.disk()));
    TRY_ASSIGN(const nccl::Version version, release_of(context, catalog));
    return judge_variables(catalog, version, variables);
  }();
  if (judged)
    planned.of_variables = *judged;
  else
    planned.plan.notes.push_back(
        cat("the variables of [env] were not checked: ", judged.error().text));
}

}  // namespace nettune::cli::commands
