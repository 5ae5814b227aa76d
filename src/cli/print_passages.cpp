// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

std::string line(const firewall::RequiredTraffic& passage, const Style& style) {
  const firewall::walk::Verdict& verdict = passage.verdict;
  const std::string traffic = node::safe(passage.traffic);
  if (verdict.passage == firewall::walk::Passage::accepted)
    return cat(style.green("allowed"), ": ", traffic);
  const std::string word(firewall::passage_text(verdict.passage));
  const bool dropped = verdict.passage == firewall::walk::Passage::dropped;
  return cat(dropped ? style.red(word) : style.yellow(word), ": ", traffic, "; ",
             node::safe(firewall::reason_of(verdict)));
}

std::string one(const firewall::RequiredTraffic& passage, const Style& style) {
  return wrap(cat(node::safe(passage.name), " ", line(passage, style)), "  ", style.width);
}

/// For check: who blocks it and how to fix that, each on a line.
std::string blocked(const firewall::RequiredTraffic& passage, const Style& style) {
  const firewall::walk::Verdict& verdict = passage.verdict;
  const auto below = [&](std::string_view word, const std::string& text) {
    return text.empty() ? std::string() : wrap(cat(word, node::safe(text)), "      ", style.width);
  };
  return cat(wrap(cat(node::safe(passage.name), " ", style.red("blocked"), ": ",
                      node::safe(passage.traffic)),
                  "  ", style.width),
             below("by: ", firewall::dropped_by(verdict)), below("such as: ", verdict.packet),
             below("fix: ", firewall::remedy_of(verdict)));
}

/// One sentence for all if nothing could be read; else "".
std::string common(const std::vector<firewall::RequiredTraffic>& passages, const Style& style) {
  const std::string& why = passages.front().verdict.why;
  std::vector<std::string> names;
  for (const firewall::RequiredTraffic& passage : passages) {
    const firewall::walk::Verdict& verdict = passage.verdict;
    const bool unread =
        verdict.passage == firewall::walk::Passage::unknown && verdict.where.empty();
    if (!unread || verdict.why.empty() || verdict.why != why) return {};
    names.push_back(passage.name);
  }
  return wrap(
      cat(node::safe(join(names, ", ")), " ", style.yellow("unknown"), ": ", node::safe(why)), "  ",
      style.width);
}

}  // namespace

std::string passages(const std::vector<firewall::RequiredTraffic>& passages,
                     std::string_view heading, const Style& style) {
  if (passages.empty()) return {};
  std::string out = common(passages, style);
  if (out.empty())
    for (const firewall::RequiredTraffic& passage : passages) out += one(passage, style);
  return cat(heading, "\n", out);
}

std::string passages_in_short(const std::vector<firewall::RequiredTraffic>& passages,
                              const Style& style) {
  if (passages.empty()) return {};
  const firewall::TrafficCounts counts = firewall::count_traffic(passages);
  const std::size_t let_in = counts.all - counts.dropped - counts.unknown;
  if (let_in == passages.size()) return {};
  std::string out = common(passages, style);
  if (out.empty())
    for (const firewall::RequiredTraffic& passage : passages)
      if (passage.verdict.passage != firewall::walk::Passage::accepted)
        out += passage.verdict.passage == firewall::walk::Passage::dropped ? blocked(passage, style)
                                                                           : one(passage, style);
  if (let_in > 0)
    out += cat("  ", style.green("allowed"), ": ", node::counted(let_in, "other kind"), "\n");
  return cat("required traffic:\n", out);
}

}  // namespace nettune::cli::text
