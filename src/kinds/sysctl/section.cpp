// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "profile/compose.hpp"

namespace nettune::profile {
namespace {

constexpr std::size_t kMaxValueBytes = 4096;  // one page is the most that proc hands over

struct Wanted {
  Relation relation = Relation::exact;
  std::string text;
};

Failure wrong(const Item& item, const Node& value, std::string_view why) {
  return fail_at(value.origin, cat(label(item), " cannot be \"", shown(value), "\": ", why));
}

Result<std::string> integers(const Item& item, const Node& list) {
  std::vector<std::string> texts;
  for (const Node& member : list.items) {
    const std::string text =
        member.is(Node::Kind::integer) ? std::to_string(member.integer) : member.text;
    if (!is_integer(text)) return wrong(item, member, "a list holds integers");
    texts.push_back(text);
  }
  if (texts.empty()) return wrong(item, list, "the list is empty");
  return join(texts, " ");
}

Result<Wanted> bound(const Item& item, const Node& value, std::string_view text) {
  Wanted wanted;
  wanted.relation = text.starts_with(">=") ? Relation::at_least : Relation::at_most;
  std::vector<std::string> members;
  for (const std::string_view word : words(text.substr(2))) {
    if (!is_integer(word)) return wrong(item, value, "a bound is made of integers");
    members.emplace_back(word);
  }
  if (members.empty()) return wrong(item, value, "the bound has no number");
  wanted.text = join(members, " ");
  return wanted;
}

Result<Wanted> wanted_of(const Item& item, const Node& value) {
  if (value.is(Node::Kind::integer)) return Wanted{Relation::exact, std::to_string(value.integer)};
  if (value.is(Node::Kind::array)) {
    TRY_ASSIGN(std::string text, integers(item, value));
    return Wanted{Relation::exact, std::move(text)};
  }
  if (!value.is(Node::Kind::string)) return wrong(item, value, "write an integer or a string");
  std::string text(trim(value.text));
  // Between numbers the kernel prints tabs.
  if (std::ranges::all_of(words(text), is_integer)) std::ranges::replace(text, '\t', ' ');
  if (text.starts_with(">=") || text.starts_with("<=")) return bound(item, value, text);
  if (text.empty()) return wrong(item, value, "it is empty");
  if (has_control_characters(text)) return wrong(item, value, "it holds control characters");
  if (text.size() > kMaxValueBytes) return wrong(item, value, "it is too long");
  return Wanted{Relation::exact, std::move(text)};
}

Result<Setting> setting_for(const Item& item, const Node& node, const EachKey& each) {
  auto key = sysctl_template(each.key);
  if (!key) return fail_at(item.value.origin, key.error().text);
  Setting setting;
  setting.origin = item.value.origin;
  setting.optional = node.flag("optional");
  setting.nearest = node.flag("nearest");
  if (each.device != nullptr) setting.device = each.device->identity;
  const Node& value = plain_value(node);
  if (item.id.find('#') != std::string::npos) {
    const std::string element =
        value.is(Node::Kind::integer) ? std::to_string(value.integer) : value.text;
    TRY(check_element(element, value.origin));
    setting.address = {cat("sysctl:", *key, '#', element)};
    setting.want = "present";
    return setting;
  }
  TRY_ASSIGN(Wanted wanted, wanted_of(item, value));
  setting.address = {cat("sysctl:", *key)};
  setting.relation = wanted.relation;
  setting.want = std::move(wanted.text);
  return setting;
}

}  // namespace

Result<> compose_sysctl(Composer& composer) {
  for (const Item* const item : composer.merged().with_prefix("sysctl:")) {
    TRY_ASSIGN(const Expanded expanded, composer.value_of(*item));
    if (!composer.is_whole(*item, expanded, expanded.node.flag("optional"))) continue;
    const std::string key = item->key.substr(0, item->key.find('#'));
    TRY_ASSIGN(const EachKeys each, composer.expander().expand_key(key, item->value.origin));
    if (!each.empty_set.empty()) composer.left_out(*item, {each.empty_set}, true);
    for (const EachKey& one : each.keys) {
      TRY_ASSIGN(Setting setting, setting_for(*item, expanded.node, one));
      TRY(composer.add(std::move(setting)));
    }
  }
  return {};
}

}  // namespace nettune::profile
