// SPDX-License-Identifier: Apache-2.0
#include "cli/nccl_causes.hpp"

#include "base/text.hpp"
#include "cli/nccl_causes_text.hpp"
#include "profile/load.hpp"

namespace nettune::cli {

namespace {

using nccl_log::Cause;
using profile::Node;

constexpr const char* kFile = "catalog/nccl-causes.toml";

Result<std::string> take_text(const Node& entry, std::string_view key) {
  const Node* const value = entry.find(key);
  if (value == nullptr || !value->is(Node::Kind::string) || value->text.empty())
    return profile::fail_at(entry.origin, cat("a cause needs ", key, " = \"...\""));
  return value->text;
}

Result<std::vector<std::string>> take_list(const Node& entry, std::string_view key) {
  const Node* const value = entry.find(key);
  std::vector<std::string> texts;
  if (value != nullptr)
    for (const Node& item : value->items)
      if (item.is(Node::Kind::string) && !item.text.empty()) texts.push_back(item.text);
  if (texts.empty() || texts.size() != value->items.size())
    return profile::fail_at(entry.origin, cat("a cause needs ", key, " = [\"...\"]"));
  return texts;
}

Result<Cause::Role> take_role(const Node& entry) {
  TRY_ASSIGN(const std::string word, take_text(entry, "role"));
  if (word == "cause") return Cause::Role::cause;
  if (word == "symptom") return Cause::Role::symptom;
  if (word == "note") return Cause::Role::note;
  return profile::fail_at(entry.origin, cat("role is cause, symptom or note, not ", word));
}

}  // namespace

Result<std::vector<Cause>> built_in_causes() { return parse_causes(kNcclCauses); }

Result<std::vector<Cause>> parse_causes(std::string_view text) {
  TRY_ASSIGN(const Node root, profile::parse_toml(text, kFile));
  std::vector<Cause> causes;
  for (const auto& [key, list] : root.entries) {
    if (key != "cause" || !list.is(Node::Kind::array))
      return profile::fail_at(list.origin, cat("what is ", key, "? Only [[cause]] stands here"));
    for (const Node& entry : list.items) {
      Cause cause;
      TRY_ASSIGN(cause.id, take_text(entry, "id"));
      TRY_ASSIGN(cause.all, take_list(entry, "all"));
      TRY_ASSIGN(cause.role, take_role(entry));
      TRY_ASSIGN(cause.why, take_text(entry, "why"));
      TRY_ASSIGN(cause.check, take_list(entry, "check"));
      TRY_ASSIGN(cause.source, take_text(entry, "source"));
      causes.push_back(std::move(cause));
    }
  }
  return causes;
}

}  // namespace nettune::cli
