// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/node_set.hpp"
#include "base/number_text.hpp"
#include "base/text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"
#include "tools/compare/program/compare_command.hpp"

namespace nettune::tools::compare::program {

namespace {

using compare::Comparison;
using compare::Fleet;
using compare::Holders;

constexpr std::size_t kMostLines = 20;
constexpr std::size_t kMostGroups = 4;

/// 12345 -> "12,345"
std::string with_commas(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

/// How a shape differs from the largest one: "has rdma[].pci_id 15b3:1017; lacks ... 15b3:1021".
std::string shape_difference(const std::string& shape, const std::string& other) {
  const auto parts = [](const std::string& text) {
    std::vector<std::string> out;
    for (const std::string_view part : split(text, ';')) out.emplace_back(trim(part));
    return out;
  };
  const auto only_in = [](const std::vector<std::string>& here,
                          const std::vector<std::string>& there, std::string_view word) {
    std::vector<std::string> out;
    for (const std::string& part : here)
      if (std::ranges::find(there, part) == there.end()) out.push_back(part);
    return out.empty() ? std::string() : cat(word, " ", join(out, ", "));
  };
  std::vector<std::string> texts = {only_in(parts(shape), parts(other), "has"),
                                    only_in(parts(other), parts(shape), "lacks")};
  std::erase(texts, "");
  return join(texts, "; ");
}

class Printer {
 public:
  Printer(const Fleet& fleet, const Comparison& comparison, bool all, const cli::Style& style)
      : fleet_(fleet), comparison_(comparison), all_(all), style_(style) {}

  std::string run() {
    head();
    groups();
    alone();
    findings();
    identifying();
    for (const auto& one : fleet_.twice()) note(one.file + " " + one.why);
    unread();
    return out_;
  }

 private:
  void head() {
    const std::size_t nodes = fleet_.nodes().size();
    const std::size_t unread = fleet_.unread().size();
    std::string line = cat(with_commas(nodes), nodes == 1 ? " node" : " nodes");
    const std::size_t groups = comparison_.groups.size();
    if (groups > 1) line += cat(" in ", node::counted(groups, "group"));
    if (unread > 0) line += cat(", and ", with_commas(unread), " that could not be read");
    if (comparison_.deviating > 0) {
      line +=
          cat("; ", with_commas(comparison_.deviating),
              comparison_.deviating == 1 ? " differs from the others" : " differ from the others");
    } else if (nodes < 2) {
      line += nodes == 0 ? ": nothing to compare" : ": a single node cannot be compared";
    } else if (!comparison_.findings.empty()) {
      line += "; no majority, so no node can be singled out";
    } else if (comparison_.alone.size() < nodes) {
      line += ": no differences in what is compared";
    }
    if (!comparison_.alone.empty())
      line += cat("; ", with_commas(comparison_.alone.size()),
                  comparison_.alone.size() == 1 ? " alone in its group" : " alone in their groups",
                  ", and not compared");
    out_ += cat(style_.bold(line), "\n");
    ++lines_;
  }

  void groups() {
    if (comparison_.groups.size() < 2) return;
    const std::size_t shown =
        all_ ? comparison_.groups.size() : std::min(kMostGroups, comparison_.groups.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Group& group = comparison_.groups[i];
      line("", cat(name_of(static_cast<int>(i)), ": ", with_commas(group.nodes.size()), " x ",
                   group.what.empty() ? "no facts" : group.what));
    }
    if (shown < comparison_.groups.size())
      line("", cat("and ", comparison_.groups.size() - shown, " more groups"));
  }

  void alone() {
    if (comparison_.alone.empty()) return;
    line("alone", cat(who({{}, comparison_.alone}), ": no other node has ",
                      comparison_.alone.size() == 1 ? "its" : "the same",
                      " models, so nothing was compared"));
  }

  /// A, B, ..., Z, "27", ...
  std::string name_of(int group) const {
    if (group < 0 || comparison_.groups.size() < 2) return {};
    return group < 26 ? std::string(1, static_cast<char>('A' + group)) : std::to_string(group + 1);
  }

  void findings() {
    std::size_t shown = 0;
    // The rest takes at most two lines.
    for (const Finding& finding : comparison_.findings) {
      if (!all_ && lines_ + 3 > kMostLines) break;
      const bool is_mixed = finding.kind == Kind::populations;
      const std::string word = is_mixed ? "mixed" : std::string(cost_word(finding.cost));
      const std::string group = name_of(finding.group);
      line(word, cat(group.empty() ? "" : cat(group, " "), sentence(finding)),
           is_mixed ? std::nullopt : std::optional(finding.cost));
      if (all_ && !finding.why.empty()) out_ += cli::wrap(finding.why, "         ", style_.width);
      ++shown;
    }
    if (shown < comparison_.findings.size())
      line("", cat("and ", with_commas(comparison_.findings.size() - shown),
                   " more; --all shows them, and why each matters"));
  }

  void identifying() {
    if (!all_) return;
    std::size_t paths = 0;
    for (const Group& group : comparison_.groups) paths += group.identifying;
    if (paths > 0)
      line("", cat(node::counted(paths, "path"),
                   " differ on more than half of the nodes, and were treated as identities"));
  }

  void unread() {
    const auto& unread = fleet_.unread();
    const std::size_t shown = all_ ? unread.size() : std::min<std::size_t>(unread.size(), 1);
    for (std::size_t i = 0; i < shown; ++i) note(cat(unread[i].file, ": ", unread[i].why));
    if (shown == unread.size()) return;
    std::vector<std::string> names;
    for (std::size_t i = shown; i < unread.size(); ++i)
      names.push_back(unread[i].node.empty() ? unread[i].file : unread[i].node);
    note(cat(unread.size() - shown, " more could not be read: ", shortened(fold_names(names))));
  }

  std::string sentence(const Finding& finding) const {
    std::string text = deviation(finding);
    if (!finding.consequences.empty())
      text += cat("; so also ", shortened(fold_names(finding.consequences)));
    return text;
  }

  std::string deviation(const Finding& finding) const {
    const std::string path = shortened(fold_names(finding.paths));
    const std::string rest = with_commas(finding.majority_count);
    switch (finding.kind) {
      case Kind::missing:
        return cat(path, ": missing on ", who(finding.others.front()), "; ", rest, " have it");
      case Kind::extra:
        return cat(path, ": only on ", who(finding.others.front()), "; ", rest, " do not have it");
      case Kind::shape:
        return cat(who(finding.others.front()), ": ",
                   shape_difference(finding.others.front().value, finding.majority), ", against ",
                   rest);
      case Kind::number:
        return cat(path, ": ", each(finding), "; median ", finding.majority, " of ",
                   with_commas(finding.majority_count + finding.count()));
      default:
        break;
    }
    std::string text = cat(path, ": ", each(finding));
    if (finding.majority_count > 0) text += cat("; ", finding.majority, " on ", rest);
    return text;
  }

  std::string each(const Finding& finding) const {
    constexpr std::size_t kMostValues = 5;
    std::vector<std::string> texts;
    for (const Holders& one : finding.others) {
      if (!all_ && texts.size() == kMostValues) {
        texts.push_back(cat("and ", finding.others.size() - kMostValues, " more values"));
        break;
      }
      texts.push_back(cat(one.value, " on ", who(one)));
    }
    return join(texts, "; ");
  }

  /// "gpu003", "12, gpu[003,117-127]"
  std::string who(const Holders& holders) const {
    std::vector<std::string> names;
    for (const std::uint32_t node : holders.nodes) names.push_back(fleet_.nodes()[node].name);
    const std::string folded = shortened(fold_names(names));
    return names.size() == 1 ? folded : cat(with_commas(names.size()), " (", folded, ")");
  }

  /// Cuts a list after a name, unless everything was asked for.
  std::string shortened(const std::string& folded) const {
    constexpr std::size_t kShort = 60;
    if (all_ || folded.size() <= kShort) return folded;
    const auto cut = folded.rfind(',', kShort);
    return cat(folded.substr(0, cut == std::string::npos ? kShort : cut), ",...");
  }

  void line(const std::string& word, const std::string& text, std::optional<Cost> cost = {}) {
    std::string padded = word;
    padded.resize(std::max<std::size_t>(padded.size(), 5), ' ');
    const std::string shown = cost == Cost::fails   ? style_.red(padded)
                              : cost == Cost::slows ? style_.yellow(padded)
                                                    : padded;
    out_ += cat("  ", shown, "  ", node::safe(text), "\n");
    ++lines_;
  }
  void note(const std::string& text) {
    out_ += cat("  note: ", node::safe(text), "\n");
    ++lines_;
  }

  const Fleet& fleet_;
  const Comparison& comparison_;
  bool all_;
  const cli::Style& style_;
  std::string out_;
  std::size_t lines_ = 0;
};

}  // namespace

std::string text::comparison(const Fleet& fleet, const Comparison& comparison, bool all,
                             const cli::Style& style) {
  return Printer(fleet, comparison, all, style).run();
}

std::string text::explained(const Explained& explained, const cli::Style& style) {
  std::string out = cat(
      style.bold(cat(with_commas(explained.slow), " of ", with_commas(explained.nodes),
                     " nodes are slow; ", with_commas(explained.tested), " values were tested")),
      "\n");
  if (explained.found.empty())
    out += cli::wrap(
        "Nothing that is compared distinguishes the slow nodes from the others: check what facts "
        "do not cover (load, cooling, cables, the switch).",
        "  ", style.width);
  constexpr std::size_t kMost = 5;
  for (std::size_t i = 0; i < std::min(kMost, explained.found.size()); ++i) {
    const Correlation& one = explained.found[i];
    std::vector<std::string> values = one.values;
    const std::size_t more = values.size() > 3 ? values.size() - 3 : 0;
    values.resize(values.size() - more);
    out += cli::wrap(
        node::safe(cat(join(values, ", "), more > 0 ? cat(" and ", more, " more") : "", ": ",
                       one.slow_with, " of ", one.slow, " slow nodes, ", one.others_with, " of ",
                       one.others, " others (p = ", scientific(one.p_adjusted, 1), ")")),
        "  ", style.width);
  }
  if (!explained.found.empty())
    out += "  This is correlation: it shows where to look first, but does not prove a cause.\n";
  if (!explained.unknown.empty())
    out += cat("  note: no facts for ", node::safe(fold_names(explained.unknown)), "\n");
  return out;
}

}  // namespace nettune::tools::compare::program
