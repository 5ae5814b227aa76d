// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

/// What is not known, and where that matters.
std::string unknown_text(const firewall::Verdict& verdict) {
  if (verdict.where.empty()) return verdict.why;
  return cat(verdict.why, verdict.why.empty() ? "" : ", in ", verdict.where,
             verdict.owner.empty() ? "" : cat(" (of ", verdict.owner, ")"));
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
      return cat(style.yellow(word), ": ", safe(passage.traffic), "; ",
                 safe(unknown_text(verdict)));
  }
  return {};
}

/// Where nothing could be looked at: why, which is the same for all; else "".
std::string common_reason(const std::vector<checks::Passage>& passages) {
  const firewall::Verdict& first = passages.front().verdict;
  const bool same =
      std::all_of(passages.begin(), passages.end(), [&](const checks::Passage& passage) {
        return passage.verdict.passage == firewall::Passage::unknown &&
               passage.verdict.where.empty() && passage.verdict.why == first.why;
      });
  return same ? first.why : std::string();
}

}  // namespace

std::string passages(const std::vector<checks::Passage>& passages, std::string_view heading,
                     const Style& style) {
  if (passages.empty()) return {};
  std::string out = cat(heading, "\n");
  if (const std::string why = common_reason(passages); !why.empty()) {
    std::vector<std::string> names;
    for (const checks::Passage& passage : passages) names.push_back(passage.name);
    return out + wrap(cat(safe(join(names, ", ")), " ", style.yellow("unknown"), ": ", safe(why)),
                      "  ", style.width);
  }
  for (const checks::Passage& passage : passages)
    out += wrap(cat(safe(passage.name), " ", line(passage, style)), "  ", style.width);
  return out;
}

}  // namespace nettune::cli::text
