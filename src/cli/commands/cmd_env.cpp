// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "cli/programs.hpp"
#include "intents/job_files.hpp"
#include "node/job_environment.hpp"
#include "node/nccl_job.hpp"

namespace nettune::cli::commands {

namespace {

using intents::JobFormat;

std::vector<std::string> variable_names(node::Context& context, std::span<const std::string>) {
  std::vector<std::string> names;
  if (const auto catalog = node::read_catalog(context.disk()))
    for (const nccl::Variable& one : catalog->variables) names.push_back(one.name);
  return names;
}

struct EnvCommand : GlobalOptions {
  std::string profile;       ///< "" for the applied one
  std::string format;        ///< "" for sh
  std::string explain;       ///< the variable
  std::string nccl;          ///< a version, or the path of a library
  std::string catalog_file;  ///< "" for the installed one

  Options options() {
    return {{"profile", "", "Profile name (default: the applied one)", &profile},
            {"--format", "FORMAT", "sh (default), docker, nccl.conf, systemd, slurm, k8s or json",
             &format, false, [](node::Context&, auto) { return intents::job_formats(); }},
            {"--facts", "FILE", "For a recorded node (nettune facts --json)", &facts_file},
            {"--explain", "VAR", "Show every place that sets VAR on this node, and which one wins",
             &explain, false, variable_names},
            {"--nccl", "VERSION",
             "--explain: the release, or the path of a libnccl.so.2 (default: auto-detect)", &nccl},
            {"--catalog", "FILE", "--explain: use another catalogue of variables", &catalog_file}};
  }

  static constexpr auto candidates = profile_first;
  Result<node::Exit> run(node::Context& context, Output& output) const;
};

Result<JobFormat> format_of(const EnvCommand& options) {
  if (options.format.empty()) return options.json ? JobFormat::json : JobFormat::sh;
  const auto format = intents::parse_job_format(options.format);
  if (!format)
    return fail(Errc::invalid, cat("--format takes ", join(intents::job_formats(), ", "),
                                   ", not \"", printable(options.format), "\""));
  if (options.json && format != JobFormat::json)
    return fail(Errc::invalid, cat("--json and --format ", options.format, " cannot be combined"));
  return *format;
}

/// Options that affect resolving need a profile.
Result<> check_subject(const EnvCommand& options) {
  if (!options.profile.empty() || (options.facts_file.empty() && options.set.empty())) return {};
  return fail(Errc::invalid, cat(options.facts_file.empty() ? "--set" : "--facts",
                                 " resolves a profile; name it: nettune env PROFILE"));
}

/// Where variables are set, and which values they get, are two questions.
Result<> check_explain(const EnvCommand& options) {
  const bool asks = !options.explain.empty();
  std::string_view odd;
  if (!options.profile.empty() && asks) odd = "the name of a profile";
  if (!options.format.empty() && asks) odd = "--format";
  if (!options.facts_file.empty() && asks) odd = "--facts";
  if (!options.set.empty() && asks) odd = "--set";
  if (!odd.empty())
    return usage(
        cat("--explain reads the current state of this node, so ", odd, " cannot be used with it"),
        "env");
  if (asks || (options.nccl.empty() && options.catalog_file.empty())) return {};
  return usage("--nccl and --catalog need --explain", "env");
}

/// Variables that the format cannot hold.
void add_left_out(JobFormat format, node::JobEnvironment& environment) {
  if (format != JobFormat::k8s && format != JobFormat::slurm) return;
  std::vector<std::string> names;
  for (const JobVariable& variable : environment.variables)
    if (variable.of_this_node) names.push_back(variable.name);
  if (names.empty()) return;
  const bool in_pod = format == JobFormat::k8s;
  environment.notes.push_back(
      cat("not in the ", in_pod ? "ConfigMap" : "TaskProlog",
          ", because other nodes have different values",
          in_pod ? "" : " and srun passes a job's values on to them", ": ", join(names, ", "),
          "; NCCL ", in_pod ? "in a pod " : "", "reads them from the node's own /etc/nccl.conf",
          in_pod ? ": mount it there by hostPath, type File, readOnly" : ""));
}

Result<node::Exit> EnvCommand::run(node::Context& context, Output& output) const {
  TRY(check_explain(*this));
  if (!explain.empty()) return become_program(kEnvExplain, typed);
  TRY_ASSIGN(const JobFormat form, format_of(*this));
  TRY(check_subject(*this));
  auto found = node::job_environment(context, profile);
  if (!found && found.error().code == Errc::conflict)
    return report_error(found.error(), node::Exit::refused, json, output);
  TRY_ASSIGN(node::JobEnvironment environment, std::move(found));
  if (environment.variables.empty())
    environment.notes.push_back(cat(environment.profile, " sets no variables"));
  add_left_out(form, environment);
  if (form == JobFormat::json) {
    output.print(json::env(environment));
    return node::Exit::done;
  }
  TRY_ASSIGN(
      const std::string written,
      intents::job_text(form, environment.profile, environment.variables,
                        cat("Made by nettune env of the profile ", environment.profile, ".")));
  output.print(written);
  output.complain(text::notes(environment.notes, Style{}));
  return node::Exit::done;
}

}  // namespace

Command env_command() { return make_command<EnvCommand>(); }

}  // namespace nettune::cli::commands
