// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "cli/json_values.hpp"
#include "cli/messages.hpp"
#include "cli/print_text.hpp"
#include "cli/table.hpp"
#include "node/display_text.hpp"

namespace nettune::cli {

namespace {

constexpr std::size_t kMessageWidth = 100;
/// The list's lines.
constexpr std::size_t kNarrowest = 72;
constexpr std::size_t kWidest = 120;

/// As many words as fit.
std::string first_words(const std::string& text, std::size_t width) {
  if (display_width(text) <= width) return text;
  std::string out;
  for (const std::string_view word : words(text)) {
    if (display_width(out) + 1 + display_width(word) + 4 > width) break;
    out += cat(out.empty() ? "" : " ", word);
  }
  return out + " ...";
}

std::string message_part(std::string_view label, const std::string& what, const Style& style) {
  const std::string indent(9, ' ');
  const std::string wrapped = wrap(node::safe(what), indent, std::min(style.width, kMessageWidth));
  const std::string head = cat("  ", label, std::string(7 - label.size(), ' '));
  return cat(style.dim(head), wrapped.substr(std::min(indent.size(), wrapped.size())));
}

}  // namespace

std::string text::message(const Message& message, const Style& style) {
  const bool is_flag = message.group == MessageGroup::flag;
  const std::string id = node::safe(message.id);
  std::string out =
      cat(style.bold(id), " (", kMessageGroups.word(message.group), is_flag ? cat(" --", id) : "",
          ")\n", message_part("means", message.means, style));
  // A cause is a guess: its remedy is to look.
  std::string_view label = message.group == MessageGroup::cause ? "check" : "do";
  for (const std::string& what : message.act) {
    out += message_part(label, what, style);
    label = "";
  }
  std::string more = cat("docs/", message.more);
  if (message.group == MessageGroup::rule) more = cat("nettune doctor --explain ", id, ", ", more);
  return out + message_part("more", more, style);
}

std::string text::messages(const std::vector<Message>& messages, const Style& style) {
  std::size_t widest = 0;
  for (const Message& message : messages) widest = std::max(widest, display_width(message.id));
  const std::size_t column = widest + 4;
  const std::size_t width = std::clamp(style.width, kNarrowest, kWidest);
  std::string out;
  const Message* before = nullptr;
  for (const Message& message : messages) {
    if (!before || before->group != message.group)
      out += cat(before ? "\n" : "", style.bold(heading_of(message.group)), "\n");
    before = &message;
    const std::string id = cat("  ", node::safe(message.id));
    out += cat(id, std::string(column - std::min(column - 1, display_width(id)), ' '),
               first_words(node::safe(in_short(message)), width - std::min(column, width)), "\n");
  }
  return out;
}

std::string json::messages(const std::vector<Message>& messages) {
  Json document = envelope("explain");
  document["messages"] = Json::array();
  for (const Message& message : messages)
    document["messages"].push_back(
        {{"id", message.id},
         {"group", node::schema_word(kMessageGroups.word(message.group))},
         {"also", message.also},
         {"means", message.means},
         {"do", message.act},
         {"more", message.more}});
  return text(document);
}

}  // namespace nettune::cli
