// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/command_options.hpp"

namespace nettune::cli::commands {

namespace {

Option root(Arguments& into) {
  return {"--root", "DIR", "Work on the image mounted at DIR (files only)", &into.root};
}

Option profile(Arguments& into) { return {"profile", "", "Profile name", &into.subject, true}; }

void add(Options& options, const Options& more) {
  options.insert(options.end(), more.begin(), more.end());
}

Options window(Arguments& into, OptionTexts& raw) {
  return {
      {"--confirm", "TIME", "Revert after TIME (90, 90s, 2m) unless 'nettune confirm' is run",
       &raw.confirm},
      {"--probe", "WHAT",
       "Confirm when path:PEER, gateway, tcp:HOST:PORT or command:/PATH succeeds; may be "
       "repeated",
       &raw.probes},
      {"--allow-management", "",
       "Allow changes that can cut off a protected device; needs --confirm, --probe or --for",
       &into.allow_management},
  };
}

Option allow_busy(Arguments& into) {
  return {"--allow-busy", "", "Allow changes that disturb traffic while jobs run on this node",
          &into.allow_busy};
}

/// For commands that write settings of an interface.
Option owners(Arguments& into) {
  return {"--accept-owners", "", "Write settings that another manager (lldpad) would revert",
          &into.accept_owners};
}

Option force(Arguments& into) {
  return {"--force", "", "Also revert values that others changed since", &into.force};
}

Option unattended(Arguments& into, std::string_view help) {
  return {"--unattended", "", help, &into.unattended};
}

Options report(Arguments& into, OptionTexts& raw) {
  return {
      {"--textfile", "FILE", "Write metrics for node_exporter's textfile collector",
       &into.textfile},
      {"--on-drift", "COMMAND", "Run this program (/PATH WORD...) on drift", &raw.on_drift},
  };
}

/// What apply accepts, and what plan reports accordingly.
Options permissions(Arguments& into) {
  return {
      allow_busy(into),
      {"--accept-no-undo", "", "Allow changes that cannot be undone", &into.accept_no_undo},
      {"--accept-cautions", "", "Apply even if the profile advises against it on this node",
       &into.accept_cautions},
      owners(into),
      {"--without", "DEVICE", "Skip this device and record it as a debt; may be repeated",
       &into.without},
      force(into),
      unattended(into, "Run by a timer or automation: respect a hold"),
      {"--only", "ADDRESS|INTERFACE",
       "Limit to this setting, or those of this interface; may be repeated", &into.only_settings},
      {"--unrecorded", "ADDRESS", "Take over this, which has nettune's mark but no record",
       &into.unrecorded},
  };
}

Options plan_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      profile(into),
      {"--save", "FILE", "Save the plan to a file for apply", &into.save_file},
      {"--facts", "FILE", "Plan for a recorded node (nettune facts --json)", &into.facts_file},
      {"--state", "FILE", "The current values of the recorded node", &into.values_file},
  };
  add(options, window(into, raw));
  add(options, permissions(into));
  options.push_back(root(into));
  return options;
}

Options apply_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      {"profile", "", "Profile name, or a plan saved with plan --save", &into.subject, true}};
  add(options, window(into, raw));
  options.push_back({"--for", "TIME", "Apply for a limited time (10m), then revert automatically",
                     &raw.for_time});
  add(options, permissions(into));
  options.push_back(root(into));
  options.push_back(
      {"-y,--yes", "", "Do not ask before writing (asked only on a terminal)", &into.yes});
  return options;
}

Options reapply_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      {"--only", "ADDRESS|INTERFACE",
       "Limit to this setting, or those of this interface; may be repeated", &into.only},
      {"--kind", "KIND", "Only settings of this kind, such as firewall", &into.only_kind},
  };
  add(options, window(into, raw));
  add(options, {allow_busy(into), owners(into),
                unattended(into, "Run by a service or automation: respect a hold")});
  return options;
}

Options check_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      unattended(into, "Run by a timer: respect a hold, report drift to the journal, no advice"),
      {"--strict", "", "Exit with 9 if it is unknown whether traffic is allowed", &into.strict},
      {"--listen-lldp", "TIME",
       "Compare the lossless ports with their switches; 35s is usually enough", &raw.listen},
  };
  add(options, report(into, raw));
  return options;
}

