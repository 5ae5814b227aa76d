// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/option_texts.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "cli/programs.hpp"
#include "intents/job_files.hpp"
#include "node/job_environment.hpp"

namespace nettune::cli::commands {

namespace {

using intents::JobFormat;

Result<JobFormat> format_of(const Arguments& arguments) {
  if (arguments.format.empty()) return arguments.json ? JobFormat::json : JobFormat::sh;
  const auto format = intents::parse_job_format(arguments.format);
  if (!format)
    return fail(Errc::invalid, cat("--format takes ", join(intents::job_formats(), ", "),
                                   ", not \"", printable(arguments.format), "\""));
  if (arguments.json && format != JobFormat::json)
    return fail(Errc::invalid,
                cat("--json and --format ", arguments.format, " cannot be combined"));
  return *format;
}

/// Options that affect resolving need a profile.
Result<> check_subject(const Arguments& arguments) {
  if (!arguments.subject.empty() || (arguments.facts_file.empty() && arguments.set.empty()))
    return {};
  return fail(Errc::invalid, cat(arguments.facts_file.empty() ? "--set" : "--facts",
                                 " resolves a profile; name it: nettune env PROFILE"));
}

/// Where variables are set, and which values they get, are two questions.
Result<> check_explain(const Arguments& arguments) {
  const bool asks = !arguments.explain.empty();
  std::string_view odd;
  if (!arguments.subject.empty() && asks) odd = "the name of a profile";
  if (!arguments.format.empty() && asks) odd = "--format";
  if (!arguments.facts_file.empty() && asks) odd = "--facts";
  if (!arguments.set.empty() && asks) odd = "--set";
  if (!odd.empty())
    return usage(
        cat("--explain reads the current state of this node, so ", odd, " cannot be used with it"),
        "env");
  if (asks || (arguments.nccl.empty() && arguments.catalog_file.empty())) return {};
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

}  // namespace

Result<node::Exit> cmd_env(Invocation& context, Output& output) {
  const Arguments& arguments = context.arguments();
  TRY(check_explain(arguments));
  // A reader of scripts is no part of nettune itself.
  if (!arguments.explain.empty())
    return become_program({"env", "nettune-nccl", "", ""}, arguments.typed);
  TRY_ASSIGN(const JobFormat format, format_of(arguments));
  TRY(check_subject(arguments));
  auto found = node::job_environment(context, arguments.subject);
  if (!found && found.error().code == Errc::conflict) {
    if (arguments.json) output.print(json::error(found.error(), node::Exit::refused));
    output.complain(text::error(found.error(), Style{}));
    return node::Exit::refused;
  }
  TRY_ASSIGN(node::JobEnvironment environment, std::move(found));
  if (environment.variables.empty())
    environment.notes.push_back(cat(environment.profile, " sets no variables"));
  add_left_out(format, environment);
  if (format == JobFormat::json) {
    output.print(json::env(environment));
    return node::Exit::done;
  }
  TRY_ASSIGN(
      const std::string written,
      intents::job_text(format, environment.profile, environment.variables,
                        cat("Made by nettune env of the profile ", environment.profile, ".")));
  output.print(written);
  output.complain(text::notes(environment.notes, Style{}));
  return node::Exit::done;
}

}  // namespace nettune::cli::commands
