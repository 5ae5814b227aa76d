// SPDX-License-Identifier: Apache-2.0
#include "core/plan_groups.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace nettune::inline core {

namespace {

class Grouper {
 public:
  Grouper(Plan& plan, const std::map<Address, std::size_t>& index, const Providers& providers)
      : plan_(plan), index_(index), providers_(providers), parent_(plan.items.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  void run() {
    std::map<std::string_view, std::size_t> of_device;
    std::map<std::string_view, std::size_t> of_unit;
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      const PlanItem& item = plan_.items[i];
      if (has_device(i)) unite(of_device.emplace(item.setting.device, i).first->second, i);
      if (item.to_write()) unite(of_unit.emplace(item.unit, i).first->second, i);
    }
    for (std::size_t i = 0; i < plan_.items.size(); ++i) bind(i);
    name();
  }

 private:
  bool has_device(std::size_t i) const { return !plan_.items[i].setting.device.empty(); }

  void bind(std::size_t i) {
    const PlanItem& item = plan_.items[i];
    if (!item.to_write()) return;
    const Address& address = item.setting.address;
    for (const Address& first : providers_.find(address.kind())->needs(address)) depends(i, first);
    for (const Witness& touched : item.effects.touches)
      if (const auto moved = index_.find(touched.address);
          moved != index_.end() && has_device(i) && has_device(moved->second))
        unite(i, moved->second);
    if (const auto owned = plan_.owned.find(address); owned != plan_.owned.end())
      depends(i, owned->second.cause);
  }

  void depends(std::size_t i, const Address& on) {
    const auto found = index_.find(on);
    if (found != index_.end() && plan_.items[found->second].to_write() && has_device(found->second))
      unite(i, found->second);
  }

  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void unite(std::size_t a, std::size_t b) { parent_[root(b)] = root(a); }

  /// A group is named after its first device.
  void name() {
    std::map<std::size_t, std::string> names;
    for (std::size_t i = 0; i < plan_.items.size(); ++i) {
      const std::string& device = plan_.items[i].setting.device;
      if (device.empty()) continue;
      const auto [found, is_new] = names.emplace(root(i), device);
      if (!is_new && device < found->second) found->second = device;
    }
    for (std::size_t i = 0; i < plan_.items.size(); ++i)
      if (const auto found = names.find(root(i)); found != names.end())
        plan_.items[i].group = found->second;
  }

  Plan& plan_;
  const std::map<Address, std::size_t>& index_;
  const Providers& providers_;
  std::vector<std::size_t> parent_;
};

void group_items(Plan& plan, const std::map<Address, std::size_t>& index,
                 const Providers& providers) {
  Grouper(plan, index, providers).run();
}

}  // namespace

void give_up_groups(Plan& plan, const PlanInput& input, const std::map<Address, std::size_t>& index,
                    const Providers& providers) {
  const bool alone = input.per_device || !input.without.empty();
  const auto may_fail = [&](const PlanItem& item) {
    return !item.setting.device.empty() && (alone || item.role == PlanItem::Role::give_back ||
                                            input.without.contains(item.setting.device));
  };
  if (std::ranges::none_of(plan.items, may_fail)) return;
  group_items(plan, index, providers);
  for (const PlanItem& item : plan.items)
    if (const auto found = input.without.find(item.setting.device); found != input.without.end())
      plan.given_up.emplace(item.group, found->second);
  for (PlanItem& item : plan.items) {
    const bool forgiven = input.per_device || item.role == PlanItem::Role::give_back;
    if (!forgiven && !plan.given_up.contains(item.group)) item.group.clear();
    if (!item.group.empty() && item.verdict == Verdict::not_permitted && !item.setting.optional)
      plan.given_up.try_emplace(item.group, cat(item.setting.address.text, ": ", item.now.why));
  }
  for (PlanItem& item : plan.items) {
    const auto found = plan.given_up.find(item.group);
    const bool written = item.to_write() || item.verdict == Verdict::not_permitted;
    if (item.group.empty() || found == plan.given_up.end() || !written) continue;
    item.leave(found->second);
    item.owed = true;
  }
}

}  // namespace nettune::inline core
