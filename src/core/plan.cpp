// SPDX-License-Identifier: Apache-2.0
#include "core/plan.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/trace.hpp"
#include "core/side_effects.hpp"

namespace nettune::inline core {

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::in_sync:
      return "in sync";
    case Verdict::different:
      return "different";
    case Verdict::missing:
      return "missing";
    case Verdict::not_yet:
      return "not yet";
    case Verdict::not_applicable:
      return "not applicable";
    case Verdict::not_permitted:
      return "not permitted";
    case Verdict::left:
      return "left";
    case Verdict::unknown:
      return "unknown";
    case Verdict::refused:
      return "refused by the kernel";
  }
  return "";
}

namespace {

/// Readings of addresses, each kind in one pass. Addresses of one kind must be adjacent.
std::vector<Reading> read_by_kind(std::span<const Address> addresses, const Providers& providers) {
  std::vector<Reading> readings(addresses.size());
  for (std::size_t first = 0; first < addresses.size();) {
    const std::string_view kind = addresses[first].kind();
    std::size_t end = first + 1;
    while (end < addresses.size() && addresses[end].kind() == kind) ++end;
    if (Provider* const provider = providers.find(kind)) {
      const trace::Step step("read ", end - first, " settings of kind ", kind);
      auto answers = provider->read(addresses.subspan(first, end - first));
      std::ranges::move(answers, readings.begin() + static_cast<std::ptrdiff_t>(first));
    }
    first = end;
  }
  return readings;
}

}  // namespace

std::map<Address, Reading> read_all(std::vector<Address> addresses, const Providers& providers) {
  std::sort(addresses.begin(), addresses.end());
  std::erase_if(addresses,
                [&](const Address& address) { return providers.find(address.kind()) == nullptr; });
  auto answers = read_by_kind(addresses, providers);
  std::map<Address, Reading> readings;
  for (std::size_t i = 0; i < answers.size(); ++i)
    readings.emplace_hint(readings.end(), std::move(addresses[i]), std::move(answers[i]));
  return readings;
}

std::vector<std::size_t> not_holding(const std::vector<Setting>& settings,
                                     const Providers& providers) {
  std::vector<Address> addresses;
  for (const Setting& setting : settings) addresses.push_back(setting.address);
  const std::vector<Reading> readings = read_by_kind(addresses, providers);
  std::vector<std::size_t> apart;
  for (std::size_t i = 0; i < settings.size(); ++i)
    if (!readings[i].has_value() ||
        !satisfies(settings[i].relation, settings[i].want, readings[i].value()))
      apart.push_back(i);
  return apart;
}

std::vector<Setting> Plan::wanted() const {
  std::vector<Setting> settings;
  for (const PlanItem& item : items)
    if (item.role == PlanItem::Role::set) settings.push_back(item.setting);
  settings.insert(settings.end(), absent.begin(), absent.end());
  // Another device may have the name of an absent one. Then the address occurs twice; the one of
  // the present device comes first.
  std::stable_sort(settings.begin(), settings.end(),
                   [](const Setting& a, const Setting& b) { return a.address < b.address; });
  const auto repeated =
      std::unique(settings.begin(), settings.end(), [](const Setting& a, const Setting& b) {
        return a.address == b.address && a.device == b.device;
      });
  settings.erase(repeated, settings.end());
  return settings;
}

std::size_t Plan::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::count_if(
      items.begin(), items.end(), [&](const PlanItem& item) { return item.verdict == verdict; }));
}

std::set<Address> side_effects(const Plan& plan) {
  std::set<std::string_view> written;
  for (const PlanItem& item : plan.items)
    if (item.to_write()) written.insert(item.setting.address.text);
  std::set<Address> found;
  for (const PlanItem& item : plan.items) {
    if (item.role != PlanItem::Role::give_back) continue;
    const auto known = plan.owned.find(item.setting.address);
    // Where somebody else has changed the cause, and it stays, this is a change of its own.
    if (known != plan.owned.end() && written.contains(known->second.cause.text))
      found.insert(item.setting.address);
  }
  return found;
}

