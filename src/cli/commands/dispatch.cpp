// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/dispatch.hpp"

#include <algorithm>
#include <csignal>
#include <poll.h>
#include <span>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
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
        lines += cat("  ", spec.name,
                     std::string(spec.name.size() < 12 ? 12 - spec.name.size() : 1, ' '),
                     spec.summary, "\n");
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
int command_index(std::span<const char* const> words) {
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

/// What other tools call it: TuneD, Terraform, NVUE, nmstate, Ansible, git.
struct OtherName {
  std::string_view theirs;
  std::string_view ours;
};
constexpr OtherName kOtherNames[] = {
    {"verify", "check"},
    {"validate", "plan"},
    {"show-config", "show"},
    {"profile_info", "show"},
    {"active", "status"},
    {"info", "status"},
    {"profiles", "list"},
    {"preview", "plan"},
    {"dry-run", "plan"},
    {"set", "apply"},
    {"profile", "apply"},
    {"start", "apply"},
    {"commit", "confirm"},
    {"try", "apply PROFILE --confirm 2m"},
    {"undo", "rollback"},
    {"revert", "rollback"},
    {"restore", "rollback"},
    {"destroy", "rollback --to baseline"},
    {"off", "rollback --to baseline"},
    {"reset", "rollback --to baseline"},
    {"drift", "check"},
    {"monitor", "watch"},
    {"log", "history"},
    {"journal", "history"},
    {"pause", "hold"},
    {"resume", "release"},
    {"inventory", "facts"},
    {"diagnose", "doctor"},
    {"lint", "nccl lint"},
    {"benchmark", "test"},
    {"version", "--version"},
};

Failure unknown_command(std::string_view word) {
  for (const OtherName& other : kOtherNames)
    if (other.theirs == word)
      return usage(
          cat("there is no command '", word, "'; what you look for is: nettune ", other.ours));
  const auto near = nearest(word, command_names());
  return usage(cat("unknown command '", printable(word), "'",
                   near ? cat("; did you mean '", *near, "'?") : ""));
}

/// Handles a line without a command: --help, --version, or a mistake.
Result<std::variant<Command, Information, ProgramCall>> without_command(
    std::span<const char* const> words_given) {
  for (const std::string_view word : words_given.subspan(1)) {
    if (word == "--help" || word == "-h") return Information{overview()};
    if (word == "--version") return Information{version_text()};
  }
  return usage("no command given (list, plan, apply, check, ...)");
}

/// nettune help [COMMAND].
Result<std::variant<Command, Information, ProgramCall>> help_on(
    std::span<const char* const> words_behind) {
  if (words_behind.empty()) return Information{overview()};
  const std::string_view name = words_behind.front();
  if (const ProgramSpec* const program = find_program(name))
    return ProgramCall{program, {"--help"}};
  const CommandSpec* const spec = find_command(name);
  if (!spec || spec->group.empty()) return unknown_command(name);
  const char* const help = "--help";
  TRY_ASSIGN(const auto information, read_command_line(command_of(*spec), {&help, 1}));
  return *information;
}

/// `explain --allow-busy` asks about a flag, which is a word there.
void make_flags_words(std::vector<const char*>& words_given) {
  Options global;
  GlobalOptions unused;
  add_global(global, unused);
  std::vector<std::string> known = option_names(global);
  known.emplace_back("--help");
  for (const char*& word : words_given) {
    const std::string_view text = word;
    const auto name = text.substr(0, text.find('='));
    if (text.size() > 2 && text.starts_with("--") && std::ranges::find(known, name) == known.end())
      word += 2;
  }
}

int become_program_of(const ProgramCall& call, int argc, const char* const* argv) {
  return report_mistake(become_program(*call.program, call.words).value(), argc, argv);
}

/// A scheduler drains a node where its prolog does not exit with 0. Only what doctor found may do
/// that: not a program that is missing, cannot be loaded, crashes, or does not end.
int run_prolog(const ProgramCall& call, int argc, const char* const* argv) {
  constexpr int kLongest_ms = 30'000;
  const pid_t pid = ::fork();
  if (pid < 0) return 0;
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    become_program_of(call, argc, argv);
    ::_exit(0);
  }
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd ended{process.get(), POLLIN, 0};
  if (process.get() >= 0 && ::poll(&ended, 1, kLongest_ms) == 0) {
    ::kill(pid, SIGKILL);
    return 0;
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1 ? 1 : 0;
}

bool is_prolog(const ProgramCall& call) {
  return call.program->name == "doctor" &&
         std::ranges::find(call.words, "--prolog") != call.words.end();
}

}  // namespace

Result<std::variant<Command, Information, ProgramCall>> read_line(int argc,
                                                                  const char* const* argv) {
  const std::span<const char* const> line(argv, static_cast<std::size_t>(argc));
  const int at = command_index(line);
  if (at >= argc) return without_command(line);
  const char* const name = line[static_cast<std::size_t>(at)];
  std::vector<const char*> rest(line.begin() + 1, line.end());
  rest.erase(rest.begin() + at - 1);
  if (std::string_view(name) == "help") return help_on(rest);
  if (const ProgramSpec* const program = find_program(name))
    return ProgramCall{program, {rest.begin(), rest.end()}};
  const CommandSpec* const spec = find_command(name);
  // undo-list takes no words, and what stands before `complete` is not its line.
  const bool is_hidden = spec && spec->group.empty();
  if (!spec || (is_hidden && (at != 1 || (argc > 2 && spec->name != "complete"))))
    return unknown_command(name);
  Command command = command_of(*spec);
  if (is_hidden) {
    command.global->typed.assign(rest.begin(), rest.end());
    return command;
  }
  if (spec->name == "explain") make_flags_words(rest);
  TRY_ASSIGN(const auto information, read_command_line(command, rest));
  if (information) return *information;
  return command;
}

int dispatch(int argc, const char* const* argv) {
  if (argc == 1) {
    // A script whose variable is empty must not look fine.
    print_information({overview()});
    return static_cast<int>(node::Exit::usage);
  }
  const auto seen = read_line(argc, argv);
  if (!seen) return report_mistake(seen.error(), argc, argv);
  if (const auto* const information = std::get_if<Information>(&*seen))
    return print_information(*information);
  if (const auto* const call = std::get_if<ProgramCall>(&*seen))
    return is_prolog(*call) ? run_prolog(*call, argc, argv) : become_program_of(*call, argc, argv);
  return execute(std::get<Command>(*seen));
}

}  // namespace nettune::cli::commands
