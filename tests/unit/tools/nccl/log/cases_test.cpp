// SPDX-License-Identifier: Apache-2.0
//
// The cases of tests/nccl_cases: each log, and what must be said of it.
#include "unit/tools/nccl/log/cases.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "tools/nccl/log/processes.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

std::string without_blanks(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

/// The words of "b, a" in order.
std::string sorted(const std::string& list) {
  const std::string all = without_blanks(list);
  std::set<std::string> words;
  for (const std::string_view word : split(all, ',')) words.emplace(word);
  return join(std::vector<std::string>(words.begin(), words.end()), ", ");
}

std::string errors_of(const Case& one) {
  std::string ids;
  for (const std::uint32_t event : one.verdict.events) {
    const std::uint32_t cause = one.log.events[event].cause;
    ids += cat(ids.empty() ? "" : ",", cause == kNone ? "uncatalogued" : causes()[cause].id);
  }
  return ids.empty() ? "none" : sorted(ids);
}

/// What the program says of a field; `asked` is what the case has there.
std::string said(const Case& one, const std::string& field, const std::string& asked) {
  if (field == "first") return one.first();
  if (field == "causes") return errors_of(one);
  if (field == "versions") return sorted(join(one.verdict.versions, ","));
  if (field == "networks") return sorted(join(one.verdict.networks, ","));
  if (field == "ranks") return cat(one.verdict.ranks);
  if (field == "processes") return cat(named_processes(one.log));
  if (field != "met") return "no such field";
  const std::string pairs = without_blanks(asked);
  std::vector<std::string> all;
  for (const std::string_view pair : split(pairs, ',')) {
    const std::string word(pair.substr(0, pair.find('=')));
    const Answer met = one.met(word);
    const char* const no = met == Answer::no ? "no" : "unknown";
    all.push_back(cat(word, "=", met == Answer::yes ? "yes" : no));
  }
  return sorted(join(all, ","));
}

/// What a case says of itself.
const std::set<std::string> kOfTheCase = {"source", "escapes", "cut", "unstable"};

void check(const Written& written) {
  const Case one(written.log);
  const std::string text = printed(one);
  const std::string words = without_blanks(text);
  std::string wrong;
  for (const auto& [field, value] : written.fields) {
    if (kOfTheCase.contains(field)) continue;
    if (field == "says" || field == "not") {
      if ((words.find(without_blanks(value)) == words.npos) == (field == "says"))
        wrong += cat("  ", field, ": ", value, "\n");
    } else if (said(one, field, value) != sorted(value)) {
      wrong += cat("  ", field, ": ", value, "\n    but it is: ", said(one, field, value), "\n");
    }
  }
  if (!wrong.empty())
    ADD_FAILURE_AT(written.file.c_str(), written.line) << "=== " << written.name << "\n"
                                                       << wrong << "The report:\n"
                                                       << text;
}

TEST(NcclLogCases, WhatIsSaidOfEach) {
  for (const Written& written : written_cases()) {
    if (written.field("first").empty() || written.log.empty())
      ADD_FAILURE_AT(written.file.c_str(), written.line) << "no \"first: \", or no log";
    check(written);
  }
}

}  // namespace
}  // namespace nettune::tools::nccl::log
