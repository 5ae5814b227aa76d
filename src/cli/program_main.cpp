// SPDX-License-Identifier: Apache-2.0
#include "cli/program_main.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "base/text.hpp"
#include "base/trace.hpp"
#include "cli/candidates.hpp"
#include "cli/programs.hpp"
#include "cli/run_command.hpp"
#include "node/display_text.hpp"
#include "node/signals.hpp"

namespace nettune::cli {

namespace {

CommandLine line_of(const Program& program) {
  const ProgramSpec* const spec = find_program(program.name);
  CommandLine line{program.name, spec ? spec->summary : "", program.options};
  add_global(line.options, *program.global);
  return line;
}

std::vector<std::string> candidates(const Program& program, const std::vector<std::string>& words) {
  // Another program's line follows.
  if (std::find(words.begin(), words.end() - 1, "--") != words.end() - 1) return {};
  if (words.back().starts_with('-')) return option_names(line_of(program).options);
  if (!program.candidates) return {};
  node::Context context{node::Locations()};
  return program.candidates(context, words);
}

int complete(const Program& program, std::span<const char* const> typed) {
  std::vector<std::string> words(typed.begin(), typed.end());
  if (words.empty()) words.emplace_back();
  Output output(true);
  output.print(completions(candidates(program, words), words.back()));
  output.flush();
  return 0;
}

int read_and_run(const Program& program, int argc, const char* const* argv) {
  const std::span<const char* const> words(argv + 1,
                                           static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  if (!words.empty() && words[0] == kCompleteWord) return complete(program, words.subspan(1));
  const auto seen = read_program_line(program, words);
  if (!seen) return report_mistake(seen.error(), argc, argv);
  if (*seen) return print_information(**seen);
  GlobalOptions& global = *program.global;
  trace::set_level(global.verbose);
  node::Locations locations = global;
  locations.again = node::sudo_line(program.name, global.typed);
  node::Context context(std::move(locations));
  return run_command(context, global, Work::only_tells,
                     [&](Output& output) { return program.run(context, output); });
}

}  // namespace

Result<std::optional<Information>> read_program_line(const Program& program,
                                                     std::span<const char* const> words) {
  program.global->typed.assign(words.begin(), words.end());
  TRY_ASSIGN(auto information, read_words(line_of(program), words));
  if (information) return information;
  TRY(take_global(*program.global, program.name));
  return std::nullopt;
}

int program_main(const Program& program, int argc, const char* const* argv) {
  node::prepare_process();
  try {
    return read_and_run(program, argc, argv);
  } catch (const std::exception& error) {
    // Memory ran out, or this is a bug.
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(node::Exit::failed);
  }
}

}  // namespace nettune::cli
