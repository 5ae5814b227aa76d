// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "cli/global_options.hpp"
#include "cli/programs.hpp"
#include "node/request.hpp"

namespace nettune::cli::commands {

enum class Command {
  list,
  show,
  recommend,
  schema,
  facts,
  env,
  run,
  plan,
  diff,
  apply,
  reapply,
  confirm,
  check,
  watch,
  qualify,
  recover,
  rollback,
  history,
  status,
  hold,
  release,
  complete,
  undo_list,
};

/// The command line, checked for form. Nothing comes from the environment: a tool that runs as root
/// must not be redirected by a caller's exports.
struct Arguments : GlobalOptions, node::ChangeRequest {
  Command command = Command::list;

  std::string subject;      ///< a profile, or the path of a saved plan; qualify: a device
  std::string profile;      ///< qualify, run --profile: the profile to try or use
  std::string output_file;  ///< qualify: the file for evidence; "" for the default
  bool origin = false;
  bool full = false;       ///< facts --full
  bool reasons = false;    ///< show --why
  std::string generation;  ///< diff N M: the second generation
  std::string save_file;
  std::string format;  ///< env: the syntax; "" for sh
  bool yes = false;    ///< apply: do not ask
  bool abandon = false;
  std::optional<std::uint64_t> to;  ///< rollback: a generation, 0 for the baseline
  std::int64_t at_s = 0;            ///< recover --at: CLOCK_BOOTTIME; 0: now
  bool any_connection = false;
  std::string textfile;               ///< check, watch: file for node_exporter's metrics
  std::int64_t listen_s = 0;          ///< check: as CheckRequest
  bool strict = false;                ///< check: as CheckRequest
  std::vector<std::string> on_drift;  ///< check, watch: a program to call on drift, as words
  std::int64_t every_s = 60;          ///< watch: interval of checks without an event
  std::vector<std::string> only;      ///< reapply: only these interfaces and addresses
  std::string only_kind;              ///< reapply: the only kind of settings
  std::string why;
  std::string explain;                ///< env --explain: the variable
  std::string nccl;                   ///< env --nccl: a version, or the path of a library
  std::string catalog_file;           ///< env --catalog; "" for the installed one
  std::string near_gpu;               ///< run --numa-of-gpu: an index or PCI address
  bool override_environment = false;  ///< run --override
  /// complete: the unfinished line; run: the command
  std::vector<std::string> words;
  std::vector<std::string> stray;  ///< run: words of a command without -- before them
};

/// A command that is a separate program, with its words.
struct ProgramCall {
  const ProgramSpec* program = nullptr;
  std::vector<std::string> words;
};

/// Parses the command line. Every mistake is Errc::invalid; its text names the mistake and the
/// help. Only the options of the called command are built.
Result<std::variant<Arguments, Information, ProgramCall>> parse_arguments(int argc,
                                                                          const char* const* argv);

/// All valid commands, programs included.
std::vector<std::string> command_names();
/// The options of a command: "--json". Empty if nettune itself has no such command.
std::vector<std::string> options_of(const std::string& command);

/// The word on the command line: "plan".
std::string command_name(Command command);

}  // namespace nettune::cli::commands
