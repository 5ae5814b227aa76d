// SPDX-License-Identifier: Apache-2.0
#include "doctor/ras.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "doctor/observe.hpp"

namespace nettune::doctor {
namespace {

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

/// A section has a title underlined with =; the problems are below Errors and Warnings.
std::vector<std::string> troubles_of_text(std::string_view text) {
  std::vector<std::string> troubles;
  bool inside = false;
  std::string_view previous;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = trim(raw);
    if (line.starts_with("====")) inside = previous == "Errors" || previous == "Warnings";
    if (inside && !line.empty() && !line.starts_with('=') && line != "Errors" &&
        line != "Warnings") {
      constexpr std::size_t kEnough = 32;
      if (troubles.size() < kEnough) troubles.emplace_back(line);
    }
    previous = line;
  }
  for (const std::string_view raw : split(text, '\n'))
    if (const std::string_view line = trim(raw); line.starts_with('[') && is_gone(line))
      troubles.emplace_back(line);
  // An excerpt may lack the title.
  if (troubles.empty())
    for (const std::string_view raw : split(text, '\n')) {
      const std::string_view line = trim(raw);
      for (const char* const word : {"PEER_DEAD", " MISMATCH", " INCOMPLETE"})
        if (line.find(word) != std::string_view::npos && line.starts_with('#')) {
          troubles.emplace_back(line);
          break;
        }
    }
  return troubles;
}

}  // namespace

std::vector<std::string> ras_troubles(std::string_view answer) {
  const auto begin = answer.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && answer[begin] == '{') {
    const Json document = Json::parse(answer, nullptr, false);
    if (!document.is_discarded()) return troubles_of_json(document);
  }
  return troubles_of_text(answer);
}

void observe_job(const Machine& machine, Sightings& out) {
  if (!machine.ras) return;
  const std::string& answer = machine.ras->json.empty() ? machine.ras->text : machine.ras->json;
  if (!machine.ras->answers) {
    out.gap("job.ras", "", not_applicable(machine.ras->text));
    return;
  }
  const std::vector<std::string> troubles = ras_troubles(answer);
  auto& seen =
      out.add("job.ras", "", troubles.empty() ? "running" : "trouble",
              troubles.empty() ? "NCCL reports no missing or late ranks" : join(troubles, "; "));
  seen.sureness = facts::Sureness::measured;
}

}  // namespace nettune::doctor
