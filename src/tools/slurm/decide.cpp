// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/decide.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "base/text.hpp"

namespace nettune::tools::slurm {

namespace {

/// Flags with which a node takes jobs, or would but for a drain (slurm.h, NODE_STATE_*).
constexpr auto kHarmless =
    std::to_array<std::string_view>({"CLOUD", "DYNAMIC_NORM", "DYNAMIC_FUTURE"});
/// Flags that come and go with jobs, reservations and answers.
constexpr auto kPassing = std::to_array<std::string_view>(
    {"COMPLETING", "PLANNED", "NOT_RESPONDING", "BLOCKED", "RESERVED"});

constexpr std::size_t kLongestReason = 200;

bool takes_jobs(const Node& node) {
  return node.base == "IDLE" || node.base == "MIXED" || node.base == "ALLOCATED";
}

bool is_marked(std::string_view text) { return text.starts_with(kMark); }

/// Why nettune leaves this node as it is; "" if it may drain it.
std::string barrier(const Node& node) {
  if (node.has("DRAIN"))
    return node.reason.empty() ? std::string("it is drained already")
                               : cat("it is drained already: ", printable(node.reason));
  if (!takes_jobs(node)) return cat("its state is ", printable(node.base));
  for (const std::string& flag : lasting_flags(node))
    if (std::ranges::find(kHarmless, flag) == kHarmless.end())
      return cat("its state has ", printable(flag));
  // A reason without a drain is that of an earlier one: Slurm 24.11 keeps it.
  if (!node.extra.empty() && !is_marked(node.extra))
    return "its field Extra, in which nettune announces a drain, has a text of somebody else";
  return {};
}

/// Why no more nodes may be drained; "" if one more may.
std::string limit(const Others& others, const SlurmSite& site) {
  std::int64_t most = site.most_nodes;
  std::string set_by = cat("most_nodes = ", site.most_nodes);
  if (site.most_percent) {
    constexpr std::int64_t kAll = 100;
    const std::int64_t part = (std::int64_t{others.nodes} + 1) * *site.most_percent / kAll;
    if (part < most) {
      most = part;
      set_by = cat("most_percent = ", *site.most_percent, " of ", others.nodes + 1, " nodes");
    }
  }
  if (others.drained + others.claims + 1 <= most) return {};
  return cat("nettune has drained ", others.drained, " other nodes",
             others.claims == 0 ? std::string() : cat(", and is about to drain ", others.claims),
             ", and may drain ", most, " at a time (", set_by, " in the site file)");
}

bool is_good(const Answer& answer, const Subject& fault) {
  return std::ranges::find(answer.good, fault) != answer.good.end();
}

/// The comment that shows a fault; nothing if it is there, or if the comment is somebody's.
std::optional<std::string> comment_for(const Node& node, const SlurmSite& site,
                                       const std::string& wanted) {
  if (!site.comment || node.comment == wanted) return std::nullopt;
  if (!node.comment.empty() && !is_marked(node.comment)) return std::nullopt;
  return wanted;
}

/// Of a node that nettune has drained.
Decision decide_drained(const Result<Answer>& answer, Memory memory, const Node& node,
                        const SlurmSite& site) {
  OwnDrain& own = *memory.drain;
  own.by = node.reason_by;
  memory.fault = {};
  memory.seen = 0;
  const auto stays = [&](const std::string& why) {
    return Decision{Step::none, cat("stays drained: ", why), {}, {}, memory};
  };
  if (!answer) return stays(cat("it could not be checked: ", printable(answer.error().text)));
  if (answer->drain) return stays(printable(answer->text));
  if (!answer->notes.empty()) return stays(printable(answer->notes.front()));
  const std::string what = own.fault.device.empty() ? printable(own.fault.rule)
                                                    : cat(printable(own.fault.rule), " of ",
                                                          printable(own.fault.device));
  if (!is_good(*answer, own.fault)) return stays(cat(what, " is not seen good"));
  if (!site.drain) return stays(cat(what, " is good, but drain = true is not in the site file"));
  if (!takes_jobs(node) || lasting_flags(node) != own.flags)
    return stays(
        cat(what, " is good, but the state of the node is now ", printable(node.base),
            node.flags.empty() ? "" : "+",
            printable(join(std::vector<std::string>(node.flags.begin(), node.flags.end()), "+"))));
  // The drain is forgotten once Slurm shows that it is gone.
  return {Step::undrain, cat("undrained: ", what, " is good again"), {}, {}, memory};
}

}  // namespace

std::set<std::string> lasting_flags(const Node& node) {
  std::set<std::string> flags = node.flags;
  for (const std::string_view flag : kPassing) flags.erase(std::string(flag));
  return flags;
}

Others count_others(const std::vector<Node>& nodes, const std::string& name) {
  Others others;
  for (const Node& node : nodes) {
    if (node.name == name) continue;
    ++others.nodes;
    if (node.has("DRAIN") && is_marked(node.reason))
      ++others.drained;
    else if (is_marked(node.extra))
      ++others.claims;
  }
  return others;
}

bool is_own_drain(const Memory& memory, const Node& node) {
  if (!memory.drain || !node.has("DRAIN")) return false;
  const OwnDrain& own = *memory.drain;
  return node.reason == own.reason && (own.by.empty() || own.by == node.reason_by);
}

Decision decide(const Result<Answer>& answer, const Memory& memory, const Node& node,
                const std::optional<Others>& others, const SlurmSite& site) {
  if (is_own_drain(memory, node)) return decide_drained(answer, memory, node, site);
  Decision decision;
  decision.memory = memory;
  decision.memory.drain.reset();
  if (!answer || !answer->drain) {
    decision.memory.fault = {};
    decision.memory.seen = 0;
    if (!answer)
      decision.why = cat("could not be checked: ", printable(answer.error().text));
    else if (!answer->notes.empty())
      decision.why = cat("not drained: ", printable(answer->notes.front()));
    else
      decision.why = "no fault that drains the node";
    if (answer && answer->notes.empty()) decision.comment = comment_for(node, site, "");
    return decision;
  }
  const bool is_same = memory.seen > 0 && memory.fault == answer->fault;
  decision.memory.fault = answer->fault;
  decision.memory.seen = is_same ? std::min(memory.seen, site.seen) + 1 : 1;
  const auto only_reports = [&](const std::string& why) {
    decision.step = Step::none;
    decision.why = cat("not drained: ", printable(answer->text), "; ", why);
    return decision;
  };
  decision.comment =
      comment_for(node, site, cat(kMark, plain(answer->text, kLongestReason), "; not drained"));
  if (!site.drain) return only_reports("drain = true is not in [slurm] of the site file");
  if (decision.memory.seen < site.seen)
    return only_reports(cat("seen ", decision.memory.seen, " of ", site.seen, " times in a row"));
  if (const std::string why = barrier(node); !why.empty()) return only_reports(why);
  if (!others) {
    decision.step = Step::count;
    decision.why = "the other nodes are to be counted";
    return decision;
  }
  if (const std::string why = limit(*others, site); !why.empty()) return only_reports(why);
  decision.step = Step::drain;
  decision.reason = cat(kMark, plain(answer->text, kLongestReason));
  decision.why = cat("drained: ", printable(answer->text));
  decision.comment = comment_for(node, site, "");
  std::set<std::string> flags = lasting_flags(node);
  flags.insert("DRAIN");
  decision.memory.drain = OwnDrain{answer->fault, decision.reason, "", flags};
  return decision;
}

}  // namespace nettune::tools::slurm
