// SPDX-License-Identifier: Apache-2.0
//
// Lines that say nothing, and the order in which processes come to write, change no first cause.
#include <random>
#include <regex>
#include <set>

#include "unit/tools/nccl/log/cases.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

/// The cases and the files of tests/nccl_logs that may be changed, with their first cause.
const std::vector<Written>& changeable() {
  static const std::vector<Written> all = [] {
    std::vector<Written> some;
    for (const Written& one : written_cases())
      if (one.field("unstable").empty() && one.field("cut").empty()) some.push_back(one);
    for (const auto& [name, text] : logs())
      some.push_back({name + ".log", 1, name, {{"first", Case(text).first()}}, text});
    return some;
  }();
  return all;
}

std::vector<std::string> lines_of(const Written& written) {
  const auto lines = split(written.log, '\n');
  return {lines.begin(), lines.end()};
}

/// "host:pid" of a line that begins with NCCL's prefix; "" of any other.
std::string speaker(const std::string& line) {
  static const std::regex form(R"(([\w.-]+:\d+):\d+ \[\d+\] .*NCCL (INFO|WARN) .*)");
  std::smatch match;
  return std::regex_match(line, match, form) ? match[1].str() : "";
}

/// The first cause of the same lines, changed, is the one of before.
void expect_same_first(const Written& written, const std::vector<std::string>& lines,
                       const std::string& changed) {
  const std::string first = Case(join(lines, "\n") + "\n").first();
  if (first != Case(written.log).first())
    ADD_FAILURE_AT(written.file.c_str(), written.line)
        << "=== " << written.name << "\n  " << changed << ": " << first << "\n"
        << join(lines, "\n").substr(0, 5000);
}

TEST(NcclLogUnchanged, LinesThatSayNothingChangeNothing) {
  const std::vector<std::string> noise = {"epoch 3 loss 0.12", "",
                                          " 45%|####      | 45/100 [00:12<00:15,  3.61it/s]",
                                          "2026-01-31 08:15:00,123 INFO trainer: step 120 of 900"};
  for (const Written& written : changeable()) {
    std::vector<std::string> lines = noise;
    std::size_t next = 0;
    for (const std::string& line : lines_of(written)) {
      if (!speaker(line).empty() && !speaker(lines.back()).empty())
        lines.push_back(noise[next++ % noise.size()]);
      lines.push_back(line);
    }
    lines.insert(lines.end(), noise.begin(), noise.end());
    expect_same_first(written, lines, "with lines that say nothing");
  }
}

TEST(NcclLogUnchanged, TheOrderOfProcessesThatOnlyInformDoesNotMatter) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    std::mt19937 random(seed);
    for (const Written& written : changeable()) {
      std::vector<std::string> lines = lines_of(written);
      std::set<std::string> errors;
      for (const Event& event : Case(written.log).log.events)
        errors.insert(lines.at(event.line - 1));
      const auto informs = [&](const std::string& line) {
        return !errors.contains(line) && line.find(" NCCL INFO ") != line.npos;
      };
      for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::string by = speaker(lines[i - 1]);
        if (by.empty() || speaker(lines[i]).empty() || by == speaker(lines[i])) continue;
        if (informs(lines[i - 1]) && informs(lines[i]) && random() % 2 == 0)
          std::swap(lines[i - 1], lines[i]);
      }
      expect_same_first(written, lines, cat("in another order, seed ", seed));
    }
  }
}

}  // namespace
}  // namespace nettune::tools::nccl::log
