// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/ras.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "tools/doctor/observe.hpp"

namespace nettune::tools::doctor {
namespace {

const Observable kJobRas = observable("job.ras");

using Json = nlohmann::json;

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "?";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

/// An array member; empty if it is missing or not an array.
Json list_at(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_array() ? *found : Json::array();
}

/// Whether an event of the monitor mode (NCCL 2.29) means that a process is gone.
bool is_gone(std::string_view event) {
  return event.find("PEER_DEAD") != std::string_view::npos ||
         event.find("PEER_UNRESPONSIVE") != std::string_view::npos;
}

std::vector<std::string> troubles_of_json(const Json& document) {
  std::vector<std::string> troubles;
  if (const std::string event = text_at(document, "event"); is_gone(event)) {
    const Json peer = document.value("peer", Json::object());
    if (peer.is_object())
      troubles.push_back(cat(event, ": process ", text_at(peer, "pid"), " on ",
                             text_at(peer, "host"), ", GPUs ", text_at(peer, "cuda_devs")));
  }
  for (const Json& communicator : list_at(document, "communicators")) {
    for (const Json& rank : list_at(communicator, "missing_ranks")) {
      if (!rank.is_object()) continue;
      const Json status = rank.value("status", Json::object());
      const bool dead = status.is_object() && status.value("considered_dead", Json()) == true;
      const bool mute = status.is_object() && status.value("unresponsive", Json()) == true;
      troubles.push_back(cat("rank ", text_at(rank, "rank"), " of communicator ",
                             text_at(communicator, "hash"), " is ",
                             dead   ? "dead"
                             : mute ? "unresponsive"
                                    : "missing",
                             ": process ", text_at(rank, "pid"), " on ", text_at(rank, "host"),
                             ", GPU ", text_at(rank, "cuda_dev")));
    }
  }
  return troubles;
}

/// Ranks of a communicator that are not at the same operation, or not in the same state.
struct Mismatch {
  std::string communicator;  ///< its hash
  std::vector<std::string> lines;

  bool operator==(const Mismatch&) const = default;
};

struct Report {
  std::vector<std::string> troubles;
  std::vector<Mismatch> mismatches;
};

/// "27a079b828ff1a75" of "#0-0 (27a079b828ff1a75) MISMATCH"; its number changes between answers.
std::string communicator_of(std::string_view line) {
  const auto open = line.find('(');
  const auto close = line.find(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return std::string(line);
  return std::string(line.substr(open + 1, close - open - 1));
}

/// A section has a title underlined with =; the problems are below Errors and Warnings, each with
/// an empty line after it. An excerpt may lack the title.
Report report_of_text(std::string_view text) {
  constexpr std::size_t kEnough = 32;
  Report report;
  bool inside = false;
  bool in_mismatch = false;
  std::string_view previous;
  const auto add = [&](std::string_view line) {
    if (report.troubles.size() < kEnough) report.troubles.emplace_back(line);
  };
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    const bool is_head = line.starts_with('#');
    if (line.starts_with("====")) inside = previous == "Errors" || previous == "Warnings";
    previous = line;
    if (line.empty() || is_head) in_mismatch = false;
    if (line.empty() || line.starts_with('=') || line == "Errors" || line == "Warnings") continue;
    if (is_head && line.find(" MISMATCH") != std::string_view::npos) {
      in_mismatch = true;
      report.mismatches.push_back({communicator_of(line), {}});
    } else if (in_mismatch) {
      auto& lines = report.mismatches.back().lines;
      if (lines.size() < kEnough) lines.emplace_back(line);
    } else if (inside || (is_head && line.find(" INCOMPLETE") != std::string_view::npos) ||
               (line.starts_with('[') && is_gone(line))) {
      add(line);
    }
  }
  return report;
}

Report report_of(std::string_view answer) {
  const auto begin = answer.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && answer[begin] == '{') {
    const Json document = Json::parse(answer, nullptr, false);
    if (!document.is_discarded()) return {troubles_of_json(document), {}};
  }
  return report_of_text(answer);
}

std::string text_of(const Mismatch& mismatch) {
  return cat("communicator ", mismatch.communicator, ": ", join(mismatch.lines, "; "));
}

}  // namespace

RasVerdict judge_ras(std::string_view answer, std::optional<std::string_view> later) {
  RasVerdict verdict;
  const Report report = report_of(later.value_or(answer));
  verdict.troubles = report.troubles;
  const auto before = report_of(answer).mismatches;
  for (const Mismatch& mismatch : report.mismatches) {
    // Ranks of a job that runs are seldom at the same operation. Those of one that hangs stay.
    if (!later)
      verdict.undecided.push_back(text_of(mismatch));
    else if (std::ranges::find(before, mismatch) != before.end())
      verdict.troubles.push_back(cat(text_of(mismatch), "; a second look found the same"));
  }
  return verdict;
}

void observe_job(const Machine& machine, Sightings& out) {
  if (!machine.ras) return;
  const std::string& answer = machine.ras->json.empty() ? machine.ras->text : machine.ras->json;
  if (!machine.ras->answers) {
    out.gap(kJobRas, "", not_applicable(machine.ras->text));
    return;
  }
  const auto [troubles, undecided] = judge_ras(
      answer, machine.ras->later.empty() ? std::nullopt
                                         : std::optional<std::string_view>(machine.ras->later));
  if (troubles.empty() && !undecided.empty()) {
    out.gap(
        kJobRas, "",
        unknown(cat("a single look cannot tell whether the job runs: ", join(undecided, "; "))));
    return;
  }
  auto& seen =
      out.add(kJobRas, "", troubles.empty() ? "running" : "trouble",
              troubles.empty() ? "NCCL reports no missing or late ranks" : join(troubles, "; "));
  seen.sureness = facts::Sureness::measured;
}

}  // namespace nettune::tools::doctor
