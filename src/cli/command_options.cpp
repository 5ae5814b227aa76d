// SPDX-License-Identifier: Apache-2.0
#include "cli/command_options.hpp"

namespace nettune::cli {

namespace {

Option root(Arguments& into) {
  return {"--root", "DIR", "An image in the place of this machine: files only", &into.root};
}

Option profile(Arguments& into) { return {"profile", "", "A profile's name", &into.subject, true}; }

void add(Options& options, const Options& more) {
  options.insert(options.end(), more.begin(), more.end());
}

Options window(Arguments& into, OptionTexts& raw) {
  return {
      {"--confirm", "TIME", "Undo it after so long (90, 90s, 2m) unless nettune confirm comes",
       &raw.confirm},
      {"--probe", "WHAT",
       "Confirm it when path:PEER, gateway, tcp:HOST:PORT or command:/PATH succeeds; may be "
       "repeated",
       &raw.probes},
      {"--allow-management", "",
       "Also changes that can cut a protected device; needs --confirm, --probe or --for",
       &into.allow_management},
  };
}

Option allow_busy(Arguments& into) {
  return {"--allow-busy", "", "Also changes that disturb traffic while jobs run on this node",
          &into.allow_busy};
}

/// For commands that write settings of an interface.
Option owners(Arguments& into) {
  return {"--accept-owners", "", "Also settings that another owner (lldpad) would undo",
          &into.accept_owners};
}

Option force(Arguments& into) {
  return {"--force", "", "Give back also what others changed since nettune set it", &into.force};
}

Option unattended(Arguments& into, std::string_view help) {
  return {"--unattended", "", help, &into.unattended};
}

Options report(Arguments& into, OptionTexts& raw) {
  return {
      {"--textfile", "FILE", "Write metrics for node_exporter's textfile collector",
       &into.textfile},
      {"--on-drift", "COMMAND", "Call this program of the site (/PATH WORD...) on drift",
       &raw.on_drift},
  };
}

/// What apply accepts, and what plan reports accordingly.
Options permissions(Arguments& into) {
  return {
      allow_busy(into),
      {"--accept-no-undo", "", "Also changes that cannot be undone", &into.accept_no_undo},
      {"--accept-cautions", "", "Although the profile advises against it on this node",
       &into.accept_cautions},
      owners(into),
      {"--without", "DEVICE", "Leave out a device, and remember it; may be repeated",
       &into.without},
      force(into),
      unattended(into, "Called by a timer or automation: respect a hold"),
      {"--only", "ADDRESS", "Only this setting of the profile; may be repeated",
       &into.only_settings},
  };
}

Options plan_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      profile(into),
      {"--save", "FILE", "Write the plan to a file for apply", &into.save_file},
      {"--facts", "FILE", "Plan for a recorded node (nettune facts --json)", &into.facts_file},
      {"--state", "FILE", "The present values of the recorded node", &into.values_file},
  };
  add(options, window(into, raw));
  add(options, permissions(into));
  options.push_back(root(into));
  return options;
}

Options apply_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      {"profile", "", "A profile's name, or a plan saved with plan --save", &into.subject, true}};
  add(options, window(into, raw));
  options.push_back(
      {"--for", "TIME", "For so long only (10m): then it ends by itself", &raw.for_time});
  add(options, permissions(into));
  options.push_back(root(into));
  options.push_back(
      {"-y,--yes", "", "Do not ask before writing (only a terminal is asked)", &into.yes});
  return options;
}

Options reapply_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      {"--only", "INTERFACE", "Only what hangs on this device", &into.only},
      {"--kind", "KIND", "Only settings of this kind, as firewall or sysctl", &into.only_kind},
  };
  add(options, window(into, raw));
  add(options, {allow_busy(into), owners(into),
                unattended(into, "Called by a service or automation: respect a hold")});
  return options;
}

Options check_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      unattended(into,
                 "Called by a timer: respect a hold, and tell drift to the journal; no advice"),
      {"--strict", "", "Exit with 9 where traffic may be blocked or allowed", &into.strict},
      {"--listen-lldp", "TIME",
       "Compare the lossless ports with what their switches say; 35s hears a usual one",
       &raw.listen},
  };
  add(options, report(into, raw));
  return options;
}

