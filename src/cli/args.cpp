// SPDX-License-Identifier: Apache-2.0
#include "cli/args.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/text.hpp"
#include "cli/option_texts.hpp"

namespace nettune::cli {

namespace {

struct Spec {
  Command command;
  std::string_view name;
  std::string_view summary;  ///< at most 60 characters
  std::string_view group;
};

/// In the order of the overview, which groups them by what people want to do. Those that are
/// programs of their own are in programs.cpp; docs/man/command-pages.awk reads both tables.
constexpr std::array kCommands = {
    Spec{Command::list, "list", "list the profiles", kSettings},
    Spec{Command::show, "show", "show a resolved profile, and where values come from", kSettings},
    Spec{Command::schema, "schema", "print the JSON Schema of the profile format", kSettings},
    Spec{Command::plan, "plan", "show what apply would change, its impact and undo", kSettings},
    Spec{Command::diff, "diff", "show only what differs, as a diff", kSettings},
    Spec{Command::apply, "apply", "apply a profile or a saved plan", kSettings},
    Spec{Command::confirm, "confirm", "keep what apply --confirm would revert", kSettings},
    Spec{Command::check, "check", "report drift", kSettings},
    Spec{Command::watch, "watch", "report drift as it happens", kSettings},
    Spec{Command::reapply, "reapply", "apply the active generation again (boot, hotplug)",
         kSettings},
    Spec{Command::rollback, "rollback", "restore an earlier state", kSettings},
    Spec{Command::recover, "recover", "finish or undo what an interrupted run left", kSettings},
    Spec{Command::history, "history", "list every transaction on this node", kSettings},
    Spec{Command::status, "status", "show what is active, on hold or unfinished", kSettings},
    Spec{Command::hold, "hold", "keep automation away while a person debugs", kSettings},
    Spec{Command::release, "release", "end a hold", kSettings},
    Spec{Command::facts, "facts", "show devices, links, GPUs, and what is protected", kNode},
    Spec{Command::qualify, "qualify", "try a profile's settings on one device, and undo them",
         kNode},
    Spec{Command::env, "env", "print the variables that jobs get on this node", kJobs},
    Spec{Command::run, "run", "run a command with them, bound near a GPU on request", kJobs},
};

/// Asked by the shells' completion, and by the package before it is removed; in no overview.
constexpr std::string_view kComplete = "complete";
constexpr std::string_view kUndoList = "undo-list";

constexpr std::string_view kGlobalHelp =
    "\n"
    "Every command takes:\n"
    "  --json              one JSON document on standard output (see docs/schema)\n"
    "  --no-color          plain text on a terminal, too\n"
    "  -v, -vv             steps and their times; each message and file, too\n"
    "  --profiles DIR      look for profiles here first; may be repeated\n"
    "  --site FILE         values of this site (/etc/nettune/site.toml)\n"
    "  --set NAME=VALUE    a profile variable; may be repeated\n"
    "  --state-dir DIR     where nettune remembers (/var/lib/nettune)\n"
    "  --help, --version\n"
    "\n"
    "Exit codes: 0 done or in sync, 1 failed and nothing changed, 2 wrong usage or profile,\n"
    "3 drift or changes pending, 4 failed and rolled back, 5 unfinished: run recover,\n"
    "6 not permitted, 7 another nettune is at work or a change waits to be confirmed,\n"
    "8 refused by a guard, an owner or the node, 9 unknown: a log does not say.\n"
    "\n"
    "Start with: nettune list, nettune plan tcp-fallback, man nettune\n";

std::string overview() {
  std::string text = "Usage: nettune COMMAND [OPTION...]\n";
  for (const std::string_view group : {kSettings, kNode, kJobs, kManyNodes}) {
    std::string lines;
    const auto add = [&](const auto& spec) {
      if (spec.group == group)
        lines += cat("  ", spec.name, std::string(12 - spec.name.size(), ' '), spec.summary, "\n");
    };
    std::ranges::for_each(kCommands, add);
    std::ranges::for_each(programs(), add);
    if (!lines.empty()) text += cat("\n", group, ":\n", lines);
  }
  text += kGlobalHelp;
  return text;
}

/// Index of the first word that is neither an option nor an option's value; argc for none.
int find_command(std::span<const char* const> words) {
  Options global;
  GlobalOptions unused;
  add_global(global, unused);
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with('-') || word == "-") return static_cast<int>(i);
    if (takes_value(global, word)) ++i;
  }
  return static_cast<int>(words.size());
}

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

