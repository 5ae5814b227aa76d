// SPDX-License-Identifier: Apache-2.0
#include "core/plan_order.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace nettune::inline core {

namespace {

class Orderer {
 public:
  Orderer(Plan& plan, const PlanOrder& known, const Providers& providers)
      : plan_(plan), known_(known), providers_(providers) {}

  void sort_items() {
    std::vector<std::size_t> wanted_order(plan_.items.size());
    for (std::size_t i = 0; i < wanted_order.size(); ++i) wanted_order[i] = i;
    std::ranges::sort(wanted_order, [&](std::size_t a, std::size_t b) {
      return before(plan_.items[a], plan_.items[b]);
    });
    visited_.assign(plan_.items.size(), 0);
    order_.reserve(plan_.items.size());
    for (const std::size_t index : wanted_order) visit(index);

    std::vector<PlanItem> sorted;
    sorted.reserve(order_.size());
    for (const std::size_t index : order_) sorted.push_back(std::move(plan_.items[index]));
    plan_.items = std::move(sorted);
  }

  /// One list of items per operation, in the order of each operation's first item.
  void group_units() {
    std::map<std::string, std::size_t> unit_at;
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      const PlanItem& item = plan_.items[i];
      if (!item.to_write()) continue;
      const auto [found, is_new] = unit_at.emplace(item.unit, plan_.units.size());
      if (is_new) plan_.units.emplace_back();
      plan_.units[found->second].push_back(i);
    }
  }

 private:
  bool before(const PlanItem& a, const PlanItem& b) const {
    // Writes that cannot be undone come last: nothing after them can fail.
    const bool one_way_a = a.effects.undo == Undo::none;
    if (one_way_a != (b.effects.undo == Undo::none)) return !one_way_a;
    if (a.turn != b.turn) return a.turn < b.turn;
    if (a.role != b.role) return a.role == PlanItem::Role::give_back;
    const std::size_t rank_a = providers_.rank(a.setting.address.kind());
    const std::size_t rank_b = providers_.rank(b.setting.address.kind());
    if (rank_a != rank_b) return a.role == PlanItem::Role::set ? rank_a < rank_b : rank_a > rank_b;
    return a.setting.address < b.setting.address;
  }

  void visit(std::size_t index) {
    if (visited_[index]) return;
    visited_[index] = 1;
    const Address& address = plan_.items[index].setting.address;
    const PlanItem::Role role = plan_.items[index].role;
    const bool appears = plan_.items[index].verdict == Verdict::not_yet;
    const auto visit_first = [&](std::size_t other) {
      if (appears || plan_.items[other].role == role) visit(other);
    };
    // Order matters only for writes; a check of thousands of links needs none.
    if (plan_.items[index].to_write()) {
      const Provider& provider = *providers_.find(address.kind());
      for (const Address& first : role == PlanItem::Role::set ? provider.needs(address)
                                                              : provider.given_back_after(address))
        if (const auto found = known_.index.find(first); found != known_.index.end())
          visit_first(found->second);
    }
    if (const auto causes = known_.after.find(index); causes != known_.after.end())
      for (const std::size_t cause : causes->second) visit_first(cause);
    const auto owned = plan_.owned.find(address);
    if (owned != plan_.owned.end() && !owned->second.cause.text.empty())
      if (const auto cause = known_.index.find(owned->second.cause); cause != known_.index.end())
        visit_first(cause->second);
    order_.push_back(index);
  }

  Plan& plan_;
  const PlanOrder& known_;
  const Providers& providers_;
  std::vector<char> visited_;
  std::vector<std::size_t> order_;
};

}  // namespace

void order_items(Plan& plan, const PlanOrder& known, const Providers& providers) {
  Orderer orderer(plan, known, providers);
  orderer.sort_items();
  orderer.group_units();
}

}  // namespace nettune::inline core
