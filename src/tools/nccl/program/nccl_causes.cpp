// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/nccl_causes.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "toml/load.hpp"
#include "tools/nccl/log/recognisers.hpp"
#include "tools/nccl/program/nccl_causes_text.hpp"

namespace nettune::tools::nccl::program {

namespace {

using log::Also;
using log::Cause;
using log::Fact;
using log::Means;
using log::Shown;
using log::Suggestion;
using toml::Node;
using Ways = std::vector<std::vector<std::string>>;

constexpr const char* kFile = "catalog/nccl-causes.toml";

enum class Phase { any, start, end, late };

template <typename Value>
using Word = std::pair<std::string_view, Value>;

constexpr Word<Cause::Tier> kTiers[] = {
    {"origin", Cause::Tier::origin},   {"exception", Cause::Tier::exception},
    {"local", Cause::Tier::local},     {"either", Cause::Tier::either},
    {"symptom", Cause::Tier::symptom}, {"echo", Cause::Tier::echo},
    {"end", Cause::Tier::end},         {"note", Cause::Tier::note},
    {"unsaid", Cause::Tier::either}};
constexpr Word<Phase> kPhases[] = {
    {"start", Phase::start}, {"end", Phase::end}, {"late", Phase::late}};
constexpr Word<Cause::By> kSpeakers[] = {{"nccl", Cause::By::nccl}, {"job", Cause::By::job}};
constexpr Word<Also> kAlso[] = {{"driver", Also::driver},
                                {"communicators", Also::communicators},
                                {"asked host", Also::asked_host},
                                {"ucx", Also::ucx}};
constexpr Word<Means> kMeans[] = {{"lost rank", Means::lost_rank}, {"timeout", Means::timeout}};
constexpr Word<Fact> kFacts[] = {{"one process", Fact::one_process},
                                 {"one version", Fact::one_version},
                                 {"one network", Fact::one_network},
                                 {"interface found", Fact::interface_found},
                                 {"set up", Fact::set_up},
                                 {"setting up", Fact::setting_up},
                                 {"amd", Fact::amd},
                                 {"nccl-tests", Fact::tests}};

constexpr std::string_view kKeys[] = {"id",       "match", "match_job", "recogniser", "at",
                                      "said_by",  "tier",  "phase",     "after_end",  "failure",
                                      "of_tests", "also",  "means",     "why",        "reasons",
                                      "check",    "shows", "source",    "example"};

Result<std::string> take_text(const Node& entry, std::string_view key) {
  const Node* const value = entry.find(key);
  if (value == nullptr || !value->is(Node::Kind::string) || value->text.empty())
    return toml::fail_at(entry.origin, cat("a cause needs ", key, " = \"...\""));
  return value->text;
}

/// "" where the key is not there.
Result<std::string> take_text_if(const Node& entry, std::string_view key) {
  if (entry.find(key) == nullptr) return std::string();
  return take_text(entry, key);
}

/// One of a few words, or `missing`.
template <typename Value, std::size_t N>
Result<Value> take_word(const Node& entry, std::string_view key, const Word<Value> (&words)[N],
                        Value missing) {
  TRY_ASSIGN(const std::string word, take_text_if(entry, key));
  if (word.empty()) return missing;
  std::vector<std::string> known;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    known.emplace_back(name);
  }
  return toml::fail_at(entry.origin,
                       cat("unknown ", key, " '", word, "'; use one of ", join(known, ", ")));
}

/// True or false; `missing` where the key is not there.
Result<bool> take_flag(const Node& entry, std::string_view key, bool missing) {
  const Node* const value = entry.find(key);
  if (value == nullptr) return missing;
  if (!value->is(Node::Kind::boolean))
    return toml::fail_at(value->origin, cat(key, " is true or false"));
  return value->boolean;
}

/// The texts of a list; empty where something in it is no text.
std::vector<std::string> texts_of(const Node& list) {
  std::vector<std::string> texts;
  for (const Node& item : list.items) {
    if (!item.is(Node::Kind::string) || item.text.empty()) return {};
    texts.push_back(item.text);
  }
  return texts;
}

/// ["text", "text"], which is one way, or a list of such lists.
Result<Ways> take_ways(const Node& entry, std::string_view key) {
  Ways ways;
  const Node* const value = entry.find(key);
  if (value == nullptr) return ways;
  if (!value->items.empty() && value->items.front().is(Node::Kind::array))
    for (const Node& way : value->items) ways.push_back(texts_of(way));
  else
    ways.push_back(texts_of(*value));
  if (std::ranges::any_of(ways, [](const auto& texts) { return texts.empty(); }))
    return toml::fail_at(value->origin,
                         cat(key, " is [\"...\", ...], or [[\"...\"], [\"...\", ...]]"));
  return ways;
}

/// Texts, or tables with a text and the facts that rule it out.
Result<std::vector<Suggestion>> take_suggestions(const Node& entry, std::string_view key) {
  std::vector<Suggestion> all;
  const Node* const list = entry.find(key);
  if (list == nullptr) return all;
  for (const Node& item : list->items) {
    Suggestion one;
    if (item.is(Node::Kind::string) && !item.text.empty()) {
      one.text = item.text;
    } else {
      TRY_ASSIGN(one.text, take_text(item, "text"));
      const Node* const unless = item.find("unless");
      if (unless == nullptr) return toml::fail_at(item.origin, "a table needs unless = [\"...\"]");
      for (const Node& word : unless->items) {
        const auto* const fact = std::ranges::find(kFacts, word.text, &Word<Fact>::first);
        if (fact == std::end(kFacts))
          return toml::fail_at(word.origin, cat("unless names no fact: ", word.text));
        one.unless.push_back(fact->second);
      }
    }
    all.push_back(std::move(one));
  }
  return all;
}

/// A pattern, or a pattern and how its values are told. Something follows each place: what ends a
/// line may be cut.
Result<std::vector<Shown>> take_shows(const Node& entry) {
  std::vector<Shown> all;
  const Node* const list = entry.find("shows");
  if (list == nullptr) return all;
  for (const Node& item : list->items) {
    const std::vector<std::string> pair = texts_of(item);
    const Shown one = pair.size() == 2 ? Shown{pair[0], pair[1]} : Shown{item.text, {}};
    if (one.pattern.find('{') == std::string::npos || one.pattern.ends_with('}'))
      return toml::fail_at(item.origin,
                           "shows has patterns, \"node {node}: \", or pairs of a pattern and how "
                           "it is told");
    all.push_back(one);
  }
  return all;
}

/// How lines that NCCL did not write are found.
bool has_mark(const std::vector<std::string>& texts) {
  return std::ranges::any_of(
      texts, [](const std::string& text) { return text.size() >= log::kShortestMark; });
}

/// Which keys there are, and what only some of them may have.
Result<> check_keys(const Node& entry, const Cause& cause, const Ways& ways_of_job) {
  for (const auto& [key, value] : entry.entries)
    if (std::ranges::find(kKeys, key) == std::end(kKeys))
      return toml::fail_at(value.origin, cat("unknown key ", key, " in a cause"));
  const bool is_known = std::ranges::find(log::kRecognisers, cause.recogniser,
                                          &log::Recogniser::name) != std::end(log::kRecognisers);
  if (!cause.recogniser.empty() && !is_known)
    return toml::fail_at(entry.origin, cat("unknown recogniser '", cause.recogniser, "'"));
  if (cause.any.empty() && ways_of_job.empty() && cause.recogniser.empty())
    return toml::fail_at(entry.origin, "a cause needs match = [\"...\"], or recogniser = \"...\"");
  if (cause.by == Cause::By::job && !ways_of_job.empty())
    return toml::fail_at(entry.origin, "match_job is for a cause that NCCL says as well");
  const Ways& of_others = cause.by == Cause::By::job ? cause.any : ways_of_job;
  if (cause.at.empty() && !std::ranges::all_of(of_others, has_mark))
    return toml::fail_at(entry.origin, cat("what others than NCCL say needs a text of ",
                                           log::kShortestMark, " letters or more"));
  if (cause.check.empty()) return toml::fail_at(entry.origin, "a cause needs check = [\"...\"]");
  return {};
}

/// The cause; and, where others say it, too, the same as they say it.
Result<> take_cause(const Node& entry, std::vector<Cause>& causes) {
  Cause cause;
  TRY_ASSIGN(cause.id, take_text(entry, "id"));
  TRY_ASSIGN(cause.any, take_ways(entry, "match"));
  TRY_ASSIGN(Ways ways_of_job, take_ways(entry, "match_job"));
  TRY_ASSIGN(cause.recogniser, take_text_if(entry, "recogniser"));
  TRY_ASSIGN(cause.at, take_text_if(entry, "at"));
  TRY_ASSIGN(cause.by, take_word(entry, "said_by", kSpeakers, Cause::By::nccl));
  TRY_ASSIGN(const std::string tier, take_text(entry, "tier"));
  cause.no_reason = tier == "unsaid";
  TRY_ASSIGN(cause.tier, take_word(entry, "tier", kTiers, Cause::Tier::origin));
  TRY_ASSIGN(const Phase phase, take_word(entry, "phase", kPhases, Phase::any));
  cause.starts = phase == Phase::start;
  cause.ends = phase == Phase::end;
  cause.late = phase == Phase::late;
  TRY_ASSIGN(cause.follows, take_flag(entry, "after_end", false));
  TRY_ASSIGN(cause.fails, take_flag(entry, "failure", false));
  TRY_ASSIGN(const bool may_fail, take_flag(entry, "failure", true));
  cause.warns = !may_fail;
  TRY_ASSIGN(cause.of_tests, take_flag(entry, "of_tests", false));
  TRY_ASSIGN(cause.also, take_word(entry, "also", kAlso, Also::nothing));
  TRY_ASSIGN(cause.means, take_word(entry, "means", kMeans, Means::nothing));
  TRY_ASSIGN(cause.why, take_text(entry, "why"));
  TRY_ASSIGN(cause.reasons, take_suggestions(entry, "reasons"));
  TRY_ASSIGN(cause.check, take_suggestions(entry, "check"));
  TRY_ASSIGN(cause.shows, take_shows(entry));
  TRY_ASSIGN(cause.source, take_text(entry, "source"));
  TRY_ASSIGN(cause.example, take_text(entry, "example"));
  TRY(check_keys(entry, cause, ways_of_job));
  causes.push_back(cause);
  if (ways_of_job.empty()) return {};
  cause.by = Cause::By::job;
  cause.any = std::move(ways_of_job);
  causes.push_back(std::move(cause));
  return {};
}

}  // namespace

Result<std::vector<Cause>> built_in_causes() { return parse_causes(cli::kNcclCauses); }

Result<std::vector<Cause>> parse_causes(std::string_view text) {
  TRY_ASSIGN(const Node root, toml::parse_toml(text, kFile));
  std::vector<Cause> causes;
  for (const auto& [key, list] : root.entries) {
    if (key != "cause" || !list.is(Node::Kind::array))
      return toml::fail_at(list.origin,
                           cat("unknown key ", key, "; only [[cause]] is allowed here"));
    for (const Node& entry : list.items) TRY(take_cause(entry, causes));
  }
  return causes;
}

}  // namespace nettune::tools::nccl::program
