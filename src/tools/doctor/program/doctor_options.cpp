// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/program/doctor_options.hpp"

#include "checks/advice.hpp"
#include "cli/candidates.hpp"
#include "node/check/rule_files.hpp"
#include "tools/doctor/observe.hpp"
#include "tools/doctor/program/doctor_command.hpp"

namespace nettune::tools::doctor::program {

namespace {

std::vector<std::string> candidates(node::Context& context, std::span<const std::string> words) {
  if (words.size() < 2) return {};
  const std::string& previous = words[words.size() - 2];
  if (previous == "--for")
    return std::vector<std::string>(checks::kDemands.begin(), checks::kDemands.end());
  if (previous == "--profile") return cli::profile_names(context);
  std::vector<std::string> ids;
  if (previous != "--explain") return ids;
  const auto rules = node::check::read_rules(context.disk(), {all_observables()});
  if (rules)
    for (const checks::Rule& rule : *rules) ids.push_back(rule.id);
  return ids;
}

}  // namespace

cli::Command doctor_program(DoctorOptions& into) {
  return {
      "doctor",
      &into,
      {
          {"--quick", "", "Skip checks that wait or query firmware", &into.quick},
          {"--for", "WHAT", "What the node must provide: nccl, ddp, ib, roce or tcp", &into.demand},
          {"--profile", "NAME", "Also check against a profile, applied or not", &into.profile},
          {"--root", "DIR", "Check a recorded tree, or a directory of text files", &into.tree},
          {"--checks", "DIR", "Use the rules in this directory, not the installed ones",
           &into.checks},
          {"--list", "", "List all rules and what they check", &into.list},
          {"--explain", "RULE", "Explain one rule: why, remedy, undo, source", &into.explain},
          {"--peer", "HOST", "Also check the path to and from this host, over ssh", &into.peer},
          {"--", "COMMAND ...", "Start the peer's side with this command instead of ssh",
           &into.peer_command},
          {"--job", "", "Ask the NCCL job on this node which rank is missing", &into.job},
          {"PID", "", "With --job: one of its processes, to see what it maps", &into.pid},
          {"--watch", "TIME", "Show the counters of RDMA ports as rates (10s, 1m)", &into.watch},
          {"--record", "DIR", "Record this node into a new directory, for --root", &into.record},
          {"--anonymous", "", "With --record: pseudonyms for names, addresses and numbers",
           &into.anonymous},
          {"--save-baseline", "FILE", "Save what this node has now, for a later comparison",
           &into.save_baseline},
          {"--baseline", "FILE", "Compare with a saved baseline", &into.baseline},
          {"--fix", "", "Plan fixes for findings that nettune can set; apply nothing", &into.fix},
          {"--save-fix", "FILE", "Save that plan as a profile, for nettune apply", &into.save_fix},
          {"--prolog", "", "Print one line for a scheduler; exit with 1 only to drain",
           &into.prolog},
          {"--facts", "", "", &into.facts},
          {"--graph", "", "", &into.graph},
          {"--svg", "FILE", "", &into.svg},
          {"--listen-lldp", "SECONDS", "", &into.listen},
          {"--metrics", "FILE", "Write metrics for node_exporter's textfile collector",
           &into.metrics},
      },
      [&into](node::Context& context, cli::Output& output) {
        return cmd_doctor(context, into, output);
      },
      candidates,
  };
}

}  // namespace nettune::tools::doctor::program
