// SPDX-License-Identifier: Apache-2.0
#include "kinds/sysctl/boot_order.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "kinds/sysctl/table.hpp"

namespace nettune::kinds::sysctl {
namespace {

bool is_one_way(const SysctlLine& line) {
  return std::ranges::any_of(sysctl::cautions(), [&](const Caution& row) {
    return row.undo == Undo::none && sysctl::match(row.key, line.key) &&
           sysctl::fits(line.value, row.value);
  });
}

/// What was before is unknown at boot: a value that does not protect may end a protection.
int turn_of(const SysctlLine& line) {
  if (is_one_way(line)) return 3;
  const auto protects = sysctl::protects(line.key, line.value);
  return !protects ? 1 : *protects ? 0 : 2;
}

class BootOrder {
 public:
  explicit BootOrder(std::vector<SysctlLine>& lines) : lines_(lines) {
    std::ranges::sort(lines_, {},
                      [](const SysctlLine& line) { return std::tie(line.place, line.key); });
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      index_.emplace(lines_[i].key, i);
      const auto parts = split(lines_[i].key, '.');
      if (parts.size() > 3 && (parts[2] == "conf" || parts[2] == "neigh")) names_.emplace(parts[3]);
    }
  }

  void sort() {
    causes_.resize(lines_.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) turns_.push_back(turn_of(lines_[i]));
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::set<std::size_t> touched = touched_by(i);
      for (const std::size_t other : touched) {
        if (touched_by(other).contains(i)) continue;  // alternatives, units of one value
        causes_[other].push_back(i);
        turns_[other] = std::max(turns_[other], turns_[i] == 2 ? 2 : 0);
      }
    }
    std::vector<std::size_t> wanted(lines_.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = i;
    std::ranges::stable_sort(wanted, {}, [&](std::size_t i) { return turns_[i]; });
    visited_.assign(lines_.size(), false);
    for (const std::size_t i : wanted) visit(i);
    std::vector<SysctlLine> sorted;
    for (const std::size_t i : order_) sorted.push_back(std::move(lines_[i]));
    lines_ = std::move(sorted);
  }

 private:
  void visit(std::size_t i) {
    if (visited_[i]) return;
    visited_[i] = true;
    for (const std::size_t cause : causes_[i]) visit(cause);
    order_.push_back(i);
  }

  /// The lines whose keys a write of this one changes along, followed from key to key.
  std::set<std::size_t> touched_by(std::size_t line) const {
    std::set<std::size_t> found;
    std::set<std::string> seen = {lines_[line].key};
    std::vector<std::string> queue = {lines_[line].key};
    while (!queue.empty()) {
      const std::string key = std::move(queue.back());
      queue.pop_back();
      for (const auto& [row, captures] : sysctl::side_effects_of(key))
        for (std::string& touched : expanded(row->touches, captures)) {
          if (!seen.insert(touched).second) continue;
          if (const auto at = index_.find(touched); at != index_.end()) found.insert(at->second);
          queue.push_back(std::move(touched));
        }
    }
    return found;
  }

  /// The keys of a pattern, for the interfaces of this file.
  std::vector<std::string> expanded(std::string_view pattern, const Captures& captures) const {
    std::vector<std::string> keys = {""};
    for (const std::string_view part : split(pattern, '.')) {
      std::vector<std::string> next;
      for (const std::string& key : keys) {
        const std::string prefix = key.empty() ? "" : key + ".";
        if (const auto known = captures.find(part); known != captures.end())
          next.push_back(prefix + known->second);
        else if (!part.starts_with('$'))
          next.push_back(cat(prefix, part));
        else
          for (const std::string& name : names_) next.push_back(prefix + name);
      }
      keys = std::move(next);
    }
    // "$dev" matches any name of an interface.
    std::erase_if(keys, [&](const std::string& key) { return !sysctl::match(pattern, key); });
    return keys;
  }

  std::vector<SysctlLine>& lines_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::set<std::string> names_ = {"all", "default"};  ///< of interfaces
  std::vector<std::vector<std::size_t>> causes_;
  std::vector<int> turns_;
  std::vector<bool> visited_;
  std::vector<std::size_t> order_;
};

}  // namespace

void order_for_boot(std::vector<SysctlLine>& lines) {
  std::map<std::string, std::string, std::less<>> values;
  for (const SysctlLine& line : lines) values.emplace(line.key, line.value);
  std::erase_if(lines, [&](const SysctlLine& line) {
    const auto other = values.find(sysctl::rival_of(line.key));
    return line.value == "0" && other != values.end() && other->second != "0";
  });
  BootOrder(lines).sort();
}

}  // namespace nettune::kinds::sysctl
