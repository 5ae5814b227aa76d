// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/candidates.hpp"
#include "cli/commands/command_table.hpp"
#include "cli/programs.hpp"

namespace nettune::cli::commands {

namespace {

/// Prints candidates for the last of the words, which is unfinished. They are a line without
/// `nettune`.
struct CompleteCommand : GlobalOptions {
  Result<node::Exit> run(node::Context& context, Output& output) const {
    const std::vector<std::string>& words = typed;
    const std::string last = words.empty() ? std::string() : words.back();
    const auto before_last = words.end() - (words.empty() ? 0 : 1);
    const std::vector<std::string> names = command_names();
    const auto name = std::find_first_of(words.begin(), before_last, names.begin(), names.end());
    if (name == before_last) {
      output.print(completions(names, last));
      return node::Exit::done;
    }
    const std::vector<std::string> rest(name + 1, words.end());
    if (const ProgramSpec* const program = find_program(*name)) {
      std::vector<std::string> asked = {std::string(kCompleteWord)};
      asked.insert(asked.end(), rest.begin(), rest.end());
      return become_program(*program, asked);
    }
    output.print(completions(candidates(command_of(*find_command(*name)), context, rest), last));
    return node::Exit::done;
  }
};

}  // namespace

Command complete_command() { return make_command<CompleteCommand>(); }

}  // namespace nettune::cli::commands
