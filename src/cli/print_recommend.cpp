// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"

namespace nettune::cli::text {

namespace {

using Matches = std::vector<node::Match>;

std::string first_line(const std::string& text) {
  return node::safe(text.substr(0, text.find('\n')));
}

bool is_broken(const node::Match& match) { return !match.listed.error.empty(); }
bool is_advised(const node::Match& match) { return match.matches && match.cautions.empty(); }

/// At most `width` columns, cut between words.
std::string cut(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  const std::string lines = wrap(text, "", width > 3 ? width - 3 : 1);
  return cat(lines.substr(0, lines.find('\n')), " ..");
}

/// What the profile is for, or why it is not for this node.
std::string purpose(const node::Match& match, bool known) {
  if (is_broken(match)) return cat("cannot be used: ", first_line(match.listed.error));
  return known && !is_advised(match) ? first_line(match.in_short)
                                     : node::safe(match.listed.summary);
}

std::vector<std::string> all_reasons(const node::Match& match) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& text) {
    for (std::string& line : node::safe_lines(text))
      if (!line.empty()) lines.push_back(std::move(line));
  };
  if (!is_broken(match)) add(match.listed.summary);
  add(match.listed.file);
  if (!match.listed.shadows.empty()) add(cat("hides ", match.listed.shadows));
  for (const std::string& caution : match.cautions) add(caution);
  for (const auto& [name, devices] : match.sets)
    if (!devices.empty()) add(cat("devices ", name, ": ", join(devices, " ")));
  if (is_broken(match))
    add(match.listed.error);
  else
    for (const std::string& misfit : match.misfits) add(misfit);
  return lines;
}

/// What the best profile is made for: no other matching one is made for more.
std::string demand_of(const profile::Demand& demand) {
  if (!demand.rdma && demand.speed_gbps == 0)
    return "no profile for RDMA or for faster ports matches";
  return cat("made for ", demand.rdma ? "RDMA on " : "",
             demand.speed_gbps > 0 ? cat("ports of ", demand.speed_gbps, " Gb/s or more")
                                   : std::string("ports of any speed"));
}

/// "fabric: enp26s0np0 ... enp220s0np0 (8)".
std::string devices_of(const node::Match& match) {
  std::vector<std::string> sets;
  for (const auto& [name, devices] : match.sets) {
    if (devices.empty()) continue;
    const std::string first = node::safe(devices.front());
    sets.push_back(cat(node::safe(name), ": ",
                       devices.size() == 1
                           ? first
                           : cat(first, devices.size() > 2 ? " ... " : ", ",
                                 node::safe(devices.back()), " (", devices.size(), ")")));
  }
  return join(sets, "; ");
}

/// "ib-hdr, ib-ndr: no InfiniBand port; tcp-100g: no port has an address".
std::string by_reason(const Matches& matches) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const node::Match& match : matches) {
    const std::string why = purpose(match, true);
    auto found = std::ranges::find(reasons, why, [](const auto& each) { return each.first; });
    if (found == reasons.end()) found = reasons.insert(found, {why, {}});
    found->second.push_back(node::safe(match.listed.name));
  }
  std::vector<std::string> parts;
  for (const auto& [why, names] : reasons)
    parts.push_back(cat(join(names, ", "), why.empty() ? "" : ": ", why));
  return join(parts, "; ");
}

/// A heading and what belongs to it, in at most three lines.
std::string group(const std::string& heading, const std::string& what, const Style& style) {
  constexpr std::size_t kMostLines = 3;
  if (what.empty()) return {};
  constexpr std::size_t kHeading = 15;
  const std::string wrapped = wrap(what, std::string(2 + kHeading, ' '), style.width);
  std::string out = cat("  ", heading, std::string(kHeading - heading.size(), ' '));
  std::size_t count = 0;
  for (const std::string_view line : split(wrapped, '\n')) {
    if (line.empty()) continue;
    if (++count > kMostLines) return out.substr(0, out.size() - 1) + " ..\n";
    out += cat(count == 1 ? line.substr(2 + kHeading) : line, "\n");
  }
  return out;
}

Matches those(const Matches& matches, bool (*which)(const node::Match&)) {
  Matches out;
  std::ranges::copy_if(matches, std::back_inserter(out), which);
  return out;
}

}  // namespace

std::string list(const Matches& profiles, const ProfilesView& view, const Style& style) {
  if (profiles.empty())
    return "there are no profiles here; check --profiles and the directories in man nettune\n";
  std::size_t name_width = std::string_view("PROFILE").size();
  for (const node::Match& match : profiles)
    name_width = std::max(name_width, display_width(node::safe(match.listed.name)));
  // Two gaps, and the column HERE.
  const std::size_t used = name_width + (view.known ? 8 : 2);
  const std::size_t room = style.width > used + 10 ? style.width - used : 10;
  Table table({{"PROFILE"}, {view.known ? "HERE" : ""}, {"FOR"}});
  for (const node::Match& match : profiles) {
    const bool best = view.known && &match == &profiles.front() && is_advised(match);
    const std::string answer = is_broken(match)    ? "-"
                               : best              ? "best"
                               : is_advised(match) ? "yes"
                               : match.matches     ? "no!"
                                                   : "no";
    const std::string what = purpose(match, view.known);
    table.add({node::safe(match.listed.name), view.known ? answer : "",
               style.terminal ? cut(what, room) : what},
              view.reasons ? all_reasons(match) : std::vector<std::string>());
  }
  return table.text(style, "") +
         (view.reasons ? "" : style.dim("-v shows files and reasons") + "\n");
}

std::string recommend(const Matches& matches, const std::string& node, const ProfilesView& view,
                      const Style& style) {
  const Matches advised = those(matches, is_advised);
  const Matches rest(advised.empty() ? advised.begin() : advised.begin() + 1, advised.end());
  const Matches cautioned =
      those(matches, [](const node::Match& match) { return match.matches && !is_advised(match); });
  const Matches others = those(matches, [](const node::Match& match) { return !match.matches; });
  std::string out = cat(node.empty() ? std::string("this node") : node::safe(node), ": ");
  if (advised.empty()) {
    out += "no profile can be recommended\n";
  } else {
    const node::Match& best = advised.front();
    const std::string devices = devices_of(best);
    out += cat(
        "use ", style.bold(node::safe(best.listed.name)), "\n",
        wrap(cat(demand_of(best.demand), devices.empty() ? "" : "; ", devices), "  ", style.width));
  }
  std::vector<std::string> also;
  for (const node::Match& match : rest) also.push_back(node::safe(match.listed.name));
  out += group("also possible", join(also, ", "), style);
  out += group("not advised", by_reason(cautioned), style);
  out += group("no match", by_reason(others), style);
  if (view.reasons)
    for (const node::Match& match : matches) {
      out += cat("\n", style.bold(node::safe(match.listed.name)), "\n");
      for (const std::string& line : all_reasons(match)) out += wrap(line, "  ", style.width);
    }
  if (!advised.empty())
    out += cat(view.reasons ? "\n" : "", "next: nettune plan ",
               shell_word(advised.front().listed.name),
               view.reasons ? "" : "     (-v explains each)", "\n");
  else if (!view.reasons)
    out += "next: nettune recommend -v     (explains each)\n";
  return out;
}

}  // namespace nettune::cli::text
