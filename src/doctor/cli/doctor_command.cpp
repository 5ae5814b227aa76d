// SPDX-License-Identifier: Apache-2.0
#include "doctor/cli/doctor_command.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "base/utc.hpp"
#include "cli/options.hpp"
#include "cli/print_text.hpp"
#include "doctor/cli/against_profile.hpp"
#include "doctor/cli/ask_peer.hpp"
#include "doctor/cli/baseline_file.hpp"
#include "doctor/cli/fix_plan.hpp"
#include "doctor/cli/full_facts.hpp"
#include "doctor/cli/print_doctor.hpp"
#include "doctor/cli/record_node.hpp"
#include "doctor/cli/watch_counters.hpp"
#include "doctor/observe.hpp"
#include "doctor/probe/child.hpp"
#include "doctor/probe/gather.hpp"
#include "node/check/rule_files.hpp"
#include "node/job_environment.hpp"
#include "node/named_output.hpp"
#include "profile/source.hpp"

namespace nettune::cli {

namespace {

using checks::Opinion;
using checks::Rule;

/// The faults that drain a node if the site does not name any.
constexpr auto kDrain = std::to_array<std::string_view>(
    {"gpu-count", "gpu-driver", "gpu-ecc", "gpu-fabric", "gpu-nvlink", "gpu-recovery",
     "gpu-row-remap", "gpu-xid", "pci-gone", "rdma-port"});

Result<std::vector<Rule>> rules_for(Context& context, const DoctorOptions& options) {
  if (options.checks.empty()) return read_rules(context.disk());
  return read_rules_of(context.disk(), absolute_path(options.checks));
}

Result<> check_demand(const std::string& demand) {
  if (demand.empty() || std::ranges::find(checks::kDemands, demand) != checks::kDemands.end())
    return {};
  const std::vector<std::string> known(checks::kDemands.begin(), checks::kDemands.end());
  return usage(cat("--for takes one of ", join(known, ", "), ", not '", printable(demand), "'"),
               "doctor");
}

const Rule* find_rule(const std::vector<Rule>& rules, const std::string& id) {
  const auto found = std::ranges::find(rules, id, &Rule::id);
  return found == rules.end() ? nullptr : &*found;
}

Result<Exit> explain(const std::vector<Rule>& rules, const std::string& id, Output& output) {
  const Rule* const rule = find_rule(rules, id);
  if (rule) {
    output.print(text::doctor_rule(*rule, "", output.style()));
    return Exit::done;
  }
  std::vector<std::string> ids;
  for (const Rule& one : rules) ids.push_back(one.id);
  const auto near = nearest(id, ids);
  return fail(Errc::invalid, cat("there is no rule '", printable(id), "'",
                                 near ? cat(" (did you mean '", *near, "'?)") : "",
                                 "; nettune doctor --list shows all"));
}

constexpr std::uint64_t kLargestBaseline = std::uint64_t{4} << 20;

Result<> add_baseline(Context& context, const DoctorOptions& options,
                      const doctor::Machine& machine, std::vector<facts::Observation>& all) {
  if (options.baseline.empty()) return {};
  TRY_ASSIGN(const std::string text,
             read_named_file(context.disk(), options.baseline, kLargestBaseline));
  TRY_ASSIGN(const doctor::Baseline before, parse_baseline(text, options.baseline));
  doctor::Sightings sightings;
  observe_baseline(before, machine, sightings);
  for (facts::Observation& seen : sightings.take()) all.push_back(std::move(seen));
  return {};
}

Result<int> pid_of(const DoctorOptions& options) {
  if (options.pid.empty()) return 0;
  const auto pid = parse_int(options.pid);
  if (options.job && pid && *pid > 0 && *pid <= 1 << 22) return static_cast<int>(*pid);
  return usage(
      options.job ? cat("--job takes the number of a process, not '", printable(options.pid), "'")
                  : cat("unexpected word '", printable(options.pid), "'; a process ID needs --job"),
      "doctor");
}

/// The variables of the applied profile; only root can read them.
doctor::Known<std::map<std::string, std::string>> applied_variables(Context& context) {
  const auto applied = job_environment(context, "");
  if (!applied)
    return applied.error().code == Errc::denied ? doctor::not_permitted(applied.error().text)
                                                : doctor::not_applicable(applied.error().text);
  std::map<std::string, std::string> variables;
  for (const JobVariable& one : applied->variables) variables[one.name] = one.value;
  return variables;
}

Result<Diagnosis> diagnose(Context& context, const std::vector<Rule>& rules, const DoctorSite& site,
                           const DoctorOptions& options) {
  const std::int64_t start = doctor::monotonic_ms();
  doctor::GatherRequest request;
  if (!options.tree.empty()) request.root = absolute_path(options.tree);
  request.quick = options.quick || options.prolog;
  request.job = options.job;
  Diagnosis diagnosis;
  TRY_ASSIGN(request.pid, pid_of(options));
  TRY_ASSIGN(diagnosis.machine, doctor::gather(request));
  if (diagnosis.machine.job) diagnosis.machine.job->wanted = applied_variables(context);
  if (!options.peer.empty()) {
    TRY_ASSIGN(diagnosis.machine.peer, ask_peer(context, options.peer, options.peer_command));
  }
  auto observations = doctor::observe(diagnosis.machine);
  if (!options.demand.empty()) observations.push_back(demanded(diagnosis.machine, options.demand));
  TRY(add_baseline(context, options, diagnosis.machine, observations));
  if (!options.profile.empty()) {
    TRY_ASSIGN(const auto settings, against_profile(context, options.profile));
    observations.insert(observations.end(), settings.begin(), settings.end());
  }
  const std::string today = utc_text(std::time(nullptr)).substr(0, 10);
  diagnosis.judged = doctor::judge(rules, diagnosis.machine, observations, {site.ignores, today});
  diagnosis.demand = options.demand;
  diagnosis.profile = options.profile;
  diagnosis.is_root = context.is_root();
  diagnosis.took_ms = doctor::monotonic_ms() - start;
  return diagnosis;
}

}  // namespace

namespace {

/// "2026-12-31", a day of the calendar.
bool is_day(const std::string& text) {
  const auto parts = split(text, '-');
  if (parts.size() != 3 || parts[0].size() != 4 || parts[1].size() != 2 || parts[2].size() != 2)
    return false;
  const auto year = parse_int(parts[0]);
  const auto month = parse_int(parts[1]);
  const auto day = parse_int(parts[2]);
  if (!year || !month || !day || *year < 0 || *month < 0 || *day < 0) return false;
  return std::chrono::year_month_day(std::chrono::year(static_cast<int>(*year)),
                                     std::chrono::month(static_cast<unsigned>(*month)),
                                     std::chrono::day(static_cast<unsigned>(*day)))
      .ok();
}

}  // namespace

Result<DoctorSite> read_doctor_site(Context& context) {
  TRY_ASSIGN(const profile::Site read,
             profile::read_site(context.disk(), context.profile_sources()));
  DoctorSite site;
  if (const profile::Node* const drain = read.doctor.find("drain"))
    for (const profile::Node& rule : drain->items) site.drain.push_back(rule.text);
  else
    site.drain.assign(kDrain.begin(), kDrain.end());
  const profile::Node* const ignores = read.doctor.find("ignore");
  if (!ignores) return site;
  for (const auto& [name, table] : ignores->entries) {
    const auto value = [&table = table](std::string_view key) {
      const profile::Node* const node = table.find(key);
      return node ? node->text : std::string();
    };
    doctor::Ignore ignore{value("id"), value("device"), value("until"), value("why")};
    if (!ignore.until.empty() && !is_day(ignore.until))
      return profile::fail_at(table.origin, cat("doctor.ignore.", name,
                                                ": until must be a day such as 2026-12-31, not \"",
                                                printable(ignore.until), "\""));
    site.ignores.push_back(std::move(ignore));
  }
  return site;
}

Exit exit_of(const doctor::Judged& judged, const std::string& demand) {
  Exit exit = judged.has_fault() ? Exit::drift : Exit::done;
  for (const doctor::Finding& finding : judged.findings) {
    const auto& demands = finding.rule->demanded_by;
    if (demand.empty() || std::ranges::find(demands, demand) == demands.end()) continue;
    if (finding.opinion == Opinion::unknown) exit = worse(exit, Exit::unknown);
    if (finding.opinion == Opinion::not_permitted) exit = worse(exit, Exit::not_permitted);
  }
  return exit;
}

std::string drains(const doctor::Judged& judged, const std::vector<std::string>& drain) {
  for (const doctor::Finding& finding : judged.findings)
    if (finding.ignored.empty() && finding.opinion == Opinion::fault &&
        std::ranges::find(drain, finding.rule->id) != drain.end())
      return cat(finding.rule->id, ": ", device_and_text(finding));
  return {};
}

facts::Observation demanded(const doctor::Machine& machine, const std::string& demand) {
  const auto active = [&](std::string_view layer) {
    return std::ranges::any_of(machine.facts.rdma, [&](const facts::RdmaDevice& device) {
      return std::ranges::any_of(device.ports, [&](const facts::RdmaPort& port) {
        return port.state == "ACTIVE" && port.link_layer == layer;
      });
    });
  };
  const auto addressed = [](const facts::NetDevice& device) {
    return device.name != "lo" && device.is_addressed();
  };
  bool present = std::ranges::any_of(machine.facts.net, addressed);
  std::string what = "an interface with an address";
  if (demand == "ib" || demand == "roce") {
    present = active(demand == "ib" ? "InfiniBand" : "Ethernet");
    what = demand == "ib" ? "an active InfiniBand port" : "an active RoCE port";
  }
  if (demand == "nccl") {
    present = !doctor::nvidia_gpus(machine).empty();
    what = "an NVIDIA GPU";
  }
  facts::Observation seen;
  seen.what = "demand.present";
  seen.value = present ? "present" : "missing";
  seen.text =
      cat("--for ", demand, " needs ", what, present ? ", which is present" : ": there is none");
  return seen;
}

namespace {

/// A health check must not drain a fleet because of its own error: every failure here is 0.
Result<Exit> prolog(Context& context, const DoctorOptions& options, Output& output) {
  const auto ran = [&]() -> Result<std::string> {
    TRY_ASSIGN(const auto rules, rules_for(context, options));
    TRY_ASSIGN(const DoctorSite site, read_doctor_site(context));
    TRY_ASSIGN(const Diagnosis diagnosis, diagnose(context, rules, site, options));
    return drains(diagnosis.judged, site.drain);
  }();
  if (!ran) {
    output.print(cat("nettune doctor: could not check: ", printable(ran.error().text), "\n"));
    return Exit::done;
  }
  if (ran->empty()) {
    output.print("nettune doctor: no fault that drains the node\n");
    return Exit::done;
  }
  options.drains = true;
  output.print(cat("nettune doctor: drain: ", printable(*ran), "\n"));
  return Exit::failed;
}

/// "90", "90s", "2m", at most an hour.
Result<Exit> watch(const DoctorOptions& options, Output& output) {
  std::string_view text = options.watch;
  std::int64_t unit = 1;
  if (text.ends_with('m')) unit = 60;
  if (text.ends_with('s') || text.ends_with('m')) text.remove_suffix(1);
  const auto number = parse_int(text);
  constexpr std::int64_t kLongest_s = 3600;
  if (!number || *number < 1 || *number * unit > kLongest_s)
    return usage(cat("--watch takes a time such as 10s or 2m, at most an hour, not '",
                     printable(options.watch), "'"),
                 "doctor");
  return watch_counters(options.tree.empty() ? "/" : absolute_path(options.tree), *number * unit,
                        output);
}

/// Rejects options that exclude each other.
Result<> check_options(const DoctorOptions& options) {
  if (!options.tree.empty() && !options.profile.empty())
    return usage("--profile judges this node, so it cannot be combined with --root", "doctor");
  if (!options.tree.empty() && options.job)
    return usage("--job asks a job on this node, so it cannot be combined with --root", "doctor");
  if (!options.tree.empty() && !options.peer.empty())
    return usage("--peer asks this node and another, so it cannot be combined with --root",
                 "doctor");
  if (!options.peer_command.empty() && options.peer.empty())
    return usage("name the peer: nettune doctor --peer HOST -- COMMAND", "doctor");
  if (!options.tree.empty() && !options.record.empty())
    return usage("--record records this node, so it cannot be combined with --root", "doctor");
  if (options.anonymous && options.record.empty())
    return usage("--anonymous needs --record", "doctor");
  if (!options.save_fix.empty() && !options.fix)
    return usage("--save-fix saves what --fix plans, so it needs --fix", "doctor");
  if (options.fix && !options.tree.empty())
    return usage("--fix plans for this node, so it cannot be combined with --root", "doctor");
  if (!options.watch.empty() && options.json) return usage("--watch has no --json", "doctor");
  return check_demand(options.demand);
}

}  // namespace

Result<Exit> cmd_doctor(Context& context, const DoctorOptions& options, Output& output) {
  TRY(check_options(options));
  if (options.prolog) return prolog(context, options, output);
  TRY_ASSIGN(const auto rules, rules_for(context, options));
  if (!options.explain.empty()) return explain(rules, options.explain, output);
  if (options.list) {
    output.print(options.json ? json::doctor_rules(rules)
                              : text::doctor_rules(rules, output.style()));
    return Exit::done;
  }
  if (!options.watch.empty()) return watch(options, output);
  if (options.facts) {
    TRY_ASSIGN(const doctor::Machine machine, doctor::gather({}));
    TRY_ASSIGN(const std::string text, full_facts(context, machine, options.json, output.style()));
    output.print(text);
    return Exit::done;
  }
  TRY_ASSIGN(const DoctorSite site, read_doctor_site(context));
  TRY_ASSIGN(const Diagnosis diagnosis, diagnose(context, rules, site, options));
  if (!options.record.empty()) {
    const auto hidden = pseudonyms_of(diagnosis.machine);
    TRY(record_node(diagnosis.machine, absolute_path(options.record),
                    options.anonymous ? &hidden : nullptr));
  }
  if (!options.save_baseline.empty())
    TRY(write_named_file(
        options.save_baseline,
        baseline_text(baseline_of(diagnosis.machine), diagnosis.machine.facts.node.hostname),
        0644));
  if (options.fix) return plan_fix(context, options, diagnosis, output);
  output.print(options.json ? json::doctor(diagnosis)
                            : text::doctor(diagnosis, options.verbose > 0, output.style()));
  if (!options.metrics.empty())
    TRY(write_named_file(options.metrics, doctor_metrics(diagnosis), 0644));
  return exit_of(diagnosis.judged, options.demand);
}

}  // namespace nettune::cli
