// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"
#include "cli/programs.hpp"
#include "node/planning.hpp"

namespace nettune::cli::commands {

namespace {

/// doctor has the libraries of the cards, and nettune itself does not.
Failure become_doctor(const node::Locations& locations, const GlobalOptions& options,
                      std::vector<std::string> words) {
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
  bool graph = false;
  std::string svg;
  std::string tree;
  std::string listen_text;
  std::int64_t listen_s = 0;

  Options options() {
    return {
        {"--full", "", "Add what doctor's probes find: GPUs, versions, distances", &full},
        {"--graph", "", "Draw the paths of GPUs and NICs, and what is wrong there", &graph},
        {"--svg", "FILE", "With --graph: also write a picture", &svg},
        {"--root", "DIR", "With --graph: of a node that doctor --record recorded", &tree},
        {"--listen-lldp", "TIME", "With --graph: hear which leaf each port is at (35s)",
         &listen_text},
    };
  }

  Result<> take() {
    TRY(take_duration(listen_s, "--listen-lldp", listen_text));
    if (!graph && !(svg.empty() && tree.empty() && listen_text.empty()))
      return usage("--svg, --root and --listen-lldp need --graph", "facts");
    if (graph && (full || json))
      return usage(
          "--graph is for people, so it cannot be combined with --full and --json; nettune facts "
          "--full --json has the distances",
          "facts");
    if (listen_s > 0 && !tree.empty())
      return usage("--listen-lldp hears this node's switches, so it cannot be combined with --root",
                   "facts");
    return {};
  }

  std::vector<std::string> graph_words() const {
    std::vector<std::string> words = {"--graph"};
    if (!svg.empty()) words.insert(words.end(), {"--svg", svg});
    if (!tree.empty()) words.insert(words.end(), {"--root", tree});
    if (listen_s > 0) words.insert(words.end(), {"--listen-lldp", cat(listen_s)});
    return words;
  }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    if (full) return become_doctor(context.locations(), *this, {"--facts"});
    if (graph) return become_doctor(context.locations(), *this, graph_words());
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
