// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "cli/messages_text.hpp"
#include "node/check/rule_files.hpp"
#include "toml/load.hpp"

namespace nettune::cli {

namespace {

/// The text of a key that a message, an Xid or a cause must have.
Result<std::string> message_text(const toml::Node& entry, std::string_view key) {
  const toml::Node* const value = entry.find(key);
  if (!value || !value->is(toml::Node::Kind::string) || value->text.empty())
    return toml::fail_at(entry.origin, cat("this needs ", key, " = \"...\""));
  return value->text;
}

/// A list of texts, or of tables with a text; empty where the key is not there.
std::vector<std::string> message_texts(const toml::Node& entry, std::string_view key) {
  std::vector<std::string> texts;
  const toml::Node* const list = entry.find(key);
  if (!list) return texts;
  for (const toml::Node& item : list->items) {
    const toml::Node* const text = item.find("text");
    texts.push_back(text ? text->text : item.text);
  }
  return texts;
}

Result<Message> read_message(const toml::Node& entry) {
  Message message;
  TRY_ASSIGN(message.id, message_text(entry, "id"));
  TRY_ASSIGN(const std::string group, message_text(entry, "group"));
  const auto known = kMessageGroups.value(group);
  if (!known)
    return toml::fail_at(entry.origin, cat("unknown group '", group, "'; use one of ",
                                           join(kMessageGroups.words(), ", ")));
  message.group = *known;
  TRY_ASSIGN(message.means, message_text(entry, "means"));
  TRY_ASSIGN(message.more, message_text(entry, "more"));
  message.also = message_texts(entry, "also");
  message.act = message_texts(entry, "do");
  if (message.act.empty()) return toml::fail_at(entry.origin, "a message needs do = [\"...\"]");
  return message;
}

Result<void> add_xids(std::vector<Message>& all) {
  TRY_ASSIGN(const toml::Node root, toml::parse_toml(kXidCatalogue, "catalog/xid.toml"));
  const toml::Node* const xids = root.find("xid");
  if (!xids) return toml::fail_at(root.origin, "the catalogue has no [xid.N]");
  for (const auto& [number, entry] : xids->entries) {
    Message message;
    message.id = cat("xid-", number);
    message.group = MessageGroup::xid;
    message.more = "doctor.md";
    TRY_ASSIGN(message.means, message_text(entry, "meaning"));
    TRY_ASSIGN(std::string action, message_text(entry, "action"));
    message.act.push_back(std::move(action));
    if (const toml::Node* const says = entry.find("says"))
      for (const auto& [name, one] : says->entries) {
        TRY_ASSIGN(const std::string meaning, message_text(one, "meaning"));
        TRY_ASSIGN(const std::string other, message_text(one, "action"));
        message.act.push_back(cat("if it is ", meaning, ": ", other));
      }
    all.push_back(std::move(message));
  }
  return {};
}

Result<void> add_causes(std::vector<Message>& all) {
  TRY_ASSIGN(const toml::Node root, toml::parse_toml(kCausesCatalogue, "catalog/nccl-causes.toml"));
  const toml::Node* const causes = root.find("cause");
  if (!causes) return toml::fail_at(root.origin, "the catalogue has no [[cause]]");
  for (const toml::Node& entry : causes->items) {
    Message message;
    message.group = MessageGroup::cause;
    message.more = "nccl-explain.md";
    TRY_ASSIGN(message.id, message_text(entry, "id"));
    TRY_ASSIGN(message.means, message_text(entry, "why"));
    const std::vector<std::string> reasons = message_texts(entry, "reasons");
    if (!reasons.empty()) message.means += cat(" Possible reasons: ", join(reasons, "; "), ".");
    message.act = message_texts(entry, "check");
    all.push_back(std::move(message));
  }
  return {};
}

}  // namespace

std::string_view heading_of(MessageGroup group) {
  switch (group) {
    case MessageGroup::exit_code:
      return "Exit codes";
    case MessageGroup::flag:
      return "Flags that messages name";
    case MessageGroup::answer:
      return "What plan, check, status and doctor say";
    case MessageGroup::rule:
      return "Rules of check and doctor";
    case MessageGroup::lint:
      return "What nccl lint says";
    case MessageGroup::cause:
      return "Causes that nccl explain finds";
    case MessageGroup::xid:
      return "Xid errors of GPUs";
  }
  return "";
}

Result<std::vector<Message>> parse_messages(std::string_view text) {
  TRY_ASSIGN(const toml::Node root, toml::parse_toml(text, "catalog/messages.toml"));
  std::vector<Message> all;
  for (const auto& [key, list] : root.entries) {
    if (key != "message" || !list.is(toml::Node::Kind::array))
      return toml::fail_at(list.origin, "only [[message]] is allowed here");
    for (const toml::Node& entry : list.items) {
      TRY_ASSIGN(Message message, read_message(entry));
      all.push_back(std::move(message));
    }
  }
  return all;
}

Result<std::vector<Message>> built_in_messages() {
  TRY_ASSIGN(std::vector<Message> all, parse_messages(kMessagesCatalogue));
  TRY(add_causes(all));
  TRY(add_xids(all));
  return all;
}

Message message_of(const checks::Rule& rule) {
  return {rule.id, MessageGroup::rule, {}, rule.why, {rule.remedy.text("", "")}, "doctor.md"};
}

Result<std::vector<Message>> all_messages(Disk& disk, std::string& gap) {
  TRY_ASSIGN(std::vector<Message> all, built_in_messages());
  // As `nettune check` reads them: what they look at may be known to doctor alone.
  if (const auto rules = node::check::read_rules(disk, {{}, false}))
    for (const checks::Rule& rule : *rules) all.push_back(message_of(rule));
  else
    gap = rules.error().text;
  std::ranges::stable_sort(all, {}, &Message::group);
  return all;
}

std::string message_id(std::string_view typed) {
  constexpr std::string_view kAround = " []()'\"-:,.";
  const auto from = std::min(typed.find_first_not_of(kAround), typed.size());
  typed.remove_prefix(from);
  typed = typed.substr(0, typed.find_last_not_of(kAround) + 1);
  std::string id;
  for (const char c : lower(typed)) {
    const char mark = c == ' ' || c == '_' || c == ',' ? '-' : c;
    if (mark != '-' || !id.ends_with('-')) id += mark;
  }
  return id;
}

std::vector<Message> find_messages(const std::vector<Message>& all, const std::string& id) {
  std::vector<Message> found;
  std::ranges::copy_if(all, std::back_inserter(found), [&](const Message& message) {
    return message_id(message.id) == id ||
           std::ranges::find(message.also, id) != message.also.end();
  });
  if (!found.empty() || !is_integer(id)) return found;
  found = find_messages(all, cat("exit-", id));
  return found.empty() ? find_messages(all, cat("xid-", id)) : found;
}

std::string in_short(const Message& message) {
  const auto end = message.means.find(". ");
  return message.means.substr(0, end == std::string::npos ? end : end + 1);
}

}  // namespace nettune::cli