Options watch_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      unattended(into, "Run as a service: respect a hold, report drift to the journal"),
      {"--every", "TIME", "How often to check for changes that send no event (60s)", &raw.every},
  };
  add(options, report(into, raw));
  return options;
}

Options rollback_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      {"--to", "N|baseline", "A generation from history, or the state before the first", &raw.to},
      unattended(into, "Run by automation: respect a hold"),
      root(into),
      force(into),
      {"--unrecorded", "ADDRESS", "Only remove this, which has nettune's mark but no record",
       &into.unrecorded},
  };
  add(options, window(into, raw));
  add(options,
      {allow_busy(into),
       owners(into),
       {"--dry-run", "", "Only show what would be restored; write nothing", &into.dry_run}});
  return options;
}

Options env_options(Arguments& into) {
  return {
      {"profile", "", "Profile name (default: the applied one)", &into.subject},
      {"--format", "FORMAT", "sh (default), docker, nccl.conf, systemd, slurm, k8s or json",
       &into.format},
      {"--facts", "FILE", "For a recorded node (nettune facts --json)", &into.facts_file},
      {"--explain", "VAR", "Show every place that sets VAR on this node, and which one wins",
       &into.explain},
      {"--nccl", "VERSION",
       "--explain: the release, or the path of a libnccl.so.2 (default: auto-detect)", &into.nccl},
      {"--catalog", "FILE", "--explain: use another catalogue of variables", &into.catalog_file},
  };
}

/// nettune run [OPTION...] -- COMMAND ARGUMENT...
Options run_options(Arguments& into) {
  return {
      {"--", "COMMAND ...", "The command to run, with its arguments", &into.words},
      {"stray", "", "", &into.stray},
      {"--profile", "NAME", "Use the variables of this profile (default: the applied ones)",
       &into.profile},
      {"--override", "", "Also override values that the environment already has",
       &into.override_environment},
      {"--numa-of-gpu", "GPU",
       "Use CPUs and memory near this GPU: its number in nettune facts, or its PCI "
       "address",
       &into.near_gpu},
  };
}

}  // namespace

Options own_options(Arguments& into, OptionTexts& raw) {
  switch (into.command) {
    case Command::env:
      return env_options(into);
    case Command::run:
      return run_options(into);
    case Command::show:
      return {profile(into),
              {"--origin", "", "Show file and line of every value", &into.origin},
              {"--why", "", "Show the profile's reason for every value", &into.reasons}};
    case Command::facts:
      return {
          {"--full", "", "Add what doctor's probes find: GPUs, versions, distances", &into.full}};
    case Command::recommend:
      return {{"--facts", "FILE", "For a recorded node (nettune facts --json)", &into.facts_file}};
    case Command::schema:
      return {{"what", "", "profile (default), or site for site.toml", &into.subject}};
    case Command::plan:
      return plan_options(into, raw);
    case Command::diff:
      return {
          {"profile", "", "Profile name, or a generation (default: the active one)", &into.subject},
          {"generation", "", "A second generation to compare with", &into.generation}};
    case Command::apply:
      return apply_options(into, raw);
    case Command::reapply:
      return reapply_options(into, raw);
    case Command::confirm:
      return {{"--any-connection", "", "Confirm even if no new connection to this node is proven",
               &into.any_connection}};
    case Command::check:
      return check_options(into, raw);
    case Command::watch:
      return watch_options(into, raw);
    case Command::qualify:
      return {
          {"device", "", "An unused interface or RDMA device", &into.subject, true},
          {"profile", "", "Profile name (default: the one that matches)", &into.profile},
          {"--output", "FILE", "Write the evidence to FILE (/etc/nettune/evidence/...)",
           &into.output_file},
      };
    case Command::recover:
      return {
          {"--abandon", "", "Archive and list what cannot be undone; forget debts", &into.abandon},
          root(into),
          {"--at", "SECONDS", "Wait until then (CLOCK_BOOTTIME); started by --confirm", &raw.at},
      };
    case Command::rollback:
      return rollback_options(into, raw);
    case Command::history:
    case Command::status:
      return {root(into)};
    case Command::hold:
      return {{"--why", "TEXT", "Reason, shown to others while the node is on hold", &into.why}};
    default:
      return {};
  }
}

}  // namespace nettune::cli::commands
