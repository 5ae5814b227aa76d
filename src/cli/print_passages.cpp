// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

/// Which packet, and by what.
std::string drop_text(const firewall::walk::Verdict& verdict) {
  return cat(verdict.packet.empty() ? "" : cat("such as ", verdict.packet, ", "), "by ",
             verdict.where, verdict.owner.empty() ? "" : cat(" (of ", verdict.owner, ")"), "; ",
             checks::remedy_of(verdict));
}

/// What is unknown, and at which rule.
std::string unknown_text(const firewall::walk::Verdict& verdict) {
  if (verdict.where.empty()) return verdict.why;
  return cat(verdict.why, verdict.why.empty() ? "" : ", in ", verdict.where,
             verdict.owner.empty() ? "" : cat(" (of ", verdict.owner, ")"));
}

std::string line(const checks::Passage& passage, const Style& style) {
  const firewall::walk::Verdict& verdict = passage.verdict;
  const std::string word(checks::passage_text(verdict.passage));
  switch (verdict.passage) {
    case firewall::walk::Passage::accepted:
      return cat(style.green("allowed"), ": ", node::safe(passage.traffic));
    case firewall::walk::Passage::dropped:
      return cat(style.red(word), ": ", node::safe(passage.traffic), "; ",
                 node::safe(drop_text(verdict)));
    case firewall::walk::Passage::unknown:
      return cat(style.yellow(word), ": ", node::safe(passage.traffic), "; ",
                 node::safe(unknown_text(verdict)));
  }
  return {};
}

/// The common reason if nothing could be read; else "".
std::string common_reason(const std::vector<checks::Passage>& passages) {
  const firewall::walk::Verdict& first = passages.front().verdict;
  const bool same =
      std::all_of(passages.begin(), passages.end(), [&](const checks::Passage& passage) {
        return passage.verdict.passage == firewall::walk::Passage::unknown &&
               passage.verdict.where.empty() && passage.verdict.why == first.why;
      });
  return same ? first.why : std::string();
}

std::string one(const checks::Passage& passage, const Style& style) {
  return wrap(cat(node::safe(passage.name), " ", line(passage, style)), "  ", style.width);
}

/// One sentence for all if nothing could be read; else "".
std::string common(const std::vector<checks::Passage>& passages, const Style& style) {
  const std::string why = common_reason(passages);
  if (why.empty()) return {};
  std::vector<std::string> names;
  for (const checks::Passage& passage : passages) names.push_back(passage.name);
  return wrap(
      cat(node::safe(join(names, ", ")), " ", style.yellow("unknown"), ": ", node::safe(why)), "  ",
      style.width);
}

}  // namespace

std::string passages(const std::vector<checks::Passage>& passages, std::string_view heading,
                     const Style& style) {
  if (passages.empty()) return {};
  std::string out = common(passages, style);
  if (out.empty())
    for (const checks::Passage& passage : passages) out += one(passage, style);
  return cat(heading, "\n", out);
}

std::string passages_in_short(const std::vector<checks::Passage>& passages, const Style& style) {
  if (passages.empty()) return {};
  const auto is_let_in = [](const checks::Passage& passage) {
    return passage.verdict.passage == firewall::walk::Passage::accepted;
  };
  const auto let_in =
      static_cast<std::size_t>(std::count_if(passages.begin(), passages.end(), is_let_in));
  if (let_in == passages.size())
    return cat("required traffic is ", style.green("allowed"), ": ", node::counted(let_in, "kind"),
               " of traffic\n");
  std::string out = common(passages, style);
  if (out.empty())
    for (const checks::Passage& passage : passages)
      if (!is_let_in(passage)) out += one(passage, style);
  if (let_in > 0)
    out += cat("  ", style.green("allowed"), ": ", node::counted(let_in, "other kind"), "\n");
  return cat("required traffic:\n", out);
}

}  // namespace nettune::cli::text
