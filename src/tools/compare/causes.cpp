// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "tools/compare/findings.hpp"
#include "tools/compare/names.hpp"

namespace nettune::tools::compare {

namespace {

using Usual = std::function<std::string_view(std::uint32_t)>;

/// The nodes of each value, without the values.
std::vector<std::vector<std::uint32_t>> partition(const Finding& finding) {
  std::vector<std::vector<std::uint32_t>> out;
  for (const Holders& one : finding.others) out.push_back(one.nodes);
  std::ranges::sort(out);
  return out;
}

class Causes {
 public:
  Causes(const Fleet& fleet, const Usual& usual, std::vector<Finding>& findings)
      : fleet_(fleet), usual_(usual), findings_(findings), cause_(findings.size(), kNone) {
    for (const PathRule& rule : fleet.rules().paths)
      causing_.insert(rule.follows.begin(), rule.follows.end());
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const std::uint32_t path = findings[i].path;
      const Schema& schema = fleet.schema(path);
      for (const std::string& text : {schema.text, findings[i].paths.front()})
        if (causing_.contains(text)) add(by_key_, text, i);
      if (rank(path) != kNone)
        for (const std::string& name : names_of(path)) add(by_key_, name, i);
      if (schema.name_of && findings[i].blames())
        for (const Holders& one : findings[i].others)
          for (const std::uint32_t node : one.nodes)
            renamed_[{fleet.parent(path), node}] = {i, cat('[', one.value, ']')};
    }
  }