std::size_t Plan::changes() const {
  const std::set<Address> along = side_effects(*this);
  return static_cast<std::size_t>(std::ranges::count_if(items, [&](const PlanItem& item) {
    return item.to_write() && !along.contains(item.setting.address);
  }));
}

std::size_t Plan::warnings() const {
  return static_cast<std::size_t>(
      std::count_if(items.begin(), items.end(), [](const PlanItem& item) { return item.warns(); }));
}

bool Plan::has_refusals() const {
  return std::any_of(items.begin(), items.end(),
                     [](const PlanItem& item) { return !item.refused.empty(); });
}

bool Plan::has_not_permitted() const {
  return std::any_of(items.begin(), items.end(), [](const PlanItem& item) {
    return item.verdict == Verdict::not_permitted && !item.setting.optional;
  });
}

Debts Plan::debts_after(const std::map<std::string, std::string>& failed,
                        const std::map<Address, Value>& left_at,
                        const std::set<Address>& skipped) const {
  Debts after = debts_gone;
  for (const PlanItem& item : items) {
    const Address& address = item.setting.address;
    const bool is_set = item.role == PlanItem::Role::set;
    const Debt* const before = find_debt(debts, address);
    std::string why;
    const auto group = failed.find(item.group);
    const bool is_gone =
        item.verdict == Verdict::missing && !is_set && !item.setting.device.empty();
    if (!item.owed && item.to_write() && group != failed.end())
      why = group->second;
    else if (item.owed || is_gone)
      why = item.now.why;
    if (why.empty()) {
      const bool is_skipped = skipped.contains(address);
      const bool over =
          item.verdict == Verdict::in_sync || item.for_good || (item.to_write() && !is_skipped);
      if (before == nullptr || over) continue;
      // Nobody owes what is optional and cannot be set.
      const bool is_refused = is_skipped || item.verdict == Verdict::refused;
      if (is_set && item.setting.optional && is_refused && !before->left_a_value()) continue;
      after.push_back(*before);
      after.back().to_set = is_set;
      if (is_set) after.back().owed.wanted = item.setting.want;
      continue;
    }
    Debt debt{{}, std::move(why), is_set};
    if (const auto known = owned.find(address); known != owned.end())
      debt.owed = known->second;
    else
      debt.owed.baseline = debt.owed.committed = item.now.value();
    debt.owed.address = address;
    debt.owed.device = item.setting.device;
    debt.owed.lifetime = item.lifetime;
    if (is_set) debt.owed.wanted = item.setting.want;
    if (before != nullptr) debt.owed.committed = before->owed.committed;
    // A value restored now is ours, or --force was given. What hides a file is not its content.
    if (!is_set && item.now.has_value() && !item.effects.obstructed)
      debt.owed.committed = item.now.value();
    if (const auto left = left_at.find(address); left != left_at.end())
      debt.owed.committed = left->second;
    after.push_back(std::move(debt));
  }
  return add_debts({}, after);
}

std::string Plan::digest() const {
  std::string text = cat("nettune plan 1\n", profile, "\n");
  const auto add = [&](const Value& value) {
    text += value ? cat("=", value->size(), ":", *value, "\n") : std::string("-\n");
  };
  for (const auto& unit : units) {
    for (const std::size_t index : unit) {
      const PlanItem& item = items[index];
      text += cat(item.setting.address.text, "\n", item.setting.device, "\n");
      add(item.now.value());
      add(item.after);
    }
  }
  return sha256_hex(text);
}

bool holds(const Setting& setting, const Value& now, const Owned* owned) {
  if (satisfies(setting.relation, setting.want, now)) return true;
  return setting.nearest && owned && owned->wanted == setting.want && owned->committed == now;
}

}  // namespace nettune::inline core
