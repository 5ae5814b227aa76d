// SPDX-License-Identifier: Apache-2.0
#include "cli/args.hpp"

#include <CLI/CLI.hpp>
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

/// In the order of the overview, which groups them by what people want to do.
constexpr std::string_view kSettings = "Settings";
constexpr std::string_view kNode = "This node";
constexpr std::string_view kJobs = "Jobs";

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
    Spec{Command::nccl, "nccl", "lint NCCL variables; explain NCCL logs", kJobs},
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

/// Options that stand before or behind the command and carry a value.
constexpr std::array<std::string_view, 4> kGlobalValues = {"--profiles", "--site", "--set",
                                                           "--state-dir"};

std::string overview() {
  std::string text = "Usage: nettune COMMAND [OPTION...]\n";
  std::string_view group;
  for (const Spec& spec : kCommands) {
    if (spec.group != group) text += cat("\n", spec.group, ":\n");
    group = spec.group;
    text += cat("  ", spec.name, std::string(12 - spec.name.size(), ' '), spec.summary, "\n");
  }
  text += kGlobalHelp;
  return text;
}

/// Index of the first word that is neither an option nor an option's value; argc for none.
int find_command(std::span<const char* const> words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (!word.starts_with('-') || word == "-") return static_cast<int>(i);
    if (std::find(kGlobalValues.begin(), kGlobalValues.end(), word) != kGlobalValues.end()) ++i;
  }
  return static_cast<int>(words.size());
}

/// CLI11 hands the raw words to a callback: no conversion of its own comes between. With that,
/// --set a=b tcp does not swallow tcp, and 0x10 is no number.
/// An empty value is never meant: it is what an unset variable of a script leaves.
void add_value(CLI::App& app, const std::string& name, const std::string& meta,
               const std::string& help, std::string& target) {
  app.add_option(name, CLI::callback_t([&target, name](const CLI::results_t& words_seen) {
                   target = words_seen.at(0);
                   if (target.empty() && name.starts_with("--"))
                     throw CLI::ValidationError(name, "needs a value, and this one is empty");
                   return true;
                 }),
                 help)
      ->type_name(meta)
      ->type_size(1)
      ->expected(1)
      ->allow_extra_args(false);
}

