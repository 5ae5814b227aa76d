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

namespace nettune::cli {

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

/// The command line, checked for form. Nothing in it comes from the environment: a tool that runs
/// as root must not be redirected by what a caller exported.
struct Arguments : GlobalOptions, ChangeRequest {
  Command command = Command::list;

  std::string subject;      ///< a profile's name, or the path of a saved plan; qualify: a device
  std::string profile;      ///< qualify, run --profile: what is tried, used
  std::string output_file;  ///< qualify: where the evidence goes; "" for the usual place
  bool origin = false;
  bool full = false;       ///< facts --full
  bool reasons = false;    ///< show --why
  std::string generation;  ///< diff N M: the second one
  std::string save_file;
  std::string format;  ///< env: whose syntax; "" for sh
  bool yes = false;    ///< apply: nobody is asked
  bool abandon = false;
  std::optional<std::uint64_t> to;  ///< rollback: a generation, 0 for the baseline
  std::int64_t at_s = 0;            ///< recover --at: when, by CLOCK_BOOTTIME; 0: now
  bool any_connection = false;
  std::string textfile;               ///< check, watch: metrics for node_exporter go there
  std::int64_t listen_s = 0;          ///< check: as CheckRequest
  bool strict = false;                ///< check: as CheckRequest
  std::vector<std::string> on_drift;  ///< check, watch: a program to call; its words
  std::int64_t every_s = 60;          ///< watch: how often to look without being told
  std::string only;                   ///< reapply: the one interface
  std::string only_kind;              ///< reapply: the one kind of settings
  std::string why;
  std::string explain;                ///< env --explain: the variable
  std::string nccl;                   ///< env --nccl: a version, or the path of a library
  std::string catalog_file;           ///< env --catalog; "" for the one that is installed
  std::string near_gpu;               ///< run --numa-of-gpu: an index or PCI address
  bool override_environment = false;  ///< run --override
  /// complete: the line so far, its last word unfinished; run: the command
  std::vector<std::string> words;
  std::vector<std::string> stray;  ///< run: words of a command that no -- is in front of
};

/// A command that is a program of its own, and the words that are for it.
struct ProgramCall {
  const ProgramSpec* program = nullptr;
  std::vector<std::string> words;
};

/// Reads the command line. Every mistake is Errc::invalid with a text that names it and says where
/// help is. Only the options of the command that is called are ever built.
Result<std::variant<Arguments, Information, ProgramCall>> parse_arguments(int argc,
                                                                          const char* const* argv);

/// All words that may stand behind nettune, those of programs among them.
std::vector<std::string> command_names();
/// The options that a command takes: "--json". None for a word that is no command of nettune
/// itself.
std::vector<std::string> options_of(const std::string& command);

/// The word on the command line: "plan".
std::string command_name(Command command);

}  // namespace nettune::cli
