// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/global_options.hpp"
#include "cli/output.hpp"
#include "node/context.hpp"
#include "node/exit_codes.hpp"

/// A command, built in or a program, and the frame that all of them have.
namespace nettune::cli {

/// The exit code if only the output of a command failed: no failure if it changed something.
enum class Work { only_tells, changes };

struct Command {
  std::string_view name = {};  ///< "plan"
  GlobalOptions* global = nullptr;
  Options options = {};  ///< the command's own options, into a struct that lives as long
  /// The work, after parsing. A value is the exit code of a command that has printed everything; an
  /// error is reported as for every command.
  std::function<Result<node::Exit>(node::Context&, Output&)> run = {};
  /// Candidates for the last of `words`, which is unfinished and neither an option nor the value of
  /// one that has its own. There is at least one word; the command is not among them. Empty if the
  /// shell knows better (files).
  std::function<std::vector<std::string>(node::Context&, std::span<const std::string> words)>
      candidates = {};
  /// Parses texts of options that need the whole line, and checks combinations. Every mistake is
  /// Errc::invalid.
  std::function<Result<>()> take = {};
  Work work = Work::only_tells;
  std::string_view summary = {};  ///< at most 60 characters; programs.hpp has that of a program
  std::string_view example = {};  ///< for the end of its help; programs.hpp has that of a program
};

/// Makes a command of a struct T, which derives from GlobalOptions and has a member for each
/// option. T::run() is the work; T::options(), take() and candidates() are as in Command, where T
/// has them. The command keeps its T.
template <class T>
Command make_command(Work work = Work::only_tells) {
  const auto self = std::make_shared<T>();
  Command command;
  command.global = self.get();
  command.run = [self](node::Context& context, Output& output) {
    return self->run(context, output);
  };
  if constexpr (requires { self->options(); }) command.options = self->options();
  if constexpr (requires { self->take(); }) command.take = [self] { return self->take(); };
  if constexpr (requires { T::candidates; }) command.candidates = T::candidates;
  command.work = work;
  return command;
}

/// Parses the words after the command. Returns a text only for --help or --version. Every mistake
/// is Errc::invalid; its text names the mistake and the help.
Result<std::optional<Information>> read_command_line(const Command& command,
                                                     std::span<const char* const> words);

/// Candidates of shell completion for the last of `words`.
std::vector<std::string> candidates(const Command& command, node::Context& context,
                                    std::span<const std::string> words);

/// Does the work of a command whose line was read. Returns the exit code of the process, as the
/// functions below do.
int execute(const Command& command);

/// Prints an error, as JSON too if that was asked for. Returns `exit`.
node::Exit report_error(const Error& error, node::Exit exit, bool as_json, Output& output);

/// Reports a mistake on the command line, as JSON if the line asks for that.
int report_mistake(const Error& error, int argc, const char* const* argv);

/// Prints the text for --help or --version.
int print_information(const Information& information);

}  // namespace nettune::cli
