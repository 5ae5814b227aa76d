// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/node_set.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "node/display_text.hpp"
#include "tools/report/program/report_command.hpp"

namespace nettune::tools::report::program {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kStepsShown = 3;

std::vector<std::string> names_of(const Page& page, const Nodes& nodes) {
  std::vector<std::string> names;
  for (const std::uint32_t node : nodes) names.push_back(page.nodes[node].name);
  return names;
}

}  // namespace

std::string text::report(const Page& page, const std::string& file, std::size_t bytes) {
  std::string out = cat(node::safe(file), ": ", node::counted(page.nodes.size(), "node"));
  const auto counts = count_levels(page);
  for (std::size_t i = 0; i < kLevels; ++i)
    if (counts[i] > 0) out += cat(", ", counts[i], " ", level_word(static_cast<Level>(i)));
  out += cat("; ", decimals(static_cast<double>(bytes) / 1e6, 1), " MB\n");
  for (std::size_t i = 0; i < std::min(kStepsShown, page.steps.size()); ++i) {
    const Step& step = page.steps[i];
    std::string who = fold_names(names_of(page, step.nodes));
    constexpr std::size_t kMost = 60;
    if (who.size() > kMost) who = cat(node::counted(step.nodes.size(), "node"));
    out += cat("  ", level_word(step.level), "  ", node::safe(step.text),
               who.empty() ? "" : cat(" (", node::safe(who), ")"), "\n");
  }
  if (page.steps.size() > kStepsShown)
    out += cat("  and ", page.steps.size() - kStepsShown, " more in the page\n");
  for (const auto& [name, why] : page.not_read)
    out += cat("  not read: ", node::safe(name), ": ", node::safe(why), "\n");
  return out;
}

std::string json::report(const Page& page, const std::string& file, std::size_t bytes) {
  Json levels = Json::object();
  const auto counts = count_levels(page);
  for (std::size_t i = 0; i < kLevels; ++i)
    levels[std::string(level_word(static_cast<Level>(i)))] = counts[i];
  Json steps = Json::array();
  for (const Step& step : page.steps)
    steps.push_back({{"costs", level_word(step.level)},
                     {"text", step.text},
                     {"remedy", step.remedy},
                     {"nodes", names_of(page, step.nodes)}});
  const auto files = [](const std::vector<std::pair<std::string, std::string>>& list) {
    Json out = Json::array();
    for (const auto& [name, why] : list) out.push_back({{"file", name}, {"why", why}});
    return out;
  };
  Json missing = Json::array();
  for (const Gap& gap : page.missing)
    missing.push_back({{"document", gap.what}, {"nodes", names_of(page, gap.nodes)}});
  const Json document = {{"schema", 1},
                         {"kind", "report"},
                         {"nettune", NETTUNE_VERSION},
                         {"build", build_info()},
                         {"file", file},
                         {"bytes", bytes},
                         {"nodes", page.nodes.size()},
                         {"levels", levels},
                         {"steps", steps},
                         {"missing", missing},
                         {"not_read", files(page.not_read)},
                         {"left_out", files(page.left_out)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nettune::tools::report::program
