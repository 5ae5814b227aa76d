// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

using checks::Advice;
using checks::Opinion;

/// Nodes have eight cards of a kind: the same unknown of all of them is one line.
std::string unknown_lines(const std::vector<Advice>& all, const Style& style) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const Advice& advice : all) {
    if (advice.opinion != Opinion::unknown) continue;
    const std::string reason = cat(advice.rule, ": ", advice.seen);
    auto found = std::ranges::find(reasons, reason, &decltype(reasons)::value_type::first);
    if (found == reasons.end()) found = reasons.insert(found, {reason, {}});
    found->second.push_back(advice.device);
  }
  std::string out;
  for (const auto& [reason, devices] : reasons)
    out += cat(style.yellow("unknown"), ": ", style.bold(node::safe(join(devices, ", "))), ": ",
               node::safe(reason), "\n");
  return out;
}

}  // namespace

std::string advice(const std::vector<Advice>& all, const Style& style) {
  if (all.empty()) return {};
  std::string out;
  std::map<Opinion, std::size_t> count;
  for (const Advice& advice : all) {
    ++count[advice.opinion];
    const bool fault = advice.opinion == Opinion::fault;
    if (!fault && advice.opinion != Opinion::advice) continue;
    out += cat(fault ? style.red("fault") : style.yellow("advice"), ": ",
               style.bold(node::safe(advice.device)), ": ", node::safe(advice.seen), ": ",
               node::safe(advice.why), "; ", node::safe(advice.remedy), " ",
               style.dim(cat("[", node::safe(advice.rule), "]")), "\n");
  }
  out += unknown_lines(all, style);
  return out + cat("read-only checks: ", all.size(), ", of which ", count[Opinion::good], " good, ",
                   count[Opinion::fault], " at fault, ", count[Opinion::advice],
                   " could be better, ", count[Opinion::unknown], " unknown\n");
}

}  // namespace nettune::cli::text
