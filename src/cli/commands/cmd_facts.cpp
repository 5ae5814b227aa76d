// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "cli/programs.hpp"
#include "node/planning.hpp"

namespace nettune::cli::commands {

namespace {

/// doctor has the libraries of the cards, and nettune itself does not.
Failure become_doctor(const node::Locations& locations, const GlobalOptions& options) {
  std::vector<std::string> words = {"--facts"};
  if (options.json) words.emplace_back("--json");
  if (options.no_color) words.emplace_back("--no-color");
  for (const std::string& directory : locations.profile_directories)
    words.insert(words.end(), {"--profiles", directory});
  if (locations.site_given) words.insert(words.end(), {"--site", locations.site_file});
  for (const auto& [name, value] : locations.set)
    words.insert(words.end(), {"--set", cat(name, "=", value)});
  words.insert(words.end(), {"--state-dir", locations.state_directory});
  return become_program(*find_program("doctor"), words);
}

struct FactsCommand : GlobalOptions {
  bool full = false;

  Options options() {
    return {{"--full", "", "Add what doctor's probes find: GPUs, versions, distances", &full}};
  }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    if (full) return become_doctor(context.locations(), *this);
    TRY_ASSIGN(const facts::Facts facts, context.described_facts());
    if (!json) {
      output.print(text::facts(facts, output.style()));
      return node::Exit::done;
    }
    // Wrong values must not hide the devices.
    output.print(
        json::facts(facts, node::record_values(context, facts).value_or(node::RecordedValues())));
    return node::Exit::done;
  }
};

}  // namespace

Command facts_command() { return make_command<FactsCommand>(); }

}  // namespace nettune::cli::commands