/// On commands that write settings of an interface.
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

/// What apply may do, and plan says that it would.
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

Options own_options(Arguments& into, OptionTexts& raw) {
  switch (into.command) {
    case Command::env:
      return env_options(into);
    case Command::run:
      return run_options(into);
    case Command::show:
      return {profile(into), {"--origin", "", "With file and line of every value", &into.origin}};
    case Command::plan:
      return plan_options(into, raw);
    case Command::diff:
      return {{"profile", "", "A profile's name (what is applied, without one)", &into.subject}};
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

CommandLine line_of(const Spec& spec, Arguments& into, OptionTexts& raw) {
  into.command = spec.command;
  CommandLine line{spec.name, spec.summary, own_options(into, raw)};
  add_global(line.options, into);
  return line;
}

const Spec* find_spec(std::string_view name) {
  const auto* const found = std::ranges::find(kCommands, name, &Spec::name);
  return found == kCommands.end() ? nullptr : found;
}

Failure unknown_command(std::string_view word) {
  const auto near = nearest(word, command_names());
  return usage(cat("there is no command \"", printable(word), "\"",
                   near ? cat(", did you mean ", *near, "?") : ""));
}

/// The line without a command: --help, --version, or a mistake.
Result<std::variant<Arguments, Information, ProgramCall>> without_command(
    std::span<const char* const> words_given) {
  for (const std::string_view word : words_given.subspan(1)) {
    if (word == "--help" || word == "-h") return Information{overview()};
    if (word == "--version") return Information{version_text()};
  }
  return usage("a command is missing (list, plan, apply, check, ...)");
}

}  // namespace

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Spec& spec : kCommands) names.emplace_back(spec.name);
  for (const ProgramSpec& program : programs()) names.emplace_back(program.name);
  return names;
}

std::vector<std::string> options_of(const std::string& command) {
  const Spec* const spec = find_spec(command);
  if (!spec) return {};
  Arguments unused;
  OptionTexts raw;
  return option_names(line_of(*spec, unused, raw).options);
}

std::string command_name(Command command) {
  if (command == Command::complete) return std::string(kComplete);
  if (command == Command::undo_list) return std::string(kUndoList);
  const auto* const found = std::ranges::find(kCommands, command, &Spec::command);
  return std::string(found->name);
}

Result<std::variant<Arguments, Information, ProgramCall>> parse_arguments(int argc,
                                                                          const char* const* argv) {
  const std::span<const char* const> line(argv, static_cast<std::size_t>(argc));
  if (argc > 1 && line[1] == kComplete) {
    Arguments seen;
    seen.command = Command::complete;
    seen.words.assign(line.begin() + 2, line.end());
    return seen;
  }
  if (argc == 2 && line[1] == kUndoList) {
    Arguments seen;
    seen.command = Command::undo_list;
    return seen;
  }
  const int at = find_command(line);
  if (at >= argc) return without_command(line);
  const char* const command = line[static_cast<std::size_t>(at)];
  std::vector<const char*> rest(line.begin() + 1, line.end());
  rest.erase(rest.begin() + at - 1);
  if (const ProgramSpec* const program = find_program(command))
    return ProgramCall{program, {rest.begin(), rest.end()}};
  const Spec* const spec = find_spec(command);
  if (!spec) return unknown_command(command);

  Arguments seen;
  OptionTexts raw;
  seen.typed.assign(rest.begin(), rest.end());
  TRY_ASSIGN(const auto information, read_words(line_of(*spec, seen, raw), rest));
  if (information) return *information;
  TRY(take_texts(seen, raw, spec->name));
  return seen;
}

}  // namespace nettune::cli
