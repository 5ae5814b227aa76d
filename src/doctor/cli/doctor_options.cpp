// SPDX-License-Identifier: Apache-2.0
#include "doctor/cli/doctor_options.hpp"

#include "checks/advice.hpp"
#include "cli/candidates.hpp"
#include "doctor/cli/doctor_command.hpp"
#include "node/check/rule_files.hpp"

namespace nettune::cli {

namespace {

std::vector<std::string> candidates(Context& context, std::span<const std::string> words) {
  if (words.size() < 2) return {};
  const std::string& previous = words[words.size() - 2];
  if (previous == "--for")
    return std::vector<std::string>(checks::kDemands.begin(), checks::kDemands.end());
  if (previous == "--profile") return profile_names(context);
  std::vector<std::string> ids;
  if (previous != "--explain") return ids;
  const auto rules = read_rules(context.disk());
  if (rules)
    for (const checks::Rule& rule : *rules) ids.push_back(rule.id);
  return ids;
}

}  // namespace

Program doctor_program(DoctorOptions& into) {
  return {
      "doctor",
      &into,
      {
          {"--quick", "", "Only what does not wait and asks no firmware", &into.quick},
          {"--for", "WHAT", "What is demanded: nccl, ddp, ib, roce or tcp", &into.demand},
          {"--profile", "NAME", "Judge against a profile, too, applied or not", &into.profile},
          {"--root", "DIR", "Judge a recorded tree, or a directory of texts", &into.tree},
          {"--checks", "DIR", "Rules of this directory in place of the installed ones",
           &into.checks},
          {"--list", "", "List all rules and what they look at", &into.list},
          {"--explain", "RULE", "Explain one rule: why, remedy, undo, source", &into.explain},
          {"--peer", "HOST", "Look at the way to and from this host, too, by ssh", &into.peer},
          {"--", "COMMAND ...", "Start the peer's side with this command in place of ssh",
           &into.peer_command},
          {"--job", "", "Ask the NCCL job on this node which rank is missing", &into.job},
          {"PID", "", "with --job: a process of it, to see what it maps", &into.pid},
          {"--watch", "TIME", "Show the counters of RDMA ports as rates (10s, 1m)", &into.watch},
          {"--record", "DIR", "Record this node in a new directory, for --root", &into.record},
          {"--anonymous", "", "With --record: pseudonyms for names, addresses and numbers",
           &into.anonymous},
          {"--save-baseline", "FILE", "Save what this node has now, to compare with later",
           &into.save_baseline},
          {"--baseline", "FILE", "Compare with what was saved", &into.baseline},
          {"--fix", "", "Plan what nettune can set of the findings; apply nothing", &into.fix},
          {"--save-fix", "FILE", "Save that plan as a profile, for nettune apply", &into.save_fix},
          {"--prolog", "", "One line for a scheduler; 1 only to drain the node", &into.prolog},
          {"--facts", "", "", &into.facts},
          {"--metrics", "FILE", "Write metrics for node_exporter's textfile collector",
           &into.metrics},
      },
      [&into](Context& context, Output& output) { return cmd_doctor(context, into, output); },
      candidates,
  };
}

}  // namespace nettune::cli