  void run() {
    for (std::size_t i = 0; i < findings_.size(); ++i) cause_[i] = cause_of(i);
    for (std::size_t i = 0; i < findings_.size(); ++i) {
      const std::size_t root = root_of(i);
      if (root == i) continue;
      findings_[root].cost = std::min(findings_[root].cost, findings_[i].cost);
      findings_[root].consequences.push_back(findings_[i].paths.front());
    }
    std::vector<Finding> out;
    for (std::size_t i = 0; i < findings_.size(); ++i)
      if (root_of(i) == i) out.push_back(std::move(findings_[i]));
    findings_ = std::move(out);
    join_names();
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  using Key = std::pair<std::string, std::uint32_t>;  // a schema or a name, and a node
  using ByKey = std::map<Key, std::vector<std::size_t>>;

  /// Of populations the first node stands for all.
  void add(ByKey& into, const std::string& text, std::size_t finding) const {
    for (const Holders& one : findings_[finding].others)
      for (const std::uint32_t node : one.nodes) {
        into[{text, node}].push_back(finding);
        if (!findings_[finding].blames()) break;
      }
  }

  /// The place of the list of devices that has this element, in the rules: those of one device are
  /// one finding, named by the first list. kNone for any other path.
  std::size_t rank(std::uint32_t path) const {
    if (!fleet_.is_element(path)) return kNone;
    const ListRule* const list = fleet_.schema(fleet_.parent(path)).list;
    if (!list || list->device.empty()) return kNone;
    return static_cast<std::size_t>(list - fleet_.rules().lists.data());
  }

  /// What a path is about: the names in its elements, and the device that it is.
  std::set<std::string> names_of(std::uint32_t path) const {
    std::set<std::string> names;
    if (rank(path) != kNone) {
      const std::string& device = fleet_.schema(fleet_.parent(path)).list->device;
      if (const std::uint32_t which = fleet_.find_child(path, device); which != 0)
        names.emplace(usual_(which));
    }
    for (std::uint32_t at = path; at != 0; at = fleet_.parent(at))
      if (fleet_.is_element(at))
        for_names(fleet_.step(at), [&](std::string_view piece, bool is_name) {
          if (is_name) names.emplace(piece);
        });
    names.erase("");
    return names;
  }

  /// The finding that explains this one on all its nodes: the first of them, if there are several.
  std::size_t cause_of(std::size_t effect) const {
    const Finding& finding = findings_[effect];
    const std::set<std::string> names = names_of(finding.path);
    // A rule may be for one element: "full.software[ofed]".
    const PathRule* rule = fleet_.rules().rule_for(finding.paths.front());
    if (!rule || rule->follows.empty()) rule = fleet_.schema(finding.path).rule;
    std::size_t first = kNone;
    for (const Holders& holders : finding.others)
      for (const std::uint32_t node : holders.nodes) {
        std::size_t found = kNone;
        const auto look_at = [&](const std::string& text, auto&& explains) {
          const auto candidates = by_key_.find({text, node});
          if (candidates == by_key_.end()) return;
          for (const std::size_t one : candidates->second)
            if (one != effect && same_nodes(findings_[one], finding) && explains(one))
              found = std::min(found, one);
        };
        for (const std::string& name : names)
          look_at(name,
                  [&](std::size_t one) { return rank(findings_[one].path) < rank(finding.path); });
        if (rule)
          for (const std::string& text : rule->follows)
            look_at(text, [&](std::size_t one) {
              return is_of_same(findings_[one].path, finding.path) &&
                     keeps_relation(findings_[one], finding, holders.value, node);
            });
        if (found == kNone) found = renaming_of(finding, holders.value, node);
        if (found == kNone) return kNone;
        if (first == kNone) first = found;
        if (!finding.blames()) break;
      }
    return first;
  }

  /// Populations explain populations of the same nodes only.
  static bool same_nodes(const Finding& cause, const Finding& effect) {
    if (cause.blames() != effect.blames()) return false;
    return cause.blames() || partition(cause) == partition(effect);
  }

  /// Whether two paths with elements of one list are about the same element of it.
  bool is_of_same(std::uint32_t cause, std::uint32_t effect) const {
    if (fleet_.is_element(cause)) return true;  // one that is lost explains what remains
    for (std::uint32_t at = cause; at != 0; at = fleet_.parent(at))
      if (fleet_.is_element(at))
        for (std::uint32_t other = effect; other != 0; other = fleet_.parent(other))
          if (&fleet_.schema(other) == &fleet_.schema(at) && other != at) return false;
    return true;
  }

  /// Versions that are equal on the other nodes, and here not, do not move together.
  static bool keeps_relation(const Finding& cause, const Finding& effect, const std::string& value,
                             std::uint32_t node) {
    if (cause.kind != Kind::differs || effect.kind != Kind::differs) return true;
    const auto here = std::ranges::find_if(cause.others, [&](const Holders& one) {
      return std::ranges::binary_search(one.nodes, node);
    });
    return here != cause.others.end() &&
           (here->value == value) == (cause.majority == effect.majority);
  }

  /// A device under another name may have what is usual for that name, as settings follow names.
  std::size_t renaming_of(const Finding& finding, const std::string& value,
                          std::uint32_t node) const {
    if (finding.kind != Kind::differs) return kNone;
    std::vector<std::string_view> below;
    for (std::uint32_t at = finding.path; at != 0; at = fleet_.parent(at)) {
      if (const auto found = renamed_.find({at, node}); found != renamed_.end()) {
        std::uint32_t path = fleet_.find_child(fleet_.parent(at), found->second.second);
        for (auto step = below.rbegin(); step != below.rend() && path != 0; ++step)
          path = fleet_.find_child(path, *step);
        const bool is_name = found->second.first < findings_.size() &&
                             findings_[found->second.first].path == finding.path;
        if (!is_name && path != 0 && usual_(path) == value) return found->second.first;
      }
      below.push_back(fleet_.step(at));
    }
    return kNone;
  }

  std::size_t root_of(const std::size_t finding) const {
    constexpr int kDeepest = 8;  // rules may follow each other in a circle
    std::size_t root = finding;
    for (int depth = 0; depth < kDeepest && cause_[root] != kNone; ++depth) root = cause_[root];
    return cause_[root] == kNone ? root : finding;
  }

  /// Devices that have each other's names on the same nodes are one finding.
  void join_names() {
    std::map<std::pair<const ListRule*, std::vector<std::vector<std::uint32_t>>>,
             std::vector<std::size_t>>
        by_nodes;
    for (std::size_t i = 0; i < findings_.size(); ++i)
      if (const ListRule* const list = fleet_.schema(findings_[i].path).name_of;
          list && findings_[i].kind == Kind::differs)
        by_nodes[{list, partition(findings_[i])}].push_back(i);
    std::set<std::size_t> joined;
    for (const auto& [key, all] : by_nodes) {
      Finding& into = findings_[all.front()];
      for (auto i = std::next(all.begin()); i != all.end(); ++i) {
        Finding& from = findings_[*i];
        std::ranges::move(from.paths, std::back_inserter(into.paths));
        std::ranges::move(from.consequences, std::back_inserter(into.consequences));
        into.cost = std::min(into.cost, from.cost);
        into.majority += cat(", ", from.majority);
        for (const Holders& one : from.others) {
          const auto same = std::ranges::find(into.others, one.nodes, &Holders::nodes);
          same->value += cat(", ", one.value);
        }
        joined.insert(*i);
      }
    }
    std::vector<Finding> out;
    for (std::size_t i = 0; i < findings_.size(); ++i)
      if (!joined.contains(i)) out.push_back(std::move(findings_[i]));
    findings_ = std::move(out);
  }

  const Fleet& fleet_;
  const Usual& usual_;
  std::vector<Finding>& findings_;
  std::vector<std::size_t> cause_;  ///< by finding; kNone for none
  std::set<std::string> causing_;
  ByKey by_key_;
  /// Elements under another name, by node: the finding of the name, and the element with that name.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::size_t, std::string>> renamed_;
};

}  // namespace

void join_causes(const Fleet& fleet, const Usual& usual, std::vector<Finding>& findings) {
  Causes(fleet, usual, findings).run();
}

}  // namespace nettune::tools::compare
