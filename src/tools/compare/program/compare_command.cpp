// SPDX-License-Identifier: Apache-2.0
#include "tools/compare/program/compare_command.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/input.hpp"
#include "base/node_set.hpp"
#include "base/text.hpp"
#include "node/output_file.hpp"
#include "tools/compare/read_files.hpp"
#include "tools/report/compared.hpp"

namespace nettune::tools::compare::program {

namespace {

constexpr std::size_t kMaxSlow = std::size_t{64} << 20;

using Json = nlohmann::ordered_json;

/// Adds the nodes that a document calls slow: a list `slow` of names, outliers among the numbers of
/// `nettune compare`, or a low result of `nettune test`. False if it is none of these.
bool add_slow(const Json& document, std::vector<std::string>& names) {
  const auto add_names = [&](const Json& list) {
    for (const Json& name : list)
      if (name.is_string()) names.push_back(name.get<std::string>());
  };
  if (document.contains("slow") && document["slow"].is_array()) {
    add_names(document["slow"]);
    return true;
  }
  const std::string kind = document.value("kind", "");
  if (kind == "compare") {
    for (const Json& finding : document.value("findings", Json::array()))
      if (finding.value("kind", "") == "number")
        for (const Json& one : finding.value("others", Json::array()))
          add_names(one.value("nodes", Json::array()));
    return true;
  }
  if (kind != kTestKind) return false;
  const auto verdict = document.find("verdict");
  const bool is_low = verdict != document.end() && (*verdict == "low" || *verdict == "bad");
  if (is_low && document.value("from", Json::object()).contains("host"))
    names.push_back(document["from"].value("host", ""));
  return true;
}

/// JSON documents, one or a line each, or node sets as text.
Result<std::vector<std::string>> read_slow(const std::string& file) {
  TRY_ASSIGN(const std::string text, read_input(file, kMaxSlow));
  if (!trim(text).starts_with('{')) return expand_names(text);
  std::vector<std::string> names;
  bool is_known = true;
  try {
    const Json whole = Json::parse(text, nullptr, false);
    if (whole.is_object()) {
      is_known = add_slow(whole, names);
    } else {
      for (const std::string_view line : split(text, '\n')) {
        const Json document = Json::parse(line, nullptr, false);
        if (!trim(line).empty())
          is_known = document.is_object() && add_slow(document, names) && is_known;
      }
    }
  } catch (const Json::exception&) {  // a member of another type
    is_known = false;
  }
  if (!is_known)
    return fail(Errc::invalid, cat(printable(file),
                                   ": does not say which nodes are slow; it is a list \"slow\" of "
                                   "names, the JSON of nettune compare or nettune test, or node "
                                   "sets as text: gpu[003,117-127]"));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Result<node::Exit> run_compare(const CompareOptions& request, cli::Output& output) {
  if (request.inputs.empty())
    return cli::usage("nettune compare needs facts: files, directories, or - for standard input",
                      "compare");
  if (!request.html_file.empty()) TRY(node::check_output_file(request.html_file));
  TRY_ASSIGN(const Rules rules, compare::load_rules(request.rules_file));
  TRY_ASSIGN(const compare::Fleet fleet, read_fleet(request.inputs, rules));
  TRY_ASSIGN(const compare::Comparison found, compare::compare(fleet, request.group_by));
  if (!request.html_file.empty())
    TRY(node::write_output_file(request.html_file,
                                report::write_page(report::compared_page(fleet, found)), 0644));
  std::optional<Explained> explained;
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
  if (!found.findings.empty()) return node::Exit::drift;
  const bool was_compared =
      fleet.unread().empty() && found.alone.empty() && fleet.nodes().size() > 1;
  return was_compared ? node::Exit::done : node::Exit::unknown;
}

}  // namespace

cli::Command compare_program(CompareOptions& into) {
  return {
      "compare",
      &into,
      {
          {"facts", "FACTS", "Files or directories of nettune facts --json; - is standard input",
           &into.inputs},
          {"--all", "", "Show every finding, every node, and why each matters", &into.all},
          {"--group-by", "PATH", "Group nodes by the value at this path, not by shape",
           &into.group_by},
          {"--explain", "SLOW", "What the nodes listed there have in common: names, or node sets",
           &into.slow_file},
          {"--html", "FILE", "Also write a page for a browser", &into.html_file},
          {"--rules", "FILE", "Use these rules instead of catalog/compare.toml", &into.rules_file},
      },
      [&into](node::Context&, cli::Output& output) { return run_compare(into, output); },
  };
}

}  // namespace nettune::tools::compare::program
