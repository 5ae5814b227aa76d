// SPDX-License-Identifier: Apache-2.0
#include "compare/cli/compare_command.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

#include "base/input.hpp"
#include "base/node_set.hpp"
#include "base/text.hpp"
#include "compare/cli/read_files.hpp"

namespace nettune::cli {

namespace {

constexpr std::size_t kMaxRules = std::size_t{1} << 20;
constexpr std::size_t kMaxSlow = std::size_t{64} << 20;

std::string rules_path(const CompareOptions& request) {
  if (!request.rules_file.empty()) return request.rules_file;
  const std::string site = "/etc/nettune/catalog/compare.toml";
  return ::access(site.c_str(), F_OK) == 0 ? site : NETTUNE_DATADIR "/catalog/compare.toml";
}

/// A list `slow` of names, or node sets as text.
Result<std::vector<std::string>> read_slow(const std::string& file) {
  TRY_ASSIGN(const std::string text, read_input(file, kMaxSlow));
  if (!trim(text).starts_with('{')) return expand_names(text);
  const auto document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("slow") || !document["slow"].is_array())
    return fail(Errc::invalid, cat(printable(file), ": no list \"slow\" of names; write one, or "
                                                    "node sets as text: gpu[003,117-127]"));
  std::vector<std::string> names;
  for (const auto& name : document["slow"])
    if (name.is_string()) names.push_back(name.get<std::string>());
  return names;
}

Result<Exit> run_compare(const CompareOptions& request, Output& output) {
  if (request.inputs.empty())
    return usage("nettune compare needs facts: files, directories, or - for standard input", "compare");
  const std::string path = rules_path(request);
  TRY_ASSIGN(const std::string rules_text, read_input(path, kMaxRules));
  TRY_ASSIGN(const compare::Rules rules, compare::parse_rules(rules_text, path));
  TRY_ASSIGN(const compare::Fleet fleet, read_fleet(request.inputs, rules));
  TRY_ASSIGN(const compare::Comparison found, compare::compare(fleet, request.group_by));
  std::optional<compare::Explained> explained;
  if (!request.slow_file.empty()) {
    TRY_ASSIGN(const std::vector<std::string> slow, read_slow(request.slow_file));
    explained = compare::explain(fleet, slow);
  }
  if (request.json) {
    output.print(json::comparison(fleet, found, explained ? &*explained : nullptr));
  } else if (explained) {
    output.print(text::explained(*explained, output.style()));
  } else {
    output.print(text::comparison(fleet, found, request.all, output.style()));
  }
  if (!found.findings.empty()) return Exit::drift;
  return fleet.unread().empty() && fleet.nodes().size() > 1 ? Exit::done : Exit::unknown;
}

}  // namespace

Program compare_program(CompareOptions& into) {
  return {
      "compare",
      &into,
      {
          {"facts", "FACTS", "Files or directories of nettune facts --json; - is standard input",
           &into.inputs},
          {"--all", "", "Show every finding, every node, and why each counts", &into.all},
          {"--group-by", "PATH", "Compare nodes that have one value there, not by shape",
           &into.group_by},
          {"--explain", "SLOW", "What nodes in this file have in common: names, or node sets",
           &into.slow_file},
          {"--rules", "FILE", "Other rules than catalog/compare.toml", &into.rules_file},
      },
      [&into](Context&, Output& output) { return run_compare(into, output); },
  };
}

}  // namespace nettune::cli
