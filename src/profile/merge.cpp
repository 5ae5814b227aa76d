// SPDX-License-Identifier: Apache-2.0
#include "profile/merge.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/text.hpp"
#include "profile/source.hpp"

namespace nettune::profile {
namespace {

using Items = std::map<std::string, Item>;

/// Two parents that disagree; only the child can decide.
struct Clash {
  Item first;
  Item second;
};

/// A key whose elements are inherited one by one can be removed as a whole.
std::vector<std::string> matches(const Items& items, const std::string& id) {
  std::vector<std::string> found;
  if (items.contains(id)) found.push_back(id);
  const std::string elements = cat(id, '#');
  for (auto item = items.lower_bound(elements);
       item != items.end() && item->first.starts_with(elements); ++item)
    found.push_back(item->first);
  return found;
}

class Loader {
 public:
  Loader(Disk& disk, const Sources& sources) : disk_(disk), sources_(sources) {}

  /// `asked` is the place of the name, for errors.
  Result<const Merged*> load(const std::string& name, const Origin& asked) {
    if (const auto done = done_.find(name); done != done_.end()) return &done->second;
    TRY(check_cycle(name, asked));
    auto document = read_profile(disk_, sources_, name);
    if (!document) {
      Error error = document.error();
      if (error.file.empty()) std::tie(error.file, error.line) = std::tie(asked.file, asked.line);
      return fail(std::move(error));
    }
    open_.push_back(name);
    auto merged = merge(name, *document);
    open_.pop_back();
    if (!merged) return fail(merged.error());
    return &done_.emplace(name, std::move(*merged)).first->second;
  }

 private:
  Result<> check_cycle(const std::string& name, const Origin& asked) const {
    constexpr std::size_t kMaxChain = 32;
    const auto start = std::ranges::find(open_, name);
    if (start != open_.end()) {
      std::vector<std::string> cycle(start, open_.end());
      cycle.push_back(name);
      return toml::fail_at(asked,
                           cat("profiles extend each other in a loop: ", join(cycle, " -> ")));
    }
    if (open_.size() < kMaxChain) return {};
    return toml::fail_at(asked, cat("more than ", kMaxChain, " profiles extend one another"));
  }

  Result<Merged> merge(const std::string& name, const Document& document) {
    Merged merged;
    merged.name = name;
    merged.file = document.source.path;
    merged.summary = document.root.find("summary")->text;
    merged.mistakes = document.mistakes;
    TRY_ASSIGN(Items own, items_of(document.root, merged.mistakes));
    std::map<std::string, Clash> clashes;
    Mistakes of_parents;
    TRY(inherit(document.root, merged, of_parents, clashes));
    remove(document.root, merged, of_parents.any(), clashes);
    merged.mistakes.add_all(of_parents);
    for (const auto& [id, clash] : clashes) {
      if (!own.contains(id)) merged.mistakes.add(disagree(document.root, clash).value());
    }
    for (auto& [id, item] : own) merged.items.insert_or_assign(id, std::move(item));
    merged.sources.push_back(document.source);
    return merged;
  }

  Result<> inherit(const toml::Node& root, Merged& merged, Mistakes& of_parents,
                   std::map<std::string, Clash>& clashes) {
    const toml::Node* const extends = root.find("extends");
    if (extends == nullptr) return {};
    for (const toml::Node& parent : extends->items) {
      TRY_ASSIGN(const Merged* const from, load(parent.text, parent.origin));
      for (const auto& [id, item] : from->items) {
        const auto [old, fresh] = merged.items.try_emplace(id, item);
        if (!fresh && !old->second.value.same_value(item.value)) {
          clashes.try_emplace(id, Clash{old->second, item});
        }
      }
      of_parents.add_all(from->mistakes);
      for (const Source& source : from->sources) {
        const bool known =
            std::ranges::find(merged.sources, source.path, &Source::path) != merged.sources.end();
        if (!known) merged.sources.push_back(source);
      }
    }
    return {};
  }

  /// A key with a mistake is not inherited. Then its parent's line is to be mended, not this one.
  static void remove(const toml::Node& root, Merged& merged, bool parents_have_mistakes,
                     std::map<std::string, Clash>& clashes) {
    const toml::Node* const entries = root.find("remove");
    if (entries == nullptr) return;
    const Items inherited = merged.items;
    for (const toml::Node& entry : entries->items) {
      const Result<std::string> id = removal_id(entry);
      const auto found = id ? matches(inherited, *id) : std::vector<std::string>();
      if (found.empty() && !parents_have_mistakes)
        merged.mistakes.add(id ? not_inherited(entry, *id, inherited) : id.error());
      for (const std::string& gone : found) {
        merged.items.erase(gone);
        clashes.erase(gone);
      }
    }
  }

  static Error not_inherited(const toml::Node& entry, const std::string& id,
                             const Items& inherited) {
    std::vector<std::string> known;
    for (const auto& [other, item] : inherited) known.push_back(other);
    return toml::fail_at(entry.origin, cat("remove: \"", printable(entry.text),
                                           "\" is not inherited", toml::did_you_mean(id, known)))
        .value();
  }

  static Failure disagree(const toml::Node& root, const Clash& clash) {
    const auto side = [](const Item& item) {
      return cat(toml::shown(item.value), " (", item.value.origin.file, ':', item.value.origin.line,
                 ")");
    };
    const toml::Node* const extends = root.find("extends");
    return toml::fail_at(
        extends->origin,
        cat("the parents have different values for ", clash.first.id, ": ", side(clash.first),
            " and ", side(clash.second), "; set it here, or remove = [\"", clash.first.id, "\"]"));
  }

  Disk& disk_;
  const Sources& sources_;
  std::map<std::string, Merged> done_;
  std::vector<std::string> open_;
};

}  // namespace

const Item* Merged::find(const std::string& id) const {
  const auto found = items.find(id);
  return found == items.end() ? nullptr : &found->second;
}

std::vector<const Item*> Merged::with_prefix(std::string_view prefix) const {
  std::vector<const Item*> found;
  for (auto it = items.lower_bound(std::string(prefix));
       it != items.end() && it->first.starts_with(prefix); ++it) {
    found.push_back(&it->second);
  }
  return found;
}

Result<Merged> load_merged(Disk& disk, const Sources& sources, const std::string& name) {
  Loader loader(disk, sources);
  TRY_ASSIGN(const Merged* const merged, loader.load(name, {}));
  return *merged;
}

}  // namespace nettune::profile
