// SPDX-License-Identifier: Apache-2.0
#include "profile/section.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.hpp"
#include "kernel/sysctl_key.hpp"
#include "kinds/sysctl/kind.hpp"

namespace nettune::kinds::sysctl {
namespace {

/// Checks that a text can be an element of a sysctl's list and of an address.
Result<> check_element(std::string_view element, const Origin& origin) {
  const bool good =
      !element.empty() && element.size() <= 200 && std::ranges::all_of(element, [](char c) {
        return c > ' ' && c <= '~' &&
               std::string_view(",#\"'`\\").find(c) == std::string_view::npos;
      });
  if (good) return {};
  return toml::fail_at(origin,
                       cat("'", printable(element.substr(0, 80)),
                           "' is not a valid list element; it needs at least one character, and no "
                           "blanks, commas, quotes or '#'"));
}

/// The canonical form of a sysctl key that may contain ${...}, which stays as it is.
Result<std::string> sysctl_template(std::string_view typed) {
  // A dot in ${set.each} is not a separator; it is replaced by '@' meanwhile.
  const auto swap_in_references = [](std::string text, char from, char to) {
    std::size_t begin = 0;
    while ((begin = text.find("${", begin)) != std::string::npos) {
      const std::size_t end = std::min(text.find('}', begin), text.size());
      std::replace(text.begin() + static_cast<std::ptrdiff_t>(begin),
                   text.begin() + static_cast<std::ptrdiff_t>(end), from, to);
      begin = end;
    }
    return text;
  };
  if (typed.find_first_of("#=*?[]:;\"'`\\@") != std::string_view::npos) {
    return fail(Errc::invalid, cat("sysctl key \"", printable(typed.substr(0, 80)),
                                   "\" contains a character that no key has"));
  }
  TRY_ASSIGN(std::string key,
             kernel::canonical_sysctl_key(swap_in_references(std::string(typed), '.', '@')));
  return swap_in_references(std::move(key), '@', '.');
}

constexpr std::size_t kMaxValueBytes = 4096;  // procfs returns at most one page

struct Wanted {
  Relation relation = Relation::exact;
  std::string text;
};

Failure wrong(const profile::Item& item, const toml::Node& value, std::string_view why) {
  return toml::fail_at(value.origin,
                       cat(profile::label(item), " cannot be \"", toml::shown(value), "\": ", why));
}

Result<std::string> integers(const profile::Item& item, const toml::Node& list) {
  std::vector<std::string> texts;
  for (const toml::Node& member : list.items) {
    const std::string text =
        member.is(toml::Node::Kind::integer) ? std::to_string(member.integer) : member.text;
    if (!is_integer(text)) return wrong(item, member, "a list may only have integers");
    texts.push_back(text);
  }
  if (texts.empty()) return wrong(item, list, "the list is empty");
  return join(texts, " ");
}

Result<Wanted> bound(const profile::Item& item, const toml::Node& value, std::string_view text) {
  Wanted wanted;
  wanted.relation = text.starts_with(">=") ? Relation::at_least : Relation::at_most;
  std::vector<std::string> members;
  for (const std::string_view word : words(text.substr(2))) {
    if (!is_integer(word)) return wrong(item, value, "a bound may only have integers");
    members.emplace_back(word);
  }
  if (members.empty()) return wrong(item, value, "the bound has no number");
  wanted.text = join(members, " ");
  return wanted;
}

Result<Wanted> wanted_of(const profile::Item& item, const toml::Node& value) {
  if (value.is(toml::Node::Kind::integer))
    return Wanted{Relation::exact, std::to_string(value.integer)};
  if (value.is(toml::Node::Kind::array)) {
    TRY_ASSIGN(std::string text, integers(item, value));
    return Wanted{Relation::exact, std::move(text)};
  }
  if (!value.is(toml::Node::Kind::string)) return wrong(item, value, "use an integer or a string");
  std::string text(trim(value.text));
  // The kernel prints tabs between numbers.
  if (std::ranges::all_of(words(text), is_integer)) std::ranges::replace(text, '\t', ' ');
  if (text.starts_with(">=") || text.starts_with("<=")) return bound(item, value, text);
  if (text.empty()) return wrong(item, value, "it is empty");
  if (has_control_characters(text)) return wrong(item, value, "it contains control characters");
  if (text.size() > kMaxValueBytes) return wrong(item, value, "it is too long");
  return Wanted{Relation::exact, std::move(text)};
}

Result<Setting> setting_for(const profile::Item& item, const toml::Node& node,
                            const profile::EachKey& each) {
  auto key = sysctl_template(each.key);
  if (!key) return toml::fail_at(item.value.origin, key.error().text);
  Setting setting;
  setting.origin = item.value.origin;
  setting.optional = node.flag("optional");
  setting.nearest = node.flag("nearest");
  if (each.device != nullptr) setting.device = each.device->identity;
  const toml::Node& value = profile::plain_value(node);
  if (item.id.find('#') != std::string::npos) {
    const std::string element =
        value.is(toml::Node::Kind::integer) ? std::to_string(value.integer) : value.text;
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

Result<> compose_sysctl_item(profile::Composer& composer, const profile::Item& item) {
  TRY_ASSIGN(const profile::Expanded expanded, composer.value_of(item));
  if (!composer.is_whole(item, expanded, expanded.node.flag("optional"))) return {};
  const std::string key = item.key.substr(0, item.key.find('#'));
  TRY_ASSIGN(const profile::EachKeys each, composer.expander().expand_key(key, item.value.origin));
  if (!each.empty_set.empty()) composer.left_out(item, {each.empty_set}, true);
  for (const profile::EachKey& one : each.keys) {
    TRY_ASSIGN(Setting setting, setting_for(item, expanded.node, one));
    TRY(composer.add(std::move(setting)));
  }
  return {};
}

Result<> compose_sysctl(profile::Composer& composer) {
  for (const profile::Item* const item : composer.merged().with_prefix("sysctl:"))
    composer.mistakes().take(compose_sysctl_item(composer, *item));
  return {};
}

/// A bound of integers, or a text with more than blanks and without control characters.
constexpr std::string_view kText =
    "^\\s*([<>]=\\s*-?[0-9]+(\\s+-?[0-9]+)*|(?![<>]=)[^\\s\\u0000-\\u001f][^\\u0000-\\u0008\\u000a-"
    "\\u001f]*)"
    "\\s*$";

constexpr auto kSysctlRules = std::to_array<profile::Rule>({
    {"profile/sysctl", profile::kTable, "Kernel parameters"},
    {"profile/sysctl/*",
     profile::kInteger | profile::kString | profile::kIntegers | profile::kTable,
     "A value, a bound (\">= N\", \"<= N\"), or a table",
     {},
     false,
     {.pattern = kText, .keys = "^[^#=*?\\[\\]:;\"'`\\\\@\\s]+[./][^#=*?\\[\\]:;\"'`\\\\@\\s]+$"}},
    {"profile/sysctl/*/value",
     profile::kInteger | profile::kString | profile::kIntegers,
     "The value or bound",
     {},
     false,
     {.pattern = kText}},
    {"profile/sysctl/*/optional", profile::kBoolean, profile::kOptionalHelp},
    {"profile/sysctl/*/nearest", profile::kBoolean, profile::kNearestHelp},
    {"profile/sysctl/*/elements", profile::kStrings | profile::kIntegers,
     "Members that this list must contain; others stay"},
});

/// The flags of `value` go with each element, since each is inherited and removed on its own.
Result<> add_elements(profile::ItemCollector& out, const std::string& key,
                      const toml::Node& value) {
  toml::Node flags;
  std::ranges::copy_if(value.entries, std::back_inserter(flags.entries),
                       [](const auto& entry) { return entry.first != "elements"; });
  for (const toml::Node& item : value.find("elements")->items) {
    const std::string element =
        item.is(toml::Node::Kind::integer) ? std::to_string(item.integer) : item.text;
    TRY(check_element(element, item.origin));
    toml::Node one = flags;
    one.origin = item.origin;
    one.entries.emplace_back("value", toml::Node::string(element, item.origin));
    TRY(out.add(cat("sysctl:", key, '#', element), "sysctl", cat(key, '#', element),
                "profile/sysctl/*", std::move(one)));
  }
  return {};
}

Result<> collect_sysctl(profile::ItemCollector& out, const profile::Section&,
                        const toml::Node& table) {
  for (const auto& [typed, value] : table.entries) {
    TRY_ASSIGN(const std::string key, profile::located(value.origin, sysctl_template(typed)));
    const toml::Node* const elements = value.find("elements");
    if (value.is(toml::Node::Kind::table) &&
        (elements != nullptr) == (value.find("value") != nullptr)) {
      return toml::fail_at(value.origin, cat(key, " needs value or elements, not both"));
    }
    if (elements == nullptr) {
      TRY(out.add(cat("sysctl:", key), "sysctl", key, "profile/sysctl/*", value));
      continue;
    }
    if (value.find("nearest") != nullptr) {
      return toml::fail_at(value.origin,
                           cat(key, ": nearest has no meaning for elements; remove it"));
    }
    TRY(add_elements(out, key, value));
  }
  return {};
}

/// Parses KEY or KEY#ELEMENT.
Result<std::string> canonical_sysctl(std::string_view typed) {
  const auto hash = typed.find('#');
  TRY_ASSIGN(const std::string key, sysctl_template(typed.substr(0, hash)));
  return cat(key, hash == std::string_view::npos ? "" : typed.substr(hash));
}

}  // namespace

constinit const profile::Section kSysctlSection = {.name = "sysctl",
                                                   .rules = kSysctlRules,
                                                   .collect = sysctl::collect_sysctl,
                                                   .items = "sysctl",
                                                   .canonical = sysctl::canonical_sysctl,
                                                   .compose = sysctl::compose_sysctl};

}  // namespace nettune::kinds::sysctl
