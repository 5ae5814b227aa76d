// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/program/nccl_causes.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "toml/load.hpp"
#include "tools/nccl/program/nccl_causes_text.hpp"

namespace nettune::tools::nccl::program {

namespace {

using log::Cause;
using log::Fact;
using log::Suggestion;
using toml::Node;

constexpr const char* kFile = "catalog/nccl-causes.toml";

Result<std::string> take_text(const Node& entry, std::string_view key) {
  const Node* const value = entry.find(key);
  if (value == nullptr || !value->is(Node::Kind::string) || value->text.empty())
    return toml::fail_at(entry.origin, cat("a cause needs ", key, " = \"...\""));
  return value->text;
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

Result<std::vector<std::string>> take_list(const Node& entry, std::string_view key) {
  const Node* const value = entry.find(key);
  std::vector<std::string> texts;
  if (value != nullptr) texts = texts_of(*value);
  if (texts.empty()) return toml::fail_at(entry.origin, cat("a cause needs ", key, " = [\"...\"]"));
  return texts;
}

/// `all`, or the lists of `any`, of which one is enough.
Result<std::vector<std::vector<std::string>>> take_messages(const Node& entry) {
  std::vector<std::vector<std::string>> ways;
  const Node* const any = entry.find("any");
  if (any == nullptr) {
    TRY_ASSIGN(ways.emplace_back(), take_list(entry, "all"));
    return ways;
  }
  for (const Node& list : any->items) ways.push_back(texts_of(list));
  const bool is_whole =
      std::none_of(ways.begin(), ways.end(), [](const auto& texts) { return texts.empty(); });
  if (ways.empty() || !is_whole || entry.find("all") != nullptr)
    return toml::fail_at(entry.origin,
                         "a cause needs all = [\"...\"], or any = [[\"...\"], [\"...\"]]");
  return ways;
}

Result<Cause::Role> take_role(const Node& entry) {
  TRY_ASSIGN(const std::string word, take_text(entry, "role"));
  if (word == "cause") return Cause::Role::cause;
  if (word == "either") return Cause::Role::either;
  if (word == "local") return Cause::Role::local;
  if (word == "symptom") return Cause::Role::symptom;
  if (word == "echo") return Cause::Role::echo;
  if (word == "end") return Cause::Role::end;
  if (word == "program") return Cause::Role::program;
  if (word == "note") return Cause::Role::note;
  return toml::fail_at(
      entry.origin, cat("unknown role '", word,
                        "'; use one of cause, either, local, symptom, echo, end, program, note"));
}

Result<bool> take_flag(const Node& entry, std::string_view key) {
  const Node* const value = entry.find(key);
  if (value == nullptr) return false;
  if (!value->is(Node::Kind::boolean))
    return toml::fail_at(value->origin, cat(key, " is true or false"));
  return value->boolean;
}

Result<Cause::By> take_said_by(const Node& entry) {
  if (entry.find("said_by") == nullptr) return Cause::By::nccl;
  TRY_ASSIGN(const std::string word, take_text(entry, "said_by"));
  if (word == "nccl") return Cause::By::nccl;
  if (word == "job") return Cause::By::job;
  return toml::fail_at(entry.origin, cat("said_by is nccl or job, not ", word));
}

Result<Fact> take_fact(const Node& item) {
  static constexpr std::pair<std::string_view, Fact> kFacts[] = {
      {"one process", Fact::one_process}, {"one version", Fact::one_version},
      {"one network", Fact::one_network}, {"interface found", Fact::interface_found},
      {"set up", Fact::set_up},           {"setting up", Fact::setting_up},
      {"nccl-tests", Fact::tests}};
  for (const auto& [word, fact] : kFacts)
    if (item.is(Node::Kind::string) && item.text == word) return fact;
  return toml::fail_at(item.origin, cat("unless names no fact: ", item.text));
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
        TRY_ASSIGN(one.unless.emplace_back(), take_fact(word));
      }
    }
    all.push_back(std::move(one));
  }
  return all;
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
    for (const Node& entry : list.items) {
      Cause cause;
      TRY_ASSIGN(cause.id, take_text(entry, "id"));
      TRY_ASSIGN(cause.any, take_messages(entry));
      if (entry.find("at") != nullptr) {
        TRY_ASSIGN(cause.at, take_text(entry, "at"));
      }
      TRY_ASSIGN(cause.role, take_role(entry));
      TRY_ASSIGN(cause.ends, take_flag(entry, "ends"));
      TRY_ASSIGN(cause.starts, take_flag(entry, "starts"));
      TRY_ASSIGN(cause.follows, take_flag(entry, "follows"));
      TRY_ASSIGN(cause.late, take_flag(entry, "late"));
      TRY_ASSIGN(cause.below, take_flag(entry, "below"));
      TRY_ASSIGN(cause.fails, take_flag(entry, "fails"));
      TRY_ASSIGN(cause.warns, take_flag(entry, "warns"));
      TRY_ASSIGN(cause.by, take_said_by(entry));
      TRY_ASSIGN(cause.why, take_text(entry, "why"));
      TRY_ASSIGN(cause.reasons, take_suggestions(entry, "reasons"));
      TRY_ASSIGN(cause.check, take_suggestions(entry, "check"));
      if (cause.check.empty())
        return toml::fail_at(entry.origin, "a cause needs check = [\"...\"]");
      TRY_ASSIGN(cause.source, take_text(entry, "source"));
      causes.push_back(std::move(cause));
    }
  }
  return causes;
}

}  // namespace nettune::tools::nccl::program
