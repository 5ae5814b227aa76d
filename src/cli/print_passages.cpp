// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "cli/words.hpp"

namespace nettune::cli::text {

namespace {

/// Which packet, and by whom.
std::string drop_text(const firewall::Verdict& verdict) {
  return cat(verdict.packet.empty() ? "" : cat("such as ", verdict.packet, ", "), "by ",
             verdict.where, verdict.owner.empty() ? "" : cat(" (of ", verdict.owner, ")"));
}

std::string line(const checks::Passage& passage, const Style& style) {
  const firewall::Verdict& verdict = passage.verdict;
  const std::string word(checks::passage_text(verdict.passage));
  switch (verdict.passage) {
    case firewall::Passage::accepted:
      return cat(style.green(word), ": ", safe(passage.traffic));
    case firewall::Passage::dropped:
      return cat(style.red(word), ": ", safe(passage.traffic), "; ", safe(drop_text(verdict)));
    case firewall::Passage::unknown:
      return cat(style.yellow(word), ": ", safe(passage.traffic), "; ", safe(verdict.where));
  }
  return {};
}

}  // namespace

std::string passages(const std::vector<checks::Passage>& passages, std::string_view heading,
                     const Style& style) {
  if (passages.empty()) return {};
  std::string out = cat(heading, "\n");
  for (const checks::Passage& passage : passages)
    out += wrap(cat(safe(passage.name), " ", line(passage, style)), "  ", style.width);
  return out;
}

}  // namespace nettune::cli::text
