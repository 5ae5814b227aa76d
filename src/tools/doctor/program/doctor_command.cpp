// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/doctor_command.hpp"

#include <algorithm>
#include <ctime>
#include <unistd.h>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "base/utc.hpp"
#include "cli/options.hpp"
#include "cli/print_text.hpp"
#include "node/check/rule_files.hpp"
#include "node/job_environment.hpp"
#include "node/nccl_job.hpp"
#include "node/output_file.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/observe_variables.hpp"
#include "tools/doctor/probe/child.hpp"
#include "tools/doctor/probe/gather.hpp"
#include "tools/doctor/program/against_profile.hpp"
#include "tools/doctor/program/ask_peer.hpp"
#include "tools/doctor/program/baseline_file.hpp"
#include "tools/doctor/program/fix_plan.hpp"
#include "tools/doctor/program/full_facts.hpp"
#include "tools/doctor/program/graph.hpp"
#include "tools/doctor/program/graph_ports.hpp"
#include "tools/doctor/program/print_doctor.hpp"
#include "tools/doctor/program/prolog.hpp"
#include "tools/doctor/program/record_node.hpp"
#include "tools/doctor/program/watch_counters.hpp"

namespace nettune::tools::doctor::program {

namespace {

using checks::Opinion;
using checks::Rule;

Result<std::vector<Rule>> rules_for(node::Context& context, const DoctorOptions& options) {
  if (options.checks.empty())
    return node::check::read_rules(context.disk(), {doctor::all_observables()});
  return node::check::read_rules_of(context.disk(), node::absolute_path(options.checks),
                                    {doctor::all_observables()});
}

Result<> check_demand(const std::string& demand) {
  if (demand.empty() || std::ranges::find(checks::kDemands, demand) != checks::kDemands.end())
    return {};
  const std::vector<std::string> known(checks::kDemands.begin(), checks::kDemands.end());
  return cli::usage(
      cat("--for takes one of ", join(known, ", "), ", not '", printable(demand), "'"), "doctor");
}

const Rule* find_rule(const std::vector<Rule>& rules, const std::string& id) {
  const auto found = std::ranges::find(rules, id, &Rule::id);
  return found == rules.end() ? nullptr : &*found;
}

Result<node::Exit> explain(const std::vector<Rule>& rules, const std::string& id,
                           cli::Output& output) {
  const Rule* const rule = find_rule(rules, id);
  if (rule) {
    output.print(text::doctor_rule(*rule, "", output.style()));
    return node::Exit::done;
  }
  std::vector<std::string> ids;
  for (const Rule& one : rules) ids.push_back(one.id);
  const auto near = nearest(id, ids);
  return fail(Errc::invalid, cat("there is no rule '", printable(id), "'",
                                 near ? cat(" (did you mean '", *near, "'?)") : "",
                                 "; nettune doctor --list shows all"));
}

constexpr std::uint64_t kLargestBaseline = std::uint64_t{4} << 20;

/// Nothing without --baseline.
Result<std::optional<Baseline>> read_baseline(node::Context& context,
                                              const DoctorOptions& options) {
  if (options.baseline.empty()) return std::nullopt;
  TRY_ASSIGN(const std::string text,
             node::read_named_file(context.disk(), options.baseline, kLargestBaseline));
  TRY_ASSIGN(Baseline before, parse_baseline(text, options.baseline));
  return before;
}

/// The catalogue of variables is beside the rules.
void add_variables(node::Context& context, const DoctorOptions& options,
                   const doctor::Machine& machine, std::vector<facts::Observation>& all) {
  Sightings sightings;
  const std::string file = options.checks.empty()
                               ? ""
                               : node::absolute_path(cat(options.checks, "/../catalog/nccl.toml"));
  // It is large, and not needed where there is nothing to judge.
  const auto catalog = machine.assignments.empty()
                           ? Result<nettune::nccl::Catalog>(nettune::nccl::Catalog())
                           : node::read_catalog(context.disk(), file);
  if (catalog)
    observe_variables(machine, *catalog, sightings);
  else
    for (const doctor::Observable& what : {kNcclVariable, kNcclTurnedOff})
      sightings.gap(what, "", doctor::unknown(catalog.error().text));
  for (facts::Observation& seen : sightings.take()) all.push_back(std::move(seen));
}

Result<int> pid_of(const DoctorOptions& options) {
  if (options.pid.empty()) return 0;
  const auto pid = parse_int(options.pid);
  if (options.job && pid && *pid > 0 && *pid <= 1 << 22) return static_cast<int>(*pid);
  return cli::usage(
      options.job ? cat("--job takes the number of a process, not '", printable(options.pid), "'")
                  : cat("unexpected word '", printable(options.pid), "'; a process ID needs --job"),
      "doctor");
}

/// The variables of the applied profile; only root can read them.
Known<std::map<std::string, std::string>> applied_variables(node::Context& context) {
  const auto applied = node::job_environment(context, "");
  if (!applied)
    return applied.error().code == Errc::denied ? doctor::not_permitted(applied.error().text)
                                                : doctor::not_applicable(applied.error().text);
  std::map<std::string, std::string> variables;
  for (const JobVariable& one : applied->variables) variables[one.name] = one.value;
  return variables;
}

Result<Diagnosis> diagnose(node::Context& context, const std::vector<Rule>& rules,
                           const DoctorSite& site, const DoctorOptions& options) {
  const std::int64_t start = probe::monotonic_ms();
  probe::GatherRequest request;
  if (!options.tree.empty()) request.root = node::absolute_path(options.tree);
  request.quick = options.quick || options.prolog;
  request.job = options.job;
  Diagnosis diagnosis;
  TRY_ASSIGN(request.pid, pid_of(options));
  TRY_ASSIGN(diagnosis.machine, probe::gather(request));
  TRY_ASSIGN(const auto before, read_baseline(context, options));
  diagnosis.machine.owed = !before ? site.owed : doctor::owed_of(site.owed, *before);
  if (diagnosis.machine.ras && !diagnosis.machine.ras->answers)
    diagnosis.machine.notes.emplace_back(
        "no NCCL job answers on localhost port 28028 (NCCL 2.24 and newer), so --job says nothing");
  if (diagnosis.machine.job) diagnosis.machine.job->wanted = applied_variables(context);
  if (!options.peer.empty()) {
    TRY_ASSIGN(diagnosis.machine.peer, ask_peer(context, options.peer, options.peer_command));
  }
  auto observations = doctor::observe(diagnosis.machine);
  if (const auto seen = doctor::demanded(diagnosis.machine, options.demand))
    observations.push_back(*seen);
  if (before) {
    Sightings sightings;
    observe_baseline(*before, diagnosis.machine, sightings);
    for (facts::Observation& seen : sightings.take()) observations.push_back(std::move(seen));
  }
  add_variables(context, options, diagnosis.machine, observations);
  if (!options.profile.empty()) {
    TRY_ASSIGN(const auto settings, against_profile(context, options.profile));
    observations.insert(observations.end(), settings.begin(), settings.end());
  }
  const std::string today = utc_text(std::time(nullptr)).substr(0, 10);
  diagnosis.judged = doctor::judge(rules, diagnosis.machine, observations, {site.ignores, today});
  diagnosis.decision = doctor::decide(
      diagnosis.judged, doctor::demands_of(diagnosis.machine, options.demand), request.quick);
  diagnosis.demand = options.demand;
  diagnosis.profile = options.profile;
  diagnosis.is_root = context.is_root();
  diagnosis.took_ms = probe::monotonic_ms() - start;
  return diagnosis;
}

}  // namespace

node::Exit exit_of(const Decision& decision) {
  node::Exit exit = decision.verdict == Verdict::not_ready ? node::Exit::drift : node::Exit::done;
  if (!decision.open.empty())
    exit = node::worse(
        exit, decision.lacks_only_permission ? node::Exit::not_permitted : node::Exit::unknown);
  return exit;
}

namespace {

std::optional<std::int64_t> uptime_s() {
  timespec now{};
  if (::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
  return now.tv_sec;
}

/// `looked` gets what the first look found.
Result<Drain> look_for_drain(node::Context& context, const DoctorOptions& options,
                             std::vector<LookedAt>& looked) {
  TRY_ASSIGN(const auto rules, rules_for(context, options));
  TRY_ASSIGN(const DoctorSite site, read_doctor_site(context));
  TRY_ASSIGN(const Diagnosis first, diagnose(context, rules, site, options));
  looked = looked_at(first.judged, site.drain);
  if (!options.tree.empty()) return drain_of(first.judged, site, std::nullopt, nullptr);
  return drain_of(first.judged, site, uptime_s(), [&]() -> Result<Judged> {
    ::sleep(static_cast<unsigned>(site.look_again_s));
    TRY_ASSIGN(Diagnosis second, diagnose(context, rules, site, options));
    return std::move(second.judged);
  });
}

/// A health check must not drain a fleet because of its own error: every failure here is 0.
Result<node::Exit> prolog(node::Context& context, const DoctorOptions& options,
                          cli::Output& output) {
  std::vector<LookedAt> looked;
  const auto drain = look_for_drain(context, options, looked);
  if (options.json) {
    options.drains = drain && !drain->reason.empty();
    output.print(prolog_json(drain ? *drain : Drain(), looked,
                             drain ? "" : cli::text::located(drain.error())));
    return options.drains ? node::Exit::failed : node::Exit::done;
  }
  if (!drain) {
    output.print(cat(
        "nettune doctor: could not check: ", printable(cli::text::located(drain.error())), "\n"));
    return node::Exit::done;
  }
  if (!drain->reason.empty()) {
    options.drains = true;
    output.print(cat("nettune doctor: drain: ", printable(drain->reason), "\n"));
    return node::Exit::failed;
  }
  for (const std::string& note : drain->notes)
    output.print(cat("nettune doctor: not drained: ", printable(note), "\n"));
  if (drain->notes.empty()) output.print("nettune doctor: no fault that drains the node\n");
  return node::Exit::done;
}

/// "90", "90s", "2m", at most an hour.
Result<node::Exit> watch(const DoctorOptions& options, cli::Output& output) {
  std::string_view text = options.watch;
  std::int64_t unit = 1;
  if (text.ends_with('m')) unit = 60;
  if (text.ends_with('s') || text.ends_with('m')) text.remove_suffix(1);
  const auto number = parse_int(text);
  constexpr std::int64_t kLongest_s = 3600;
  if (!number || *number < 1 || *number * unit > kLongest_s)
    return cli::usage(cat("--watch takes a time such as 10s or 2m, at most an hour, not '",
                          printable(options.watch), "'"),
                      "doctor");
  return watch_counters(options.tree.empty() ? "/" : node::absolute_path(options.tree),
                        *number * unit, options.json, output);
}

/// What only the live node has is a note where a recording is shown.
Result<node::Exit> draw_paths(node::Context& context, const std::vector<Rule>& rules,
                              const DoctorSite& site, const DoctorOptions& options,
                              cli::Output& output) {
  if (!options.svg.empty()) TRY(node::check_output_file(options.svg));
  TRY_ASSIGN(const Diagnosis diagnosis, diagnose(context, rules, site, options));
  PortReport ports;
  if (options.tree.empty())
    ports = report_ports(context, diagnosis.machine, parse_int(options.listen).value_or(0));
  else
    ports.notes.emplace_back("PFC is not judged: a recording has no applied profile");
  const Graph graph = graph_of(diagnosis, ports);
  if (!options.svg.empty()) TRY(node::write_output_file(options.svg, graph_svg(graph), 0644));
  output.print(text::graph(graph, output.style()));
  return node::Exit::done;
}

/// Rejects options that exclude each other.
Result<> check_options(const DoctorOptions& options) {
  if (!options.tree.empty() && !options.profile.empty())
    return cli::usage("--profile judges this node, so it cannot be combined with --root", "doctor");
  if (!options.tree.empty() && options.job)
    return cli::usage("--job asks a job on this node, so it cannot be combined with --root",
                      "doctor");
  if (!options.tree.empty() && !options.peer.empty())
    return cli::usage("--peer asks this node and another, so it cannot be combined with --root",
                      "doctor");
  if (!options.peer_command.empty() && options.peer.empty())
    return cli::usage("name the peer: nettune doctor --peer HOST -- COMMAND", "doctor");
  if (!options.tree.empty() && !options.record.empty())
    return cli::usage("--record records this node, so it cannot be combined with --root", "doctor");
  if (options.anonymous && options.record.empty())
    return cli::usage("--anonymous needs --record", "doctor");
  if (!options.save_fix.empty() && !options.fix)
    return cli::usage("--save-fix saves what --fix plans, so it needs --fix", "doctor");
  if (options.fix && !options.tree.empty())
    return cli::usage("--fix plans for this node, so it cannot be combined with --root", "doctor");
  return check_demand(options.demand);
}

}  // namespace

Result<node::Exit> cmd_doctor(node::Context& context, const DoctorOptions& options,
                              cli::Output& output) {
  TRY(check_options(options));
  if (options.prolog) return prolog(context, options, output);
  TRY_ASSIGN(const auto rules, rules_for(context, options));
  if (!options.explain.empty()) return explain(rules, options.explain, output);
  if (options.list) {
    output.print(options.json ? json::doctor_rules(rules)
                              : text::doctor_rules(rules, output.style()));
    return node::Exit::done;
  }
  if (!options.watch.empty()) return watch(options, output);
  if (options.facts) {
    TRY_ASSIGN(const doctor::Machine machine, probe::gather({}));
    TRY_ASSIGN(const std::string text, full_facts(context, machine, options.json, output.style()));
    output.print(text);
    return node::Exit::done;
  }
  TRY_ASSIGN(const DoctorSite site, read_doctor_site(context));
  if (options.graph) return draw_paths(context, rules, site, options, output);
  TRY_ASSIGN(const Diagnosis diagnosis, diagnose(context, rules, site, options));
  if (!options.record.empty()) {
    const auto hidden = pseudonyms_of(diagnosis.machine);
    TRY(record_node(diagnosis.machine, node::absolute_path(options.record),
                    options.anonymous ? &hidden : nullptr));
  }
  if (!options.save_baseline.empty())
    TRY(node::write_output_file(
        options.save_baseline,
        baseline_text(baseline_of(diagnosis.machine), diagnosis.machine.facts.node.hostname),
        0644));
  if (options.fix) return plan_fix(context, options, diagnosis, output);
  output.print(options.json ? json::doctor(diagnosis)
                            : text::doctor(diagnosis, options.verbose > 0, output.style()));
  if (!options.metrics.empty())
    TRY(node::write_output_file(options.metrics, doctor_metrics(diagnosis, std::time(nullptr)),
                                0644));
  return exit_of(diagnosis.decision);
}

}  // namespace nettune::tools::doctor::program
