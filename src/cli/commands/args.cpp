// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/args.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/text.hpp"
#include "cli/commands/command_options.hpp"
#include "cli/commands/command_table.hpp"

namespace nettune::cli::commands {

namespace {

constexpr std::string_view kGlobalHelp =
    "\n"
    "Every command takes:\n"
    "  --json              one JSON document on standard output (see docs/schema)\n"
    "  --no-color          no colour, even on a terminal\n"
    "  -v, -vv             show steps and timings; -vv also each message and file\n"
    "  --profiles DIR      search DIR for profiles first; may be repeated\n"
    "  --site FILE         site values (/etc/nettune/site.toml)\n"
    "  --set NAME=VALUE    set a profile variable; may be repeated\n"
    "  --state-dir DIR     the state directory (/var/lib/nettune)\n"
    "  --help, --version\n"
    "\n"
    "Exit codes: 0 done or in sync, 1 failed and nothing changed, 2 wrong usage or an\n"
    "error in a profile, 3 drift or changes pending, 4 failed and rolled back,\n"
    "5 unfinished: run recover, 6 not permitted, 7 another nettune is running or a\n"
    "change is waiting for confirmation, 8 refused by a guard, a manager or the node,\n"
    "9 unknown: what was read does not answer the question.\n"
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
    std::ranges::for_each(commands(), add);
    std::ranges::for_each(programs(), add);
    if (!lines.empty()) text += cat("\n", group, ":\n", lines);
  }
  text += kGlobalHelp;
  return text;
}

/// The index of the first word that is neither an option nor an option's value; argc if there is
/// none.
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

CommandLine line_of(const CommandSpec& spec, Arguments& into, OptionTexts& raw) {
  into.command = spec.command;
  CommandLine line{spec.name, spec.summary, own_options(into, raw)};
  add_global(line.options, into);
  return line;
}

/// The commands of the overview.
const CommandSpec* find_spec(std::string_view name) {
  for (const CommandSpec& spec : commands())
    if (spec.name == name && !spec.group.empty()) return &spec;
  return nullptr;
}

Failure unknown_command(std::string_view word) {
  const auto near = nearest(word, command_names());
  return usage(cat("unknown command '", printable(word), "'",
                   near ? cat("; did you mean '", *near, "'?") : ""));
}

/// Handles a line without a command: --help, --version, or a mistake.
Result<std::variant<Arguments, Information, ProgramCall>> without_command(
    std::span<const char* const> words_given) {
  for (const std::string_view word : words_given.subspan(1)) {
    if (word == "--help" || word == "-h") return Information{overview()};
    if (word == "--version") return Information{version_text()};
  }
  return usage("no command given (list, plan, apply, check, ...)");
}

}  // namespace

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandSpec& spec : commands())
    if (!spec.group.empty()) names.emplace_back(spec.name);
  for (const ProgramSpec& program : programs()) names.emplace_back(program.name);
  return names;
}

std::vector<std::string> options_of(const std::string& command) {
  const CommandSpec* const spec = find_spec(command);
  if (!spec) return {};
  Arguments unused;
  OptionTexts raw;
  return option_names(line_of(*spec, unused, raw).options);
}

std::string command_name(Command command) { return std::string(spec_of(command).name); }

Result<std::variant<Arguments, Information, ProgramCall>> parse_arguments(int argc,
                                                                          const char* const* argv) {
  const std::span<const char* const> line(argv, static_cast<std::size_t>(argc));
  if (argc > 1 && line[1] == spec_of(Command::complete).name) {
    Arguments seen;
    seen.command = Command::complete;
    seen.words.assign(line.begin() + 2, line.end());
    return seen;
  }
  if (argc == 2 && line[1] == spec_of(Command::undo_list).name) {
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
  const CommandSpec* const spec = find_spec(command);
  if (!spec) return unknown_command(command);

  Arguments seen;
  OptionTexts raw;
  seen.typed.assign(rest.begin(), rest.end());
  TRY_ASSIGN(const auto information, read_words(line_of(*spec, seen, raw), rest));
  if (information) return *information;
  TRY(take_texts(seen, raw, spec->name));
  return seen;
}

}  // namespace nettune::cli::commands
