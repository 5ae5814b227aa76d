// SPDX-License-Identifier: Apache-2.0
#include "intake/account.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "intake/place.hpp"
#include "kernel/sysctl_key.hpp"
#include "kinds/sysctl/names.hpp"
#include "kinds/sysctl/table.hpp"
#include "toml/value.hpp"

namespace nettune::intake {
namespace {

using toml::Node;

/// What a parent's item asks for.
struct Wanted {
  Relation relation = Relation::exact;
  std::string value;
};

std::optional<Wanted> wanted_of(const Node& item) {
  const Node* value = &item;
  if (item.is(Node::Kind::table)) value = item.find("value");
  if (value == nullptr) return {};
  if (value->is(Node::Kind::array)) {
    std::vector<std::string> members;
    for (const Node& member : value->items) members.push_back(toml::shown(member));
    return Wanted{Relation::exact, join(members, " ")};
  }
  const std::string text = value->is(Node::Kind::string) ? value->text : toml::shown(*value);
  for (const Relation bound : {Relation::at_least, Relation::at_most})
    if (text.starts_with(relation_text(bound)))
      return Wanted{bound, text.substr(relation_text(bound).size())};
  return Wanted{Relation::exact, text};
}

}  // namespace

LineId Account::add(std::string file, int line, std::string text) {
  lines_.push_back({std::move(file), line, std::move(text), Fate::untranslated, {}});
  has_reason_.push_back(false);
  return lines_.size() - 1;
}

void Account::accept(LineId line, std::string note) {
  lines_[line].fate = Fate::translated;
  lines_[line].note = std::move(note);
}

void Account::refuse(LineId line, std::string reason) {
  ImportedLine& of = lines_[line];
  if (of.fate == Fate::translated || of.fate == Fate::already) {
    of.fate = Fate::in_part;
    of.note = std::move(reason);
  } else {
    of.note += cat(of.note.empty() ? "" : "; ", reason);
  }
  has_reason_[line] = true;
}

void Account::overridden(LineId line, LineId by) {
  ImportedLine& of = lines_[line];
  const std::string reason = cat("overridden by ", lines_[by].where());
  if (of.fate == Fate::untranslated && !of.note.empty()) return;
  of.fate = Fate::untranslated;
  of.note = reason;
  has_reason_[line] = true;
}

std::string Account::of_parent(const std::string& id, Relation relation,
                               const std::string& value) const {
  const profile::Item* const item = parent_ == nullptr ? nullptr : parent_->find(id);
  const auto theirs = item == nullptr ? std::nullopt : wanted_of(item->value);
  if (!theirs || theirs->relation != relation) return {};
  const bool same = theirs->value == value;
  const bool holds = relation != Relation::exact && satisfies(relation, value, theirs->value);
  return same || holds ? item->value.origin.text() : std::string();
}

void Account::put(LineId line, const std::string& id, Entry entry, const std::string& value,
                  Relation relation) {
  const auto before = targets_.find(id);
  // Two values of one line for one key: the last counts.
  if (before != targets_.end() && before->second.line != line)
    overridden(before->second.line, line);
  const std::string theirs = of_parent(id, relation, value);
  ImportedLine& of = lines_[line];
  const std::string key = cat("[", entry.section, "] ", join(entry.key, "."));
  if (has_reason_[line])
    of.fate = Fate::in_part;
  else if (of.fate == Fate::untranslated)
    of.fate = theirs.empty() ? Fate::translated : Fate::already;
  else if (theirs.empty())
    of.fate = Fate::translated;
  if (!has_reason_[line])
    of.note += cat(of.note.empty() ? "" : ", ", theirs.empty() ? key : cat(theirs, " sets it"));
  if (before == targets_.end()) order_.push_back(id);
  targets_[id] = {line, std::move(entry), !theirs.empty()};
}

void Account::set_sysctl(LineId line, std::string_view typed, Relation relation,
                         const std::string& typed_value, bool optional) {
  auto key = kernel::canonical_sysctl_key(typed);
  if (!key) return refuse(line, key.error().text);
  const Address address{cat("sysctl:", *key)};
  Provider* const provider = providers_.find("sysctl");
  auto canonical = provider == nullptr ? Result<Value>(Value(typed_value))
                                       : provider->canonical(address, typed_value);
  if (!canonical) return refuse(line, canonical.error().text);
  const std::string value = canonical->value_or("");
  if (trim(value).empty()) return refuse(line, "an empty value");
  if (parent_ != nullptr && kinds::sysctl::has_elements(*key))
    return refuse(line, "a list of which the parent sets members; write elements = [...] by hand");
  auto node = sysctl_node(relation, value);
  if (!node) return refuse(line, node.error().text);
  const bool is_known = kinds::sysctl::is_known_sysctl(*key);
  Entry entry{"sysctl", {*key}, std::move(*node)};
  if (!is_known) entry.comments.emplace_back("optional: no kernel that nettune knows has this key");
  if (optional || !is_known) {
    Node table;
    Node yes;
    yes.kind = Node::Kind::boolean;
    yes.boolean = true;
    table.entries.emplace_back("value", std::move(entry.value));
    table.entries.emplace_back("optional", std::move(yes));
    entry.value = std::move(table);
  }
  put(line, address.text, std::move(entry), value, relation);
}

void Account::set(LineId line, const Address& address, const std::string& value,
                  const std::string& set) {
  Provider* const provider = providers_.find(address.kind());
  if (provider != nullptr) {
    const auto canonical = provider->canonical(address, value);
    if (!canonical) return refuse(line, canonical.error().text);
  }
  auto place = place_of(address, value);
  if (!place) return refuse(line, place.error().text);
  Entry entry{place->section, place->key, place->value};
  if (!set.empty()) entry.section += cat('.', set);
  // Modules are one list: each is a key of its own only here.
  const std::string id =
      address.kind() == "module" ? address.text : cat(entry.section, ':', join(entry.key, "."));
  put(line, id, std::move(entry), value, Relation::exact);
}

void Account::add_set(SetText set) { sets_.push_back(std::move(set)); }

bool Account::has_set(std::string_view name) const {
  return std::ranges::find(sets_, name, &SetText::name) != sets_.end();
}

void Account::finish(Import& into) {
  ProfileText& profile = into.profile;
  // Of a line with several keys, some may be overridden.
  for (const auto& [id, target] : targets_)
    if (lines_[target.line].fate == Fate::untranslated) lines_[target.line].fate = Fate::in_part;
  std::optional<std::size_t> modules;  // one entry for all of them
  for (const std::string& id : order_) {
    Target& target = targets_[id];
    if (target.already) continue;
    Entry& entry = target.entry;
    const ImportedLine& line = lines_[target.line];
    entry.comments.insert(entry.comments.begin(), cat(line.where(), "  ", line.text));
    if (line.fate == Fate::in_part) entry.comments.push_back(cat("in part: ", line.note));
    if (entry.section != "modules" || !modules) {
      if (entry.section == "modules") modules = profile.entries.size();
      profile.entries.push_back(std::move(entry));
      continue;
    }
    Entry& same = profile.entries[*modules];
    same.comments.insert(same.comments.end(), entry.comments.begin(), entry.comments.end());
    same.value.items.push_back(entry.value.items[0]);
  }
  for (const SetText& set : sets_)
    if (std::ranges::any_of(profile.entries, [&](const Entry& entry) {
          return entry.section.ends_with(cat('.', set.name));
        }))
      profile.sets.push_back(set);
  for (const Fate fate : {Fate::already, Fate::untranslated}) {
    bool first = true;
    for (const ImportedLine& line : lines_) {
      if (line.fate != fate) continue;
      if (first)
        profile.closing.push_back(fate == Fate::already ? "Already there:" : "Not translated:");
      first = false;
      profile.closing.push_back(cat("  ", line.where(), "  ", line.text));
      profile.closing.push_back(cat("      ", line.note));
    }
  }
  into.lines = std::move(lines_);
  into.complete = !incomplete;
}

Assigned assigned(std::string_view text) {
  // _process_assignment_modifiers() in tuned/plugins/base.py.
  if (text.size() > 1 && (text[0] == '>' || text[0] == '<'))
    return {text[0] == '>' ? Relation::at_least : Relation::at_most,
            std::string(trim(text.substr(1)))};
  return {Relation::exact, std::string(text)};
}

bool is_plain_word(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.+:,").find(c) != std::string_view::npos;
  });
}

}  // namespace nettune::intake