Options watch_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      unattended(into, "A service: respect a hold, and tell drift to the journal"),
      {"--every", "TIME", "Look so often at what no event tells (60s)", &raw.every},
  };
  add(options, report(into, raw));
  return options;
}

Options rollback_options(Arguments& into, OptionTexts& raw) {
  Options options = {
      {"--to", "N|baseline", "A generation of history, or before the first", &raw.to},
      unattended(into, "Called by automation: respect a hold"),
      root(into),
      force(into),
  };
  add(options, window(into, raw));
  add(options,
      {allow_busy(into),
       owners(into),
       {"--dry-run", "", "Only show what would be put back; writes nothing", &into.dry_run}});
  return options;
}

Options env_options(Arguments& into) {
  return {
      {"profile", "", "A profile's name (what is applied here, without one)", &into.subject},
      {"--format", "FORMAT",
       "sh (as it is without), docker, nccl.conf, systemd, slurm, k8s or json", &into.format},
      {"--facts", "FILE", "For a recorded node (nettune facts --json)", &into.facts_file},
      {"--explain", "VAR", "Every place of this node that sets it, and which one wins",
       &into.explain},
      {"--nccl", "VERSION",
       "--explain: the release to judge for, or the path of a libnccl.so.2 (looked for)",
       &into.nccl},
      {"--catalog", "FILE", "--explain: another catalogue of variables", &into.catalog_file},
  };
}

/// nettune run [OPTION...] -- COMMAND ARGUMENT...
Options run_options(Arguments& into) {
  return {
      {"--", "COMMAND ...", "What is started, with its arguments as they are", &into.words},
      {"stray", "", "", &into.stray},
      {"--profile", "NAME", "The variables of this profile (those that are applied)",
       &into.profile},
      {"--override", "", "Also where the environment has another value",
       &into.override_environment},
      {"--numa-of-gpu", "GPU",
       "On the CPUs and with memory near to this GPU: its number of nettune facts, or its PCI "
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
              {"--origin", "", "With file and line of every value", &into.origin},
              {"--why", "", "With the profile's reason for every value", &into.reasons}};
    case Command::recommend:
      return {{"--facts", "FILE", "For a recorded node (nettune facts --json)", &into.facts_file}};
    case Command::schema:
      return {{"what", "", "profile (without it), or site: that of site.toml", &into.subject}};
    case Command::plan:
      return plan_options(into, raw);
    case Command::diff:
      return {{"profile", "", "A profile's name, or a generation (what is applied, without one)",
               &into.subject},
              {"generation", "", "Another generation to compare that one with", &into.generation}};
    case Command::apply:
      return apply_options(into, raw);
    case Command::reapply:
      return reapply_options(into, raw);
    case Command::confirm:
      return {{"--any-connection", "",
               "Also where it cannot be told that the node can be reached anew",
               &into.any_connection}};
    case Command::check:
      return check_options(into, raw);
    case Command::watch:
      return watch_options(into, raw);
    case Command::qualify:
      return {
          {"device", "", "An interface or an RDMA device that nothing uses", &into.subject, true},
          {"profile", "", "A profile's name (the one that fits, without one)", &into.profile},
          {"--output", "FILE", "Write the evidence there (/etc/nettune/evidence/...)",
           &into.output_file},
      };
    case Command::recover:
      return {
          {"--abandon", "", "Archive what cannot be undone, list it, and forget debts",
           &into.abandon},
          root(into),
          {"--at", "SECONDS", "Wait until then (CLOCK_BOOTTIME); what --confirm starts", &raw.at},
      };
    case Command::rollback:
      return rollback_options(into, raw);
    case Command::history:
    case Command::status:
      return {root(into)};
    case Command::hold:
      return {{"--why", "TEXT", "A reason for whoever finds the hold", &into.why}};
    default:
      return {};
  }
}

}  // namespace nettune::cli
