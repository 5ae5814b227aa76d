// SPDX-License-Identifier: Apache-2.0
#include "cli/program_main.hpp"

#include <cstdio>
#include <exception>

#include "cli/candidates.hpp"
#include "cli/programs.hpp"
#include "node/signals.hpp"

namespace nettune::cli {

namespace {

int complete(const Command& command, std::span<const char* const> typed) {
  std::vector<std::string> words(typed.begin(), typed.end());
  if (words.empty()) words.emplace_back();
  node::Context context{node::Locations()};
  Output output(true);
  output.print(completions(candidates(command, context, words), words.back()));
  output.flush();
  return 0;
}

int read_and_run(const Command& command, int argc, const char* const* argv) {
  const std::span<const char* const> words(argv + 1,
                                           static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  if (!words.empty() && words[0] == kCompleteWord) return complete(command, words.subspan(1));
  const auto seen = read_command_line(command, words);
  if (!seen) return report_mistake(seen.error(), argc, argv);
  return *seen ? print_information(**seen) : execute(command);
}

}  // namespace

int program_main(const Command& command, int argc, const char* const* argv) {
  node::prepare_process();
  try {
    return read_and_run(command, argc, argv);
  } catch (const std::exception& error) {
    // Memory ran out, or this is a bug.
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(node::Exit::failed);
  }
}

}  // namespace nettune::cli
