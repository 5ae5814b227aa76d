// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "cli/programs.hpp"
#include "node/planning.hpp"

namespace nettune::cli::commands {

namespace {

/// doctor has the libraries of the cards, and nettune itself does not.
Failure become_doctor(const Arguments& arguments) {
  std::vector<std::string> words = {"--facts"};
  if (arguments.json) words.emplace_back("--json");
  if (arguments.no_color) words.emplace_back("--no-color");
  for (const std::string& directory : arguments.profile_directories)
    words.insert(words.end(), {"--profiles", directory});
  if (arguments.site_given) words.insert(words.end(), {"--site", arguments.site_file});
  for (const auto& [name, value] : arguments.set)
    words.insert(words.end(), {"--set", cat(name, "=", value)});
  words.insert(words.end(), {"--state-dir", arguments.state_directory});
  return become_program(*find_program("doctor"), words);
}

}  // namespace

Result<node::Exit> cmd_facts(Invocation& context, Output& output) {
  if (context.arguments().full) return become_doctor(context.arguments());
  TRY_ASSIGN(const facts::Facts facts, context.described_facts());
  if (!context.arguments().json) {
    output.print(text::facts(facts, output.style()));
    return node::Exit::done;
  }
  // Wrong values must not hide the devices.
  output.print(
      json::facts(facts, node::record_values(context, facts).value_or(node::RecordedValues())));
  return node::Exit::done;
}

}  // namespace nettune::cli::commands
