// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "tools/report/fleet_page.hpp"
#include "tools/report/html.hpp"
#include "unit/tools/compare/fixture.hpp"

namespace nettune::tools::report {

using Json = nlohmann::ordered_json;

/// What `nettune doctor --json` prints; `bad` are findings.
inline Json doctor(const std::string& node, const std::string& verdict,
                   const Json& bad = Json::array()) {
  return {
      {"schema", 1}, {"kind", "doctor"}, {"node", node}, {"verdict", verdict}, {"findings", bad}};
}
inline Json finding(const std::string& rule, const std::string& verdict, const std::string& costs) {
  return {{"rule", rule},
          {"verdict", verdict},
          {"device", nullptr},
          {"seen", "seen of " + rule},
          {"costs", costs},
          {"why", "why of " + rule},
          {"remedy", "remedy of " + rule},
          {"source", ""},
          {"explained_by", nullptr},
          {"ignored", nullptr}};
}
inline Json state() {
  return {{"journal", "committed"},
          {"active_generation", 2},
          {"active_profile", "rocev2-200g"},
          {"debts", Json::array()},
          {"hold", nullptr}};
}

/// The page of documents, each with the name of its file.
inline Page page_of(const std::vector<std::pair<std::string, Json>>& documents) {
  Reader reader(compare::rules());
  for (const auto& [file, document] : documents) {
    std::string text = document.dump();
    reader.begin_file(file);
    const auto read = json::read_in_place(text, reader);
    EXPECT_TRUE(read) << (read ? "" : read.error().text);
  }
  auto page = fleet_page(std::move(reader.fleet()), std::move(reader.documents()));
  EXPECT_TRUE(page) << (page ? "" : page.error().text);
  return page ? *page : Page{};
}

inline const PageNode& node_of(const Page& page, const std::string& name) {
  for (const PageNode& node : page.nodes)
    if (node.name == name) return node;
  ADD_FAILURE() << "no node " << name;
  static const PageNode none;
  return none;
}

inline const Gap* gap_of(const std::vector<Gap>& gaps, const std::string& what) {
  for (const Gap& gap : gaps)
    if (gap.what == what) return &gap;
  return nullptr;
}

}  // namespace nettune::tools::report
