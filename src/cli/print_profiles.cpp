// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

std::string answer_of(const node::Match& match) {
  if (!match.listed.error.empty()) return "-";
  return !match.matches ? "no" : match.cautions.empty() ? "yes" : "not advised";
}

std::string devices_of(const node::Match& match) {
  std::vector<std::string> sets;
  for (const auto& [name, devices] : match.sets)
    sets.push_back(
        cat(node::safe(name), ": ", devices.empty() ? "none" : node::safe(join(devices, " "))));
  return join(sets, "; ");
}

/// What the best profile is made for: no other matching one is made for more.
std::string demand_of(const profile::Demand& demand) {
  if (!demand.rdma && demand.speed_gbps == 0)
    return "no profile for RDMA or for faster ports matches";
  return cat("made for ", demand.rdma ? "RDMA on " : "",
             demand.speed_gbps > 0 ? cat("ports of ", demand.speed_gbps, " Gb/s or more")
                                   : std::string("ports of any speed"),
             ", which this node has; no matching profile asks for more");
}

/// A profile, and below it why it is in this group.
std::string entry(const node::Match& match, const std::vector<std::string>& reasons,
                  const Style& style) {
  std::string out =
      cat("  ", style.bold(node::safe(match.listed.name)), match.listed.summary.empty() ? "" : ": ",
          node::safe(match.listed.summary), "\n");
  for (const std::string& reason : reasons)
    for (const std::string& line : node::safe_lines(reason))
      out += wrap(line, "      ", style.width);
  return out;
}

}  // namespace

std::string list(const std::vector<node::Match>& profiles, bool known, const Style& style) {
  if (profiles.empty())
    return "there are no profiles here; check --profiles and the directories in man nettune\n";
  Table table({{"PROFILE"}, {"MATCHES"}, {"SUMMARY", Table::Give::first}, {"FILE"}});
  for (const node::Match& match : profiles) {
    const profile::Listed& listed = match.listed;
    std::vector<std::string> details;
    if (!listed.shadows.empty()) details.push_back(cat("hides ", node::safe(listed.shadows)));
    if (!listed.error.empty())
      for (const std::string& line : node::safe_lines(cat("cannot be used: ", listed.error)))
        details.push_back(line);
    table.add({node::safe(listed.name), known ? answer_of(match) : "", node::safe(listed.summary),
               node::safe(listed.file)},
              std::move(details));
  }
  return table.text(style, "");
}

std::string recommend(const std::vector<node::Match>& matches, const std::string& node,
                      const Style& style) {
  std::string best;
  std::string also;
  std::string advised_against;
  std::string others;
  std::string name;
  for (const node::Match& match : matches) {
    std::vector<std::string> why;
    if (!match.sets.empty()) why.push_back(cat("devices ", devices_of(match)));
    if (!match.matches) {
      others += entry(match, match.misfits, style);
    } else if (!match.cautions.empty()) {
      advised_against += entry(match, match.cautions, style);
    } else if (name.empty()) {
      name = match.listed.name;
      why.push_back(demand_of(match.demand));
      best = entry(match, why, style);
    } else {
      also += entry(match, why, style);
    }
  }
  const std::string on = node.empty() ? std::string("this node") : node::safe(node);
  std::string out = name.empty() ? cat("no profile can be recommended for ", on, "\n")
                                 : cat("recommended for ", on, ":\n", best);
  if (!also.empty()) out += "also matches:\n" + also;
  if (!advised_against.empty()) out += "matches, but is not advised here:\n" + advised_against;
  if (!others.empty()) out += "does not match:\n" + others;
  if (!name.empty())
    out += cat("To see what it would change: nettune plan ", shell_word(name), "\n");
  return out;
}

std::string show(const profile::Resolved& resolved, bool with_origin, const Style& style) {
  std::string out = style.bold(node::safe(resolved.desired.profile)) + "\n";
  for (const std::string& misfit : resolved.misfits)
    out += style.red("does not match this node: ") + node::safe(misfit) + "\n";
  for (const std::string& caution : resolved.cautions)
    out += labelled(style.yellow("caution:"), node::safe(caution), style);
  for (const auto& [name, devices] : resolved.sets)
    out += cat("devices ", name, ": ", devices.empty() ? "none" : join(devices, " "), "\n");
  std::string section;
  Table table({{"KEY"}, {"VALUE", Table::Give::first}, {"FROM", Table::Give::below, "from"}});
  const auto flush = [&] {
    if (!section.empty()) out += cat("\n[", node::safe(section), "]\n", table.text(style));
    table = Table({{"KEY"}, {"VALUE", Table::Give::first}, {"FROM", Table::Give::below, "from"}});
  };
  for (std::size_t i = 0; i < resolved.shown.size(); ++i) {
    const profile::Shown& shown = resolved.shown[i];
    if (shown.section != section) flush();
    section = shown.section;
    // A reason for several values is printed after the last of them.
    const bool goes_on = i + 1 < resolved.shown.size() &&
                         resolved.shown[i + 1].section == section &&
                         resolved.shown[i + 1].why == shown.why;
    std::vector<std::string> details;
    if (!shown.why.empty() && !goes_on) details.push_back(node::safe(shown.why));
    table.add({node::safe(shown.key), node::safe(shown.value),
               with_origin ? node::safe(shown.origin.text()) : std::string()},
              std::move(details));
  }
  flush();
  out += resolved.desired.notes.empty() ? "" : "\n" + notes(resolved.desired.notes, style);
  return out;
}

}  // namespace nettune::cli::text