void add_list(CLI::App& app, const std::string& name, const std::string& meta,
              const std::string& help, std::vector<std::string>& target) {
  app.add_option(name, CLI::callback_t([&target](const CLI::results_t& words_seen) {
                   target = words_seen;
                   return true;
                 }),
                 help)
      ->type_name(meta)
      ->type_size(1)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_global(CLI::App& app, Arguments& into, OptionTexts& raw) {
  app.add_flag("--json", into.json, "One JSON document on standard output");
  app.add_flag("--no-color", into.no_color, "No colour, on a terminal too");
  app.add_flag("-v,--verbose", into.verbose, "Show steps and their times; -vv: each message");
  add_list(app, "--profiles", "DIR", "Look for profiles here first; may be repeated",
           into.profile_directories);
  add_value(app, "--site", "FILE", "Values of this site (/etc/nettune/site.toml)", raw.site);
  add_list(app, "--set", "NAME=VALUE", "A profile variable; may be repeated", raw.set);
  add_value(app, "--state-dir", "DIR", "Where nettune remembers (/var/lib/nettune)",
            into.state_directory);
}

void add_root(CLI::App& app, Arguments& into) {
  add_value(app, "--root", "DIR", "An image in the place of this machine: files only", into.root);
}

void add_subject(CLI::App& app, Arguments& into, const std::string& name, const std::string& help,
                 bool required) {
  add_value(app, name, "", help, into.subject);
  if (required) app.get_option(name)->required();
}

void add_window(CLI::App& app, Arguments& into, OptionTexts& raw) {
  add_value(app, "--confirm", "TIME",
            "Undo it after so long (90, 90s, 2m) unless nettune confirm comes", raw.confirm);
  add_list(app, "--probe", "WHAT",
           "Confirm it when path:PEER, gateway, tcp:HOST:PORT or command:/PATH succeeds; may be "
           "repeated",
           raw.probes);
  app.add_flag("--allow-management", into.allow_management,
               "Also changes that can cut a protected device; needs --confirm, --probe or --for");
}

/// On commands that write settings of an interface.
void add_owners(CLI::App& app, Arguments& into) {
  app.add_flag("--accept-owners", into.accept_owners,
               "Also settings that another owner (lldpad) would undo");
}

void add_report(CLI::App& app, Arguments& into, OptionTexts& raw) {
  add_value(app, "--textfile", "FILE", "Write metrics for node_exporter's textfile collector",
            into.textfile);
  add_value(app, "--on-drift", "COMMAND", "Call this program of the site (/PATH WORD...) on drift",
            raw.on_drift);
}

/// What apply may do, and plan says that it would.
void add_permissions(CLI::App& app, Arguments& into) {
  app.add_flag("--allow-busy", into.allow_busy,
               "Also changes that disturb traffic while jobs run on this node");
  app.add_flag("--accept-no-undo", into.accept_no_undo, "Also changes that cannot be undone");
  app.add_flag("--accept-cautions", into.accept_cautions,
               "Although the profile advises against it on this node");
  add_owners(app, into);
  add_list(app, "--without", "DEVICE", "Leave out a device, and remember it; may be repeated",
           into.without);
  app.add_flag("--force", into.force, "Give back also what others changed since nettune set it");
  app.add_flag("--unattended", into.unattended, "Called by a timer or automation: respect a hold");
}

void add_apply(CLI::App& app, Arguments& into, OptionTexts& raw) {
  add_subject(app, into, "profile", "A profile's name, or a plan saved with plan --save", true);
  add_window(app, into, raw);
  add_value(app, "--for", "TIME", "For so long only (10m): then it ends by itself", raw.for_time);
  add_permissions(app, into);
}

/// nettune nccl WHAT FILE...: cmd_nccl.cpp knows what there is.
void add_nccl(CLI::App& app, Arguments& into) {
  add_subject(app, into, "what", "lint or explain", true);
  add_list(app, "file", "FILE",
           "lint: scripts, env-files, YAML, nccl.conf, profiles; explain: logs, plain or gzip; "
           "- is standard input",
           into.files);
  app.get_option("file")
      ->expected(0, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(true);
  add_value(app, "--as", "KIND", "What the files are: shell, env, conf, yaml, profile (guessed)",
            into.kind);
  app.add_flag("--env", into.environment, "Judge the present environment");
  add_value(app, "--profile", "NAME", "Judge what a profile sets on this node", into.profile);
  add_value(app, "--nccl", "VERSION",
            "The release to judge for, or the path of a libnccl.so.2 (looked for)", into.nccl);
  add_value(app, "--catalog", "FILE", "Another catalogue of variables", into.catalog_file);
  add_value(app, "--facts", "FILE", "Judge for a recorded node (nettune facts --json)",
            into.facts_file);
  app.add_flag("--any-node", into.any_node, "Say nothing of this node: the files are for others");
  add_value(app, "--root", "DIR", "Look for NCCL and nccl.conf in the root of a container image",
            into.rootfs);
  add_value(app, "--expect", "LIST",
            "explain: fail unless every rank used it: ib, gdr, p2p, nvls, net:NAME", into.expect);
}

void add_env(CLI::App& app, Arguments& into) {
  add_subject(app, into, "profile", "A profile's name (what is applied here, without one)", false);
  add_value(app, "--format", "FORMAT",
            "sh (as it is without), docker, nccl.conf, systemd, slurm, k8s or json", into.format);
  add_value(app, "--facts", "FILE", "For a recorded node (nettune facts --json)", into.facts_file);
  add_value(app, "--explain", "VAR", "Every place of this node that sets it, and which one wins",
            into.explain);
  add_value(app, "--nccl", "VERSION",
            "--explain: the release to judge for, or the path of a libnccl.so.2 (looked for)",
            into.nccl);
  add_value(app, "--catalog", "FILE", "--explain: another catalogue of variables",
            into.catalog_file);
}

/// nettune run [OPTION...] -- COMMAND ARGUMENT...
void add_run(CLI::App& app, Arguments& into) {
  add_list(app, "command", "", "Behind --: what is started, with its arguments as they are",
           into.files);
  app.get_option("command")
      ->expected(0, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(true);
  add_value(app, "--profile", "NAME", "The variables of this profile (those that are applied)",
            into.profile);
  app.add_flag("--override", into.override_environment,
               "Also where the environment has another value");
  add_value(app, "--numa-of-gpu", "GPU",
            "On the CPUs and with memory near to this GPU: its number of nettune facts, or its PCI "
            "address",
            into.near_gpu);
}

void add_command(CLI::App& app, Arguments& into, OptionTexts& raw) {
  switch (into.command) {
    case Command::env:
      add_env(app, into);
      break;
    case Command::run:
      add_run(app, into);
      break;
    case Command::nccl:
      add_nccl(app, into);
      break;
    case Command::show:
      add_subject(app, into, "profile", "A profile's name", true);
      app.add_flag("--origin", into.origin, "With file and line of every value");
      break;
    case Command::plan:
      add_subject(app, into, "profile", "A profile's name", true);
      add_value(app, "--save", "FILE", "Write the plan to a file for apply", into.save_file);
      add_value(app, "--facts", "FILE", "Plan for a recorded node (nettune facts --json)",
                into.facts_file);
      add_value(app, "--state", "FILE", "The present values of the recorded node",
                into.values_file);
      add_window(app, into, raw);
      add_permissions(app, into);
      add_root(app, into);
      break;
    case Command::diff:
      add_subject(app, into, "profile", "A profile's name (what is applied, without one)", false);
      break;
    case Command::apply:
      add_apply(app, into, raw);
      add_root(app, into);
      break;
    case Command::reapply:
      add_value(app, "--only", "INTERFACE", "Only what hangs on this device", into.only);
      add_value(app, "--kind", "KIND", "Only settings of this kind, as firewall or sysctl",
                into.only_kind);
      add_window(app, into, raw);
      app.add_flag("--allow-busy", into.allow_busy,
                   "Also changes that disturb traffic while jobs run on this node");
      add_owners(app, into);
      app.add_flag("--unattended", into.unattended,
                   "Called by a service or automation: respect a hold");
      break;
    case Command::confirm:
      app.add_flag("--any-connection", into.any_connection,
                   "Also where it cannot be told that the node can be reached anew");
      break;
    case Command::check:
      app.add_flag("--unattended", into.unattended,
                   "Called by a timer: respect a hold, and tell drift to the journal; no advice");
      app.add_flag("--strict", into.strict, "Exit with 9 where traffic may be blocked or allowed");
      add_value(app, "--listen-lldp", "TIME",
                "Compare the lossless ports with what their switches say; 35s hears a usual one",
                raw.listen);
      add_report(app, into, raw);
      break;
    case Command::watch:
      app.add_flag("--unattended", into.unattended,
                   "A service: respect a hold, and tell drift to the journal");
      add_value(app, "--every", "TIME", "Look so often at what no event tells (60s)", raw.every);
      add_report(app, into, raw);
      break;
    case Command::qualify:
      add_subject(app, into, "device", "An interface or an RDMA device that nothing uses", true);
      add_value(app, "profile", "", "A profile's name (the one that fits, without one)",
                into.profile);
      add_value(app, "--output", "FILE", "Write the evidence there (/etc/nettune/evidence/...)",
                into.output_file);
      break;
    case Command::recover:
      app.add_flag("--abandon", into.abandon,
                   "Archive what cannot be undone, list it, and forget debts");
      add_root(app, into);
      add_value(app, "--at", "SECONDS", "Wait until then (CLOCK_BOOTTIME); what --confirm starts",
                raw.at);
      break;
    case Command::rollback:
      add_value(app, "--to", "N|baseline", "A generation of history, or before the first", raw.to);
      app.add_flag("--unattended", into.unattended, "Called by automation: respect a hold");
      add_root(app, into);
      app.add_flag("--force", into.force,
                   "Give back also what others changed since nettune set it");
      add_window(app, into, raw);
      app.add_flag("--allow-busy", into.allow_busy,
                   "Also changes that disturb traffic while jobs run on this node");
      add_owners(app, into);
      app.add_flag("--dry-run", into.dry_run, "Only show what would be put back; writes nothing");
      break;
    case Command::history:
    case Command::status:
      add_root(app, into);
      break;
    case Command::hold:
      add_value(app, "--why", "TEXT", "A reason for whoever finds the hold", into.why);
      break;
    default:
      break;
  }
}

std::string unexpected(const CLI::App& app, const std::vector<std::string>& words_left) {
  const std::string word = words_left.empty() ? std::string() : words_left.front();
  std::string text = cat("what is \"", printable(word), "\"?");
  if (!word.starts_with("--")) return text + " It was not expected there";
  std::vector<std::string> known = {"--help"};
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  if (const auto near = nearest(word.substr(0, word.find('=')), known))
    return cat(text, " Did you mean ", *near, "?");
  return text + " There is no such option";
}

const Spec* find_spec(std::string_view name) {
  const auto* const found = std::find_if(kCommands.begin(), kCommands.end(),
                                         [&](const Spec& spec) { return spec.name == name; });
  return found == kCommands.end() ? nullptr : found;
}

Failure unknown_command(std::string_view word) {
  std::vector<std::string> names;
  for (const Spec& spec : kCommands) names.emplace_back(spec.name);
  const auto near = nearest(word, names);
  return usage(cat("there is no command \"", printable(word), "\"",
                   near ? cat(", did you mean ", *near, "?") : ""));
}

/// The line without a command: --help, --version, or a mistake.
Result<std::variant<Arguments, Information>> without_command(
    std::span<const char* const> words_given) {
  for (const std::string_view word : words_given.subspan(1)) {
    if (word == "--help" || word == "-h") return Information{overview()};
    if (word == "--version") return Information{cat("nettune ", NETTUNE_VERSION, "\n")};
  }
  return usage("a command is missing (list, plan, apply, check, ...)");
}

}  // namespace

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Spec& spec : kCommands) names.emplace_back(spec.name);
  return names;
}

