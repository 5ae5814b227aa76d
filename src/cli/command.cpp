// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/trace.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "cli/programs.hpp"
#include "node/display_text.hpp"
#include "node/image.hpp"
#include "node/reboot_owed.hpp"
#include "node/summary.hpp"

namespace nettune::cli {

namespace {

/// A typed path must exist; the default places may be empty.
Result<> check_typed_paths(node::Context& context) {
  const node::Locations& locations = context.locations();
  for (const std::string& directory : locations.profile_directories) {
    TRY_ASSIGN(const auto info, context.disk().info(directory));
    if (info && info->kind == FileInfo::Kind::directory) continue;
    const bool is_link = info && info->kind == FileInfo::Kind::symlink;
    return fail(Errc::invalid, cat("--profiles ", printable(directory),
                                   is_link ? " is a symbolic link; name the directory itself"
                                           : " is not a directory"));
  }
  if (!locations.site_given) return {};
  TRY_ASSIGN(const auto info, context.disk().info(locations.site_file));
  if (info) return {};
  return fail(Errc::not_found, cat("there is no site file ", printable(locations.site_file)));
}

CommandLine line_of(const Command& command) {
  const ProgramSpec* const program = find_program(command.name);
  CommandLine line{command.name, program ? program->summary : command.summary, command.options,
                   program ? program->example : command.example};
  add_global(line.options, *command.global);
  return line;
}

node::Context context_of(const Command& command) {
  node::Locations locations = *command.global;
  locations.again = node::sudo_line(command.name, command.global->typed);
  return node::Context(std::move(locations));
}

}  // namespace

Result<std::optional<Information>> read_command_line(const Command& command,
                                                     std::span<const char* const> words) {
  command.global->typed.assign(words.begin(), words.end());
  TRY_ASSIGN(auto information, read_words(line_of(command), words));
  if (information) return information;
  Result<> taken = take_global(*command.global);
  if (taken && command.take) taken = command.take();
  if (!taken) return usage(std::move(taken).error().text, command.name);
  return std::nullopt;
}

std::vector<std::string> candidates(const Command& command, node::Context& context,
                                    std::span<const std::string> words) {
  const auto before = words.first(words.size() - 1);
  const auto named = [&](std::string_view name) {
    return std::ranges::find(command.options, name, &Option::name);
  };
  const bool is_behind = std::ranges::find(before, "--") != before.end();
  // Another program's line follows.
  if (is_behind && named("--") != command.options.end()) return {};
  if (words.back().starts_with('-') && !is_behind) return option_names(line_of(command).options);
  if (!before.empty()) {
    const auto option = named(before.back());
    if (option != command.options.end() && option->values) return option->values(context, before);
  }
  return command.candidates ? command.candidates(context, words) : std::vector<std::string>();
}

node::Exit report_error(const Error& error, node::Exit exit, bool as_json, Output& output) {
  if (as_json) output.print(json::error(error, exit));
  // Colour is decided for standard output; standard error may be a file.
  output.complain(text::error(error, Style{}));
  return exit;
}

int report_mistake(const Error& error, int argc, const char* const* argv) {
  Output output(true);
  // Another program's line follows --.
  const auto* const end = std::find(argv, argv + argc, std::string_view("--"));
  const bool as_json = std::find(argv, end, std::string_view("--json")) != end;
  const node::Exit exit = report_error(error, node::exit_for(error.code), as_json, output);
  output.flush();
  return static_cast<int>(exit);
}

int print_information(const Information& information) {
  Output output(true);
  output.print(information.text);
  output.flush();
  return static_cast<int>(output.ok() ? node::Exit::done : node::Exit::failed);
}

int execute(const Command& command) {
  const GlobalOptions& global = *command.global;
  trace::set_level(global.verbose);
  // Must come before the first path is read.
  const Result<> entered = global.root.empty() ? Result<>() : node::enter_image(global.root);
  node::Context context = context_of(command);
  Output output(global.no_color || global.json);
  const Result<node::Exit> result = [&]() -> Result<node::Exit> {
    TRY(check_typed_paths(context));
    TRY(entered);
    return command.run(context, output);
  }();
  const node::Exit exit = result ? *result
                                 : report_error(result.error(), node::exit_for(result.error().code),
                                                global.json, output);
  output.flush();
  // Also after a failure: it may have changed something.
  if (command.work == Work::changes && entered) {
    (void)node::update_summary(context, nullptr);
    node::announce_reboot(context);
  }
  // The work was done even if its output failed: only a command that merely reports has failed
  // then.
  if (output.ok()) return static_cast<int>(exit);
  output.complain("error: the output could not be written\n");
  return static_cast<int>(command.work == Work::only_tells ? node::Exit::failed : exit);
}

}  // namespace nettune::cli