std::vector<std::string> options_of(const std::string& command) {
  const Spec* const spec = find_spec(command);
  if (!spec) return {};
  Arguments unused;
  unused.command = spec->command;
  OptionTexts raw;
  CLI::App app;
  add_command(app, unused, raw);
  add_global(app, unused, raw);
  std::vector<std::string> names = {"--version"};
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string command_name(Command command) {
  if (command == Command::complete) return std::string(kComplete);
  if (command == Command::undo_list) return std::string(kUndoList);
  const auto* const found = std::find_if(kCommands.begin(), kCommands.end(),
                                         [&](const Spec& spec) { return spec.command == command; });
  return std::string(found->name);
}

Result<std::variant<Arguments, Information>> parse_arguments(int argc, const char* const* argv) {
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
  const Spec* const spec = find_spec(line[static_cast<std::size_t>(at)]);
  if (!spec) return unknown_command(line[static_cast<std::size_t>(at)]);

  Arguments seen;
  seen.command = spec->command;
  OptionTexts raw;
  std::vector<const char*> rest(line.begin(), line.end());
  rest.erase(rest.begin() + at);
  seen.typed.assign(rest.begin() + 1, rest.end());
  if (seen.command == Command::run) {
    // CLI11 would look for options of ours among those of the command.
    const auto end = std::ranges::find(rest, std::string_view("--"));
    if (end != rest.end()) seen.words.assign(end + 1, rest.end());
    rest.erase(end, rest.end());
  }
  try {
    CLI::App app(std::string(spec->summary), cat("nettune ", spec->name));
    bool version = false;
    app.add_flag("--version", version, "Print the version");
    add_command(app, seen, raw);
    add_global(app, seen, raw);
    try {
      app.parse(static_cast<int>(rest.size()), rest.data());
    } catch (const CLI::CallForHelp&) {
      return Information{app.help()};
    } catch (const CLI::ExtrasError&) {
      return usage(unexpected(app, app.remaining()), spec->name);
    }
    if (version) return Information{cat("nettune ", NETTUNE_VERSION, "\n")};
  } catch (const CLI::Error& error) {
    return usage(printable(error.what()), spec->name);
  }
  seen.site_given = !raw.site.empty();
  if (seen.site_given) seen.site_file = raw.site;
  TRY(take_texts(seen, raw, spec->name));
  return seen;
}

}  // namespace nettune::cli
